-- The archive: events and openings of finished matches, packed by match. services/store/packed.py says how.

create table archive (
  shard     smallint not null,
  stream    uuid     not null,
  first     integer  not null check (first > 0),       -- versions of the first and the last event
  last      integer  not null check (last >= first),
  first_pos bigint   not null check (first_pos > 0),   -- and their positions; in between lie those of other matches
  last_pos  bigint   not null check (last_pos - first_pos >= last - first),
  format    smallint not null,
  prev      bytea    not null check (octet_length(prev) = case first when 1 then 0 else 32 end),
  hash      bytea    not null check (octet_length(hash) = 32),
  events    bytea    not null,
  openings  bytea    not null,                         -- empty where there are none
  primary key (shard, stream, first)
);
-- They are compressed: to try again would cost time and gain nothing.
alter table archive alter column events set storage external, alter column openings set storage external;

-- Which matches have events among given positions of a shard. The shard stands above the position: six bits for it, 47
-- for the position, so that one kind of index that every PostgreSQL has will do.
create index archive_span on archive using gist (
  int8range(shard::bigint << 47 | first_pos, shard::bigint << 47 | last_pos, '[]'));

create trigger immutable before update or delete on archive for each row execute function refuse_change();
create trigger immutable_whole before truncate on archive for each statement execute function refuse_change();
alter table archive enable always trigger immutable;
alter table archive enable always trigger immutable_whole;

-- An event and an opening stay as they are, unless the archive has them: then their rows may go, and nothing else.
create function keep_record() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (
    select from public.archive a where a.shard = old.shard and a.stream = old.stream and old.version between a.first and a.last)
  then
    return old;
  end if;
  raise exception '% of %: what is recorded stays as it is', lower(tg_op), tg_table_name using errcode = 'restrict_violation';
end $$;

drop trigger immutable on event;
drop trigger immutable on opening;
create trigger immutable before update or delete on event for each row execute function keep_record();
create trigger immutable before update or delete on opening for each row execute function keep_record();
alter table event enable always trigger immutable;
alter table opening enable always trigger immutable;

-- Moves the events of a match from version p_first on, and their openings, into the archive: all of it or nothing.
-- The arrays are what the caller reads out of p_events and p_openings, so what is not in there is not deleted here.
-- Answers what became of it: archived; moved, if somebody else was quicker; behind or parked, if a read model has not
-- taken all of these events; differs, if the rows are not what was packed. rows_bytes is how much the rows took.
create function archive_match(
  p_shard smallint, p_stream uuid, p_first int, p_prev bytea, p_format smallint, p_events bytea, p_openings bytea,
  e_pos bigint[], e_type smallint[], e_hash bytea[],
  o_version int[], o_path text[], o_hand int[], o_to text[], o_salt bytea[], o_value bytea[])
returns table(outcome text, rows_bytes bigint) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  p_last constant int := p_first + cardinality(e_hash) - 1;
  same boolean; size_e bigint; size_o bigint; lowest bigint;
begin
  perform from stream s where s.shard = p_shard and s.stream = p_stream for update;
  if p_first <> 1 + coalesce((select max(a.last) from archive a where a.shard = p_shard and a.stream = p_stream), 0) then
    return query select 'moved', 0::bigint; return;
  end if;
  select min(c.pos) into lowest from projection.checkpoint c where c.shard = p_shard;
  if lowest is null or lowest < e_pos[cardinality(e_pos)] then
    return query select 'behind', 0::bigint; return;
  end if;
  if exists (select from projection.parked k where k.shard = p_shard and k.match = p_stream) then
    return query select 'parked', 0::bigint; return;
  end if;
  select coalesce(array_agg(e.pos order by e.version) = e_pos and array_agg(e.type order by e.version) = e_type
    and array_agg(e.hash order by e.version) = e_hash, false), coalesce(sum(pg_column_size(e.*)), 0)
    into same, size_e
    from event e where e.shard = p_shard and e.stream = p_stream and e.version between p_first and p_last;
  if same then
    select coalesce(array_agg(o.version order by o.version, o.path) = o_version
      and array_agg(o.path order by o.version, o.path) = o_path
      and array_agg(o.hand order by o.version, o.path) = o_hand
      and array_agg(o."to"::text order by o.version, o.path) = o_to
      and array_agg(o.salt order by o.version, o.path) = o_salt
      and array_agg(o.value order by o.version, o.path) = o_value, cardinality(o_version) = 0),
      coalesce(sum(pg_column_size(o.*)), 0)
      into same, size_o
      from opening o where o.shard = p_shard and o.stream = p_stream and o.version between p_first and p_last;
  end if;
  if not same then
    return query select 'differs', 0::bigint; return;
  end if;
  insert into archive (shard, stream, first, last, first_pos, last_pos, format, prev, hash, events, openings)
    values (p_shard, p_stream, p_first, p_last, e_pos[1], e_pos[cardinality(e_pos)], p_format, p_prev,
      e_hash[cardinality(e_hash)], p_events, p_openings);
  delete from opening o where o.shard = p_shard and o.stream = p_stream and o.version between p_first and p_last;
  delete from event e where e.shard = p_shard and e.stream = p_stream and e.version between p_first and p_last;
  return query select 'archived', size_e + size_o;
end $$;

revoke all on archive from public;
revoke execute on function archive_match from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    revoke insert, update, delete, truncate on archive from kibitz_app;
    grant execute on function archive_match to kibitz_app;
  end if;
end $$;
