"""Tables, migrations, queries, and the single writer, on SQLite and on PostgreSQL. Only this package has SQL.

Statements are written with SQLAlchemy Core, which both databases understand. Raw statements are allowed for
what runs once per execution or step (`run_transactions`, `counters`, `seen_events`, `passed_keys`), and for
what Core can't say, such as index hints, recursion over `execution`, and deletion in steps. They use the
subset that both databases share, with placeholders of `driver.Driver`. What has no common form has a `Twin`
beside it, one form per database. Nothing else asks which database it is on.

`Database` is the same for both. Its parts differ: `sqlite_file` and `sqlite_writer`, and `postgresql`.
"""
