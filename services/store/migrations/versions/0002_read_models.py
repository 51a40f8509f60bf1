"""The read models: their books, and the first build of every projection that this code has."""

from alembic import op

from projections.registry import PROJECTIONS
from services.builds import found
from services.store.migrate import run_file

revision = "0002"
down_revision = "0001"

_OWNED = """
do $$
declare relation record;
begin
  if not exists (select from pg_roles where rolname = 'kibitz_app') or not pg_has_role('kibitz_app', 'member') then
    return;
  end if;
  -- A rebuild makes and drops tables: the service owns this schema.
  execute 'alter schema projection owner to kibitz_app';
  for relation in select c.oid::regclass as name, c.relkind from pg_class c
                  where c.relnamespace = 'projection'::regnamespace and c.relkind in ('r', 'v') loop
    execute format('alter %s %s owner to kibitz_app', case relation.relkind when 'v' then 'view' else 'table' end,
                   relation.name);
  end loop;
end $$
"""


def upgrade() -> None:
    run_file("0002_read_models.sql")
    for projection in PROJECTIONS.values():
        for statement in found(projection):
            op.execute(statement)
    op.execute(_OWNED)
