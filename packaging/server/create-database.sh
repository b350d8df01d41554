#!/bin/sh
# Run once by the image of PostgreSQL, when it creates its data folder: Patchbay's role, which is no superuser,
# and its database. Afterwards the superuser has no password, so it can only sign in inside of the container.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'END'
\set VERBOSITY terse
-- Keeps the statements, which contain the password, out of the log, also if one of them fails.
SET log_min_error_statement = 'panic';
SET log_statement = 'none';
SET log_min_duration_statement = -1;
SET log_duration = off;
\getenv password POSTGRES_PASSWORD
\getenv superuser POSTGRES_USER
CREATE ROLE patchbay LOGIN PASSWORD :'password';
CREATE DATABASE patchbay OWNER patchbay;
REVOKE CONNECT ON DATABASE patchbay FROM PUBLIC;
ALTER ROLE :"superuser" PASSWORD NULL;
END
