-- What stands in for Citus in a test: its functions refuse what Citus refuses, as far as the catalogue shows it, and write
-- down what they were asked for. Nothing is moved anywhere.

create table pg_dist_partition (logicalrelid regclass primary key, partkey text, colocationid int, partmethod "char");
create table called (at int generated always as identity, what text);

create function create_distributed_table(
  table_name regclass, distribution_column text, distribution_type text default 'hash', colocate_with text default 'default',
  shard_count int default null) returns void language plpgsql security definer set search_path = citus, public as $$
declare found record; beside int;
begin
  if exists (select from pg_dist_partition where logicalrelid = table_name) then
    raise exception 'table "%" is already distributed', table_name;
  end if;
  for found in select i.indexrelid::regclass as name from pg_index i
    where i.indrelid = table_name and i.indisunique and not exists (
      select from pg_attribute a where a.attrelid = table_name and a.attname = distribution_column and a.attnum = any(i.indkey))
  loop
    raise exception 'cannot create constraint on "%": the distribution column is not part of %', table_name, found.name;
  end loop;
  if exists (select from pg_constraint where contype = 'f' and (conrelid = table_name or confrelid = table_name)) then
    raise exception 'cannot create foreign key constraint: relation "%"', table_name;
  end if;
  if coalesce(current_setting('citus.enable_unsafe_triggers', true), 'off') <> 'on'
    and exists (select from pg_trigger where tgrelid = table_name and not tgisinternal) then
    raise exception 'cannot distribute relation "%" because it has triggers', table_name;
  end if;
  if colocate_with not in ('none', 'default') then
    select colocationid into beside from pg_dist_partition where logicalrelid = colocate_with::regclass;
    if beside is null then
      raise exception 'relation % is not distributed', colocate_with;
    end if;
  end if;
  insert into pg_dist_partition values (table_name, distribution_column, coalesce(beside, table_name::oid::int), 'h');
  insert into called (what) values (format('distribute %s by %s with %s in %s', table_name, distribution_column, colocate_with,
    coalesce(shard_count::text, 'as many')));
end $$;

create function create_reference_table(table_name regclass) returns void
language plpgsql security definer set search_path = citus, public as $$
begin
  insert into pg_dist_partition values (table_name, null, 0, 'n');
  insert into called (what) values (format('everywhere %s', table_name));
end $$;

create function truncate_local_data_after_distributing_table(function_name regclass) returns void
language plpgsql security definer set search_path = citus, public as $$
begin
  if exists (select from pg_trigger where tgrelid = function_name and not tgisinternal and tgtype & 32 > 0) then
    raise exception 'a trigger of % refuses to truncate it', function_name;
  end if;
  insert into called (what) values (format('truncate %s', function_name));
end $$;

create function create_distributed_function(
  function_name regprocedure, distribution_arg_name text, colocate_with text default 'default') returns void
language plpgsql security definer set search_path = citus, public as $$
begin
  if not exists (select from pg_proc where oid = function_name and proargnames[1] = distribution_arg_name) then
    raise exception 'cannot distribute the function "%" since its argument % is not there', function_name, distribution_arg_name;
  end if;
  if not exists (select from pg_dist_partition where logicalrelid = colocate_with::regclass) then
    raise exception 'relation % is not distributed', colocate_with;
  end if;
  insert into called (what) values (format('function %s by %s with %s', function_name::oid::regproc, distribution_arg_name, colocate_with));
end $$;

grant usage on schema citus to public;
grant select on pg_dist_partition to public;
