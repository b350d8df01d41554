"""The workspace in a PostgreSQL database: connections, schema, writer, readers, and upkeep."""
