"""Runs users' programs with limits, and isolated if the system supports it.

`Sandbox` finds out once what the computer offers, and runs a `Program`. Also for other rooms and
apps than `apps/code`: whatever starts a program that somebody entered or installed starts it here.
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
