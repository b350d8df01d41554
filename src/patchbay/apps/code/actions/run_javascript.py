"""The action “Run JavaScript”."""

from patchbay.integration import Action, Context

from ..arguments import interruption_policy, program_arguments
from ..languages import javascript
from ..programs import run_program

_PRESET = """// inputs.name is the value of the row “name”.
return inputs;
"""


async def run(ctx: Context) -> None:
    """Run the program with Node.js; its result becomes the output."""
    await run_program(ctx, javascript)


run_javascript = Action(
    key="runJavascript",
    name="Run JavaScript",
    keywords=(
        "program",
        "script",
        "node",
        "custom code",
    ),
    description="Runs a program with Node.js and outputs what it returns. Node.js must be installed.",
    supports_connections=False,
    runs_programs=True,
    on_interrupted=interruption_policy,
    arguments=program_arguments(
        "javascript", _PRESET, "Read values from inputs. You can use “await” and “require”."
    ),
    run=run,
)
