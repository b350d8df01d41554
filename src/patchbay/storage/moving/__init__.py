"""Moves a whole workspace between an SQLite file and a PostgreSQL database.

`content` says what is copied, `endpoints` what a source and a target can do, `workspace_move` copies and
compares, and `sqlite` and `postgresql` are the two kinds of sources and targets.
"""
