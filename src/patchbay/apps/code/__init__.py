"""Code: steps that run programs, in separate processes with limits."""

from patchbay.integration import App

from .actions.run_javascript import run_javascript
from .actions.run_python import run_python

app = App(
    name="Code",
    key="code",
    primary_color="#000000",
    description="Run your own JavaScript or Python code.",
    category="Built in",
    keywords=("javascript", "python", "script"),
    actions=[run_javascript, run_python],
)
