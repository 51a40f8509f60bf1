-- What may be forgotten when it is old enough. The service's role has no right to delete any of it but by these
-- functions, and they let nobody delete what is younger than a day, by the clock of the database.

-- Refused attempts at a match, before p_before (milliseconds since 1970). Whoever calls it has seen that the match is settled.
create function forget_refusals(p_shard smallint, p_stream uuid, p_before bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  latest constant bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint - 86400000;
  gone bigint;
begin
  delete from refusal r where r.shard = p_shard and r.stream = p_stream and r.at < least(p_before, latest);
  get diagnostics gone = row_count;
  return gone;
end $$;

-- Keys by which matches and guests were made, of which the id is below p_before: ids begin with the time. At most p_most.
-- The service's own players (bots, the demo: their ids are UUIDs made from names) keep theirs, by which they find their
-- tables again.
create function forget_claims(p_before uuid, p_most integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  latest constant text := lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint - 86400000), 12, '0');
  gone bigint;
begin
  delete from claim c using (
    select o.player, o.key from claim o
    where o.stream < least(p_before, (latest || repeat('0', 20))::uuid)
      and substr(o.player, 15, 1) <> '5'
    limit p_most
  ) old where c.player = old.player and c.key = old.key;
  get diagnostics gone = row_count;
  return gone;
end $$;

-- What a person tried that the rules did not allow stays, with clause, seat and time; the words of it go with the person.
create index on refusal (player) where body <> '';
create function forget_attempts(p_player text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update refusal set body = '' where player = p_player and body <> '';
$$;

revoke execute on function forget_refusals, forget_claims, forget_attempts from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'kibitz_app') then
    grant execute on function forget_refusals, forget_claims, forget_attempts to kibitz_app;
  end if;
end $$;
