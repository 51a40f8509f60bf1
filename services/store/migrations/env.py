"""Alembic's entry point: runs the revisions on the connection that ``services.store.migrate`` hands over."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], target_metadata=None)
with context.begin_transaction():
    context.run_migrations()
