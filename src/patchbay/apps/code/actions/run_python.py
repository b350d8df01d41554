"""The action “Run Python”."""

from patchbay.integration import Action, Context

from ..arguments import interruption_policy, program_arguments
from ..languages import python
from ..programs import run_program

_PRESET = """# inputs["name"] is the value of the row “name”.
return inputs
"""


async def run(ctx: Context) -> None:
    """Run the program with the Python that runs Patchbay; its result becomes the output."""
    await run_program(ctx, python)


run_python = Action(
    key="runPython",
    name="Run Python",
    keywords=(
        "program",
        "script",
        "custom code",
    ),
    description="Runs a program with the Python standard library and outputs what it returns.",
    supports_connections=False,
    runs_programs=True,
    on_interrupted=interruption_policy,
    arguments=program_arguments("python", _PRESET, "Read values from inputs. You can use “await”."),
    run=run,
)
