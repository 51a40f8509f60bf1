-- Which processes work on this database, and who has a stream open at which match in them: so that they can share the
-- work out, and say who is there. Neither is needed to know what happened; both may be empty after a crash.

create unlogged table process (
  id   uuid        primary key,
  seen timestamptz not null                              -- by the clock of the database
);

create unlogged table presence (
  match   uuid    not null,
  process uuid    not null,
  player  text    not null,                              -- empty: those who have no seat, counted together
  streams integer not null check (streams > 0),
  primary key (match, process, player)
);
create index on presence (process);
