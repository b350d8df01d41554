#!/bin/sh
# Asks for known advisories of the pinned packages, with pip-audit in an environment of its own. Needs the JSON
# interface of the package index (or api.osv.dev), which neither CI nor every network reaches: where nothing can be
# asked this says so and fails, instead of finding nothing. Not a part of "make lint" or "make test" therefore.
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
# --strict: a package that could not be asked about is a failure, not a pass.
if "$place/bin/pip-audit" --strict --disable-pip --no-deps --progress-spinner off --requirement "$pins"; then
    exit 0
fi
echo "Either an advisory is listed above, or the advisory database could not be asked: see the first error." >&2
echo "Without it nothing is known about advisories. Run this again where the network reaches it." >&2
exit 1
