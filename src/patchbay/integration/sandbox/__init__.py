"""Runs users' programs with limits, and isolated if the system supports it.

`Sandbox` detects once what the computer supports, and runs a `Program`. Every program that a user
entered or installed is started here, not only those of `apps/code`.
"""

from patchbay.integration.sandbox.processes import KEPT_PRINTED_BYTES, MAX_PRINTED_BYTES, MAX_RESULT_BYTES
from patchbay.integration.sandbox.program import Limits, ProcessResult, Program
from patchbay.integration.sandbox.runner import Sandbox

__all__ = [
    "KEPT_PRINTED_BYTES",
    "MAX_PRINTED_BYTES",
    "MAX_RESULT_BYTES",
    "Limits",
    "ProcessResult",
    "Program",
    "Sandbox",
]
