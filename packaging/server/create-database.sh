#!/bin/sh
# Run once by the image of PostgreSQL, when it creates its data folder: Patchbay's role, which is no superuser,
# and its database. Afterwards the superuser has no password, so it can only sign in inside of the container.
set -eu

psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres <<'END'
\getenv password POSTGRES_PASSWORD
\getenv superuser POSTGRES_USER
CREATE ROLE patchbay LOGIN PASSWORD :'password';
CREATE DATABASE patchbay OWNER patchbay;
REVOKE CONNECT ON DATABASE patchbay FROM PUBLIC;
ALTER ROLE :"superuser" PASSWORD NULL;
END
