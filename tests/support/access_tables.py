"""The table of operations in docs/reference/permissions.md, made from the declarations.

Run as a program, this writes it.
"""

from pathlib import Path

from patchbay.domain.access import Audience
from patchbay.domain.backend import OPERATION_RULES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "permissions.md"
BEGIN, END = "<!-- operations -->\n", "<!-- /operations -->\n"
STARTS_BEGIN, STARTS_END = "<!-- starts -->\n", "<!-- /starts -->\n"


def table() -> str:
    """One row for each scope and bound, with the operations it holds."""
    rows: dict[tuple[str, Audience], list[str]] = {}
    for name, rule in OPERATION_RULES.items():
        rows.setdefault((rule.scope.value, rule.audience), []).append(f"`{name}`")
    order = sorted(
        rows, key=lambda row: (["read", "operate", "admin"].index(row[0]), list(Audience).index(row[1]))
    )
    head = "| scope | audience | operations |\n|---|---|---|\n"
    return head + "".join(
        f"| `{scope}` | {bound.value} | {', '.join(sorted(rows[scope, bound]))} |\n" for scope, bound in order
    )


def written() -> str:
    """The table as the page has it."""
    return _between(BEGIN, END)


def starts() -> dict[str, list[str]]:
    """The cells of each row of "Who may start what", by the first one."""
    rows = [line.strip("|\n ").split(" | ") for line in _between(STARTS_BEGIN, STARTS_END).splitlines()[2:]]
    return {cells[0]: cells[1:] for cells in rows}


def _between(begin: str, end: str) -> str:
    return PAGE.read_text("utf-8").partition(begin)[2].partition(end)[0]


def write() -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    write()
