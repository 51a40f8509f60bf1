-- Who people are: tokens that end, accounts by sign-in at an OpenID provider, and who gave whom which role.

-- A token that an older version of the service made, or still makes, lives half a year. The id names it in a list.
alter table token
  add column id      uuid        not null default gen_random_uuid(),
  add column label   text        not null default '',
  add column made    timestamptz not null default clock_timestamp(),
  add column expires timestamptz not null default clock_timestamp() + interval '180 days';
create unique index on token (id);
create index on token (expires);

-- Which player a person is who has signed in. `subject` is a keyed hash of the provider's issuer and subject: nobody
-- reads in it who that is. It goes with the person.
create table account (
  subject bytea       primary key check (octet_length(subject) = 32),
  player  text        not null unique references player,
  made    timestamptz not null default clock_timestamp()
);

-- A sign-in under way. Of state and secret there are hashes only; `taken` is what answers the request again that was
-- the first to finish it, `granted` the player to whom that led, and `how`.
create table sign_in (
  state   bytea       primary key check (octet_length(state) = 32),
  secret  bytea       not null check (octet_length(secret) = 32),
  player  text,                                        -- the guest who began it, to become an account
  begun   timestamptz not null default clock_timestamp(),
  taken   bytea,
  granted text,
  how     text
);
create index on sign_in (begun);

-- Every change of a role, for good.
create table appointment (
  id      uuid        primary key,                     -- made by the sender (UUIDv7)
  at      timestamptz not null default clock_timestamp(),
  by      text        not null,                        -- the admin; empty: an operator, by the command line
  player  text        not null,
  before  text        not null,
  role    text        not null
);

create trigger immutable before update or delete on appointment for each row execute function refuse_change();
create trigger immutable_whole before truncate on appointment for each statement execute function refuse_change();
alter table appointment enable always trigger immutable;
alter table appointment enable always trigger immutable_whole;

revoke all on account, sign_in, appointment from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    grant update (expires) on token to kibitz_app;
    revoke update, delete, truncate on appointment from kibitz_app;
    revoke truncate on account, sign_in from kibitz_app;
  end if;
end $$;
