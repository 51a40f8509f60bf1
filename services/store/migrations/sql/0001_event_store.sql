-- The event store. Every table of a match is led by `shard` in its primary key, so that each can be distributed by it.
-- Tables of players are small and stay whole.

create table shard (
  shard smallint primary key,
  head  bigint not null default 0 check (head >= 0)   -- the position of the shard's last event
);

create table stream (
  shard     smallint not null,
  stream    uuid     not null,
  version   integer  not null check (version > 0),
  last_hash bytea    not null,
  primary key (shard, stream)
);

create table event (
  shard   smallint not null,
  stream  uuid     not null,
  version integer  not null check (version > 0),
  pos     bigint   not null check (pos > 0),
  type    smallint not null,
  schema  smallint not null,
  cmd     uuid     not null,
  at      bigint   not null,                           -- milliseconds since 1970, UTC, as in the body
  body    bytea    not null,                           -- the canonical bytes, exactly as they were hashed
  prev    bytea    not null check (octet_length(prev) = case version when 1 then 0 else 32 end),
  hash    bytea    not null,
  primary key (shard, stream, version),
  unique (shard, pos),
  constraint event_hash check (hash = sha256('\x00'::bytea || body))
);

create table opening (
  shard   smallint   not null,
  stream  uuid       not null,
  version integer    not null,
  path    text       not null,
  hand    integer    not null,
  "to"    smallint[] not null,
  salt    bytea      not null,
  value   bytea      not null,
  primary key (shard, stream, version, path)
);

create table refusal (
  shard   smallint not null,
  stream  uuid     not null,
  id      uuid     not null,                           -- made by the sender (UUIDv7), so that sending twice writes once
  at      bigint   not null,
  player  text     not null,
  seat    smallint,
  version integer  not null,
  cmd     text     not null,
  status  smallint not null,
  game    text     not null,
  clause  text     not null,
  reason  text     not null,
  body    bytea    not null check (octet_length(body) <= 4096),
  primary key (shard, stream, id)
);

create table match_secret (
  shard  smallint not null,
  stream uuid     not null,
  secret bytea    not null,
  primary key (shard, stream)
);

create table player (
  player text    primary key,
  name   text    not null,
  role   text    not null check (role in ('player', 'arbiter', 'admin')),
  erased boolean not null default false
);

create table token (
  hash   bytea primary key check (octet_length(hash) = 32),
  player text  not null references player
);
create index on token (player);

create table claim (
  player      text  not null,
  key         bytea not null,
  fingerprint bytea not null,
  stream      uuid  not null,
  primary key (player, key)
);

create table server_secret (
  single boolean primary key default true check (single),
  secret bytea   not null
);

insert into shard (shard) select unnest('{0,1,2,3,4,5,6,9,10,11,13,16,24,28,41,52}'::smallint[]);

-- Events and openings are facts: nobody changes them, the owner of the tables included.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of %: what is recorded stays as it is', lower(tg_op), tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger immutable before update or delete on event for each row execute function refuse_change();
create trigger immutable_whole before truncate on event for each statement execute function refuse_change();
create trigger immutable before update or delete on opening for each row execute function refuse_change();
create trigger immutable_whole before truncate on opening for each statement execute function refuse_change();
alter table event enable always trigger immutable;
alter table event enable always trigger immutable_whole;
alter table opening enable always trigger immutable;
alter table opening enable always trigger immutable_whole;

-- Appends the commands of one batch, at most one for each match, and answers each in a row of its own; `ord` says which.
-- A command is accepted if its match is at `p_expected` with the last hash `p_prev`, and refused with the current version
-- otherwise. Arrays beginning with p_ have an element for each command, with e_ for each event, with o_ for each opening;
-- e_k counts the events of a command from 1. The locks are taken in order, in a statement of its own: the next statement
-- then has a snapshot in which everything written under these locks is seen. Needs READ COMMITTED.
create function append(
  p_lock smallint[], p_shard smallint[], p_stream uuid[], p_expected int[], p_prev bytea[], p_n int[], p_last bytea[],
  p_cmd uuid[], p_at bigint[],
  e_ord int[], e_k int[], e_type smallint[], e_schema smallint[], e_body bytea[], e_prev bytea[], e_hash bytea[],
  o_ord int[], o_k int[], o_path text[], o_hand int[], o_to text[], o_salt bytea[], o_value bytea[])
