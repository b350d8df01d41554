#!/bin/sh
# Checks the pinned packages for known vulnerabilities, with pip-audit in a separate environment. Needs the JSON
# API of the package index (or api.osv.dev), which CI and some networks can't reach. If the database can't be
# reached, this fails. It is therefore not part of "make lint" or "make test".
#
#     make audit                                  all of constraints.txt
#     sh packaging/audit.sh FILE                  the pins in FILE
set -eu
pins=${1:-constraints.txt}
place=build/audit
python=${PYTHON:-python3}

[ -x "$place/bin/pip-audit" ] || {
    "$python" -m venv "$place"
    PIP_DISABLE_PIP_VERSION_CHECK=1 "$place/bin/python" -m pip install --quiet pip-audit
}
# --strict: a package that could not be checked is a failure, not a pass.
if "$place/bin/pip-audit" --strict --disable-pip --no-deps --progress-spinner off --requirement "$pins"; then
    exit 0
fi
echo "Either a vulnerability is listed above, or the advisory database couldn't be reached (see the first error)." >&2
echo "If it couldn't be reached, the packages were not checked. Run this again on a network that reaches it." >&2
exit 1
