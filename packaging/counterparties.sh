#!/bin/sh
# Services of the npm registry that tests sign in at, installed into .venv/counterparties. Without npm these
# tests are skipped by name. Debian 12's node is too old for one of them, so a newer one comes with them then.
set -eu
folder=.venv/counterparties
command -v npm >/dev/null 2>&1 || exit 0
if [ -d "$folder/node_modules/oidc-provider" ] && cmp -s packaging/counterparties.json "$folder/wanted.json"; then
    exit 0
fi
mkdir -p "$folder"
cp packaging/counterparties.json "$folder/package.json"
{
    npm install --prefix "$folder" --no-audit --no-fund --no-update-notifier --silent &&
        { node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
            npm install --prefix "$folder" --no-audit --no-fund --no-update-notifier --silent --no-save node@22; }
} >/dev/null 2>&1 && cp packaging/counterparties.json "$folder/wanted.json" ||
    echo "The services that tests sign in at could not be installed; those tests are skipped." >&2