returns table(ord int, ok boolean, version int, pos bigint) language plpgsql as $$
#variable_conflict use_column
begin
  perform from shard s where s.shard = any(p_lock) order by s.shard for no key update;
  return query
  with c as materialized (
    select u.o::int o, u.sh, u.st, u.ex, u.n, u.cm, u.la, u.at, coalesce(s.version, 0) cur,
      coalesce(s.version, 0) = u.ex and coalesce(s.last_hash, '\x') = u.pv ok
    from unnest(p_shard, p_stream, p_expected, p_prev, p_n, p_last, p_cmd, p_at)
      with ordinality u(sh, st, ex, pv, n, la, cm, at, o)
    left join lateral (
      select s.version, s.last_hash from stream s where s.shard = u.sh and s.stream = u.st offset 0) s on true
  ), up as (
    update shard h set head = h.head + t.n
    from (select sh, sum(n) n from c where ok group by sh) t where h.shard = t.sh
    returning h.shard, h.head - t.n as base
  ), a as materialized (
    select c.*, (up.base + sum(c.n) over (partition by c.sh order by c.o) - c.n)::bigint as base
    from c join up on up.shard = c.sh where c.ok
  ), ins as (
    insert into event (shard, stream, version, pos, type, schema, cmd, at, body, prev, hash)
    select a.sh, a.st, a.ex + e.k, a.base + e.k, e.ty, e.sc, a.cm, a.at, e.b, e.p, e.h
    from a join unnest(e_ord, e_k, e_type, e_schema, e_body, e_prev, e_hash) e(o, k, ty, sc, b, p, h) on e.o = a.o
  ), opn as (
    insert into opening (shard, stream, version, path, hand, "to", salt, value)
    select a.sh, a.st, a.ex + o.k, o.pa, o.ha, o.seats::smallint[], o.sa, o.va
    from a join unnest(o_ord, o_k, o_path, o_hand, o_to, o_salt, o_value) o(o, k, pa, ha, seats, sa, va) on o.o = a.o
  ), us as (
    insert into stream (shard, stream, version, last_hash)
    select a.sh, a.st, a.ex + a.n, a.la from a
    on conflict (shard, stream) do update set version = excluded.version, last_hash = excluded.last_hash
  )
  select c.o, c.ok, case when c.ok then c.ex + c.n else c.cur end, a.base + c.n
  from c left join a on a.o = c.o;
end $$;

-- Rights. The service works as `kibitz_app`, which can add events and openings and nothing else to them. Where the
-- migrating user may not create roles, the service works as that user and the triggers alone keep the events.
revoke all on all tables in schema public from public;
revoke execute on function append from public;

do $$
begin
  if not exists (select from pg_roles where rolname = 'kibitz_app') then
    create role kibitz_app nologin;
  end if;
  if not pg_has_role('kibitz_app', 'member') then
    execute format('grant kibitz_app to %I', current_user);
  end if;
exception
  when duplicate_object or unique_violation then null;   -- another database of this server was quicker
  when insufficient_privilege then null;
end $$;

do $$
begin
  if not exists (select from pg_roles where rolname = 'kibitz_app') then
    return;
  end if;
  grant usage on schema public to kibitz_app;
  grant execute on function append to kibitz_app;
  grant select, insert on event, opening, refusal, match_secret, claim, server_secret to kibitz_app;
  grant select, update on shard to kibitz_app;
  grant select, insert, update on stream, player to kibitz_app;
  grant select, insert, delete on token to kibitz_app;
  -- Tables of later migrations, read models among them, are open to the service unless they say otherwise.
  alter default privileges in schema public grant select, insert, update, delete, truncate on tables to kibitz_app;
  alter default privileges in schema public grant usage on sequences to kibitz_app;
end $$;
