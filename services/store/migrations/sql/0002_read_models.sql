-- The books of the projections. The tables of the read models themselves belong to the code (each projection has its SQL
-- beside it) and can be made anew from the events at any time; the service makes the first build of each when it starts.

create schema projection;

create table projection.build (
  name    text    not null,
  build   integer not null check (build > 0),
  version integer not null,                              -- of the projection's code
  state   text    not null check (state in ('building', 'live', 'retired')),
  primary key (name, build)
);
create unique index on projection.build (name) where state = 'live';
create unique index on projection.build (name) where state = 'building';

create table projection.checkpoint (
  shard smallint not null,
  name  text     not null,
  build integer  not null,
  pos   bigint   not null check (pos >= 0),              -- everything up to here is in the tables
  primary key (shard, name, build)
) with (fillfactor = 40);

-- Matches with an event that a projection could not take: from `version` on they wait for `unpark`.
create table projection.parked (
  shard   smallint    not null,
  name    text        not null,
  build   integer     not null,
  match   uuid        not null,
  version integer     not null,
  pos     bigint      not null,
  error   text        not null,
  since   timestamptz not null default clock_timestamp(),
  primary key (shard, name, build, match)
);

-- A rebuild makes and drops tables: the service owns this schema.
do $$
declare book text;
begin
  if not exists (select from pg_roles where rolname = 'kibitz_app') or not pg_has_role('kibitz_app', 'member') then
    return;
  end if;
  alter schema projection owner to kibitz_app;
  foreach book in array array['build', 'checkpoint', 'parked'] loop
    execute format('alter table projection.%I owner to kibitz_app', book);
  end loop;
end $$;
