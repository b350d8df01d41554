"""Tables, migrations, queries, and the single writer. Only this package imports SQL."""
