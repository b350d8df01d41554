#!/bin/sh
# Installs npm packages with test services for OAuth into .venv/counterparties. Without npm, these
# tests are skipped and listed. Debian 12's node is too old for one of them, so a newer one is installed too.
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
    echo "Couldn't install the OAuth test services from npm; their tests are skipped." >&2
