-- What a database needs that is distributed by `shard` over several machines (Citus). On one machine it does no harm.

-- The append for commands of one shard: the same as `append`, in statements that each touch one table and name one shard,
-- so that it is handed to the machine that has the shard. There a statement may not lock or write more than one, a CTE
-- that writes is many times slower, and a lateral join to arrays is refused. Arrays are named and count as in `append`.
create function append_shard(
  p_shard smallint, p_stream uuid[], p_expected int[], p_prev bytea[], p_n int[], p_cmd uuid[], p_at bigint[],
  e_ord int[], e_k int[], e_type smallint[], e_schema smallint[], e_body bytea[], e_prev bytea[], e_hash bytea[],
  o_ord int[], o_k int[], o_path text[], o_hand int[], o_to text[], o_salt bytea[], o_value bytea[])
returns table(ord int, ok boolean, version int, pos bigint) language plpgsql as $$
#variable_conflict use_column
declare
  h_head bigint; total bigint;
  s_st uuid[]; s_v int[]; s_h bytea[];
  a_ok boolean[]; a_cur int[]; a_base bigint[];
begin
  -- The lock is taken in a statement of its own: the next one has a snapshot in which all that it waited for is seen.
  select s.head into h_head from shard s where s.shard = p_shard for no key update;
  select array_agg(s.stream), array_agg(s.version), array_agg(s.last_hash) into s_st, s_v, s_h
    from stream s where s.shard = p_shard and s.stream = any(p_stream);
  with c as (
    select u.o, coalesce(s.v, 0) cur, u.n, coalesce(s.v, 0) = u.ex and coalesce(s.h, '\x') = u.pv ok
    from unnest(p_stream, p_expected, p_prev, p_n) with ordinality u(st, ex, pv, n, o)
    left join unnest(s_st, s_v, s_h) s(st, v, h) on s.st = u.st
  ), d as (
    select c.*, h_head + sum(case when ok then n else 0 end) over (order by c.o) - c.n as base from c
  )
  select array_agg(ok order by o), array_agg(cur order by o), array_agg(base order by o),
    coalesce(sum(n) filter (where ok), 0) into a_ok, a_cur, a_base, total from d;
  if total > 0 then
    update shard s set head = s.head + total where s.shard = p_shard;
    insert into event (shard, stream, version, pos, type, schema, cmd, at, body, prev, hash)
      select p_shard, p_stream[e.o], p_expected[e.o] + e.k, a_base[e.o] + e.k, e.ty, e.sc, p_cmd[e.o], p_at[e.o], e.b, e.p, e.h
      from unnest(e_ord, e_k, e_type, e_schema, e_body, e_prev, e_hash) e(o, k, ty, sc, b, p, h) where a_ok[e.o];
    insert into opening (shard, stream, version, path, hand, "to", salt, value)
      select p_shard, p_stream[o.o], p_expected[o.o] + o.k, o.pa, o.ha, o.seats::smallint[], o.sa, o.va
      from unnest(o_ord, o_k, o_path, o_hand, o_to, o_salt, o_value) o(o, k, pa, ha, seats, sa, va) where a_ok[o.o];
    update stream s set version = x.v, last_hash = x.h
      from (select p_stream[e.o] st, p_expected[e.o] + e.k v, e.h from unnest(e_ord, e_k, e_hash) e(o, k, h)
        where a_ok[e.o] and e.k = p_n[e.o] and p_expected[e.o] > 0) x
      where s.shard = p_shard and s.stream = x.st;
    insert into stream (shard, stream, version, last_hash)
      select p_shard, p_stream[e.o], e.k, e.h from unnest(e_ord, e_k, e_hash) e(o, k, h)
      where a_ok[e.o] and e.k = p_n[e.o] and p_expected[e.o] = 0;
  end if;
  return query
    select u.o::int, u.ok, case when u.ok then p_expected[u.o] + p_n[u.o] else u.cur end,
      case when u.ok then u.base + p_n[u.o] end
    from unnest(a_ok, a_cur, a_base) with ordinality u(ok, cur, base, o);
end $$;

-- Whether the tables are distributed. `kibitz distribute` makes it say so.
create function is_distributed() returns boolean language sql stable as 'select false';

-- Puts a new table where its shards are. `kibitz distribute` gives it something to do; before there is one place only.
create function place_by_shard(p_table regclass) returns void language plpgsql as $$ begin null; end $$;

revoke execute on function append_shard, is_distributed, place_by_shard from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    grant execute on function append_shard, is_distributed, place_by_shard to kibitz_app;
  end if;
end $$;
