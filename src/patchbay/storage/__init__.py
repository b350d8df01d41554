"""Tables, migrations, queries and the single writer. The only room that knows SQL."""
