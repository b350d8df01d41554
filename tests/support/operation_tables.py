"""The tables of docs/reference/http-api.md, made from the description; run as a program, this writes them."""

from pathlib import Path

from tests.support.described import description

from patchbay.server.openapi_operations import iter_operations

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http-api.md"
BEGIN, END = "<!-- operations -->\n", "<!-- /operations -->\n"


def tables() -> str:
    """One table per tag: address, scope of the key, what it does."""
    spec = description()
    rows_of: dict[str, list[str]] = {tag["name"]: [] for tag in spec["tags"]}
    for path, method, operation in iter_operations(spec):
        if not operation["operationId"].endswith("WithoutVersion"):
            rows_of[operation["tags"][0]].append(_row(path, method, operation))
    head = "| operation | scope | |\n|---|---|---|\n"
    chapters = {tag.capitalize().replace("Api ", "API "): "".join(rows) for tag, rows in rows_of.items()}
    return "\n".join(f"### {title}\n\n{head}{rows}" for title, rows in chapters.items())


def _row(path: str, method: str, operation: dict) -> str:
    scope = operation["security"][0]["ApiKeyAuth"][0] if "security" in operation else "none"
    words = " ".join(operation["description"].split("\n\n")[0].split())
    return f"| `{method.upper()} {path}` | {scope} | {words} |\n"


def written() -> str:
    """The tables as the page has them."""
    return PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def write() -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + tables() + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    write()
