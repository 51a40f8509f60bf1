-- What players claim in disputes, and who was shown hidden cards beyond what the rules show by themselves.

-- The event of a dispute has ids and numbers only; what a person wrote stands here, can be forgotten, and goes with the
-- person. A row whose event never came is nobody's case: no reader finds it. Of people, so the table stays whole.
create table dispute (
  dispute uuid     primary key,                        -- the command that opened it
  shard   smallint not null,
  stream  uuid     not null,
  player  text     not null,
  claim   text     not null
);
create index on dispute (player);

create table disclosure (
  shard     smallint not null,
  stream    uuid     not null,
  id        uuid     not null,                         -- made by the sender (UUIDv7)
  at        bigint   not null,                         -- milliseconds since 1970, UTC
  player    text     not null,                         -- who was shown it; empty: somebody without a token
  role      text     not null,
  seat      smallint,                                  -- that player's seat in the match
  operation text     not null,
  first     integer  not null,
  last      integer  not null,
  shown     text     not null,                         -- through whose eyes: a seat or all; opened: of hands that are over
  primary key (shard, stream, player, operation, shown, first, last)
);
create index on disclosure (shard, stream, at, id);

create trigger immutable before update or delete on disclosure for each row execute function refuse_change();
create trigger immutable_whole before truncate on disclosure for each statement execute function refuse_change();
alter table disclosure enable always trigger immutable;
alter table disclosure enable always trigger immutable_whole;

do $$
begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    revoke update, delete, truncate on disclosure from kibitz_app;
    revoke truncate on dispute from kibitz_app;
  end if;
end $$;
