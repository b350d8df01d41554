"""Run by Alembic for each upgrade, on the connection that opened the file and inside its transaction."""

from alembic import context

from patchbay.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
