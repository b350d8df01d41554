"""The documentation that ships with the program: its pages, searched and as HTML, without a network."""

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path, PurePosixPath

START = "index.md"
_HEADING = re.compile(r"<(h\d)>(.*?)</\1>")
_TAG = re.compile(r"<[^>]*>")
_LINK = re.compile(r"\]\(([\w./-]+\.md)(?:#[\w-]*)?\)")


@dataclass(frozen=True)
class HelpPage:
    """A page: its path in the documentation, title, and Markdown text."""

    path: str
    title: str
    text: str


@dataclass(frozen=True)
class HelpPages:
    """All pages, in the order of the sections of the start page."""

    folder: Path
    pages: tuple[HelpPage, ...]

    def page(self, path: str) -> HelpPage | None:
        """The page with this path; None if there is none."""
        return next((page for page in self.pages if page.path == path), None)

    def search(self, query: str) -> tuple[HelpPage, ...]:
        """The pages with all words of the query; first those with them in the title. All for no words."""
        words = query.lower().split()
        found = [page for page in self.pages if all(word in page.text.lower() for word in words)]

        def rank(page: HelpPage) -> tuple[bool, int]:
            title, text = page.title.lower(), page.text.lower()
            return not all(word in title for word in words), -sum(text.count(word) for word in words)

        return tuple(sorted(found, key=rank) if words else found)


def load_pages(folder: Path) -> HelpPages:
    """Read all pages. Takes a while: call it in a thread."""
    texts = {
        file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in sorted(folder.rglob("*.md"))
    }
    sections = texts.get(START, "").partition("\n## ")[2]
    linked = [path for path in _LINK.findall(sections) if path in texts]
    paths = dict.fromkeys((*((START,) if START in texts else ()), *linked, *texts))
    return HelpPages(folder, tuple(HelpPage(path, _title(texts[path], path), texts[path]) for path in paths))


def resolve_link(page: str, link: str) -> tuple[str, str]:
    """The path and anchor that a link on a page leads to."""
    target, _, anchor = link.partition("#")
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / target).parts if target else PurePosixPath(page).parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts), anchor


def to_html(page: HelpPage) -> str:
    """The page as HTML, with an anchor at each heading. Takes a while for long pages."""
    from markdown_it import MarkdownIt  # most windows never show a page

    html = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(page.text))
    return _HEADING.sub(lambda found: f'<a name="{_anchor(found[2])}"></a>{found[0]}', html)


def _anchor(heading: str) -> str:
    """The anchor of a heading, as on GitHub."""
    text = unescape(_TAG.sub("", heading)).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def _title(text: str, path: str) -> str:
    first = text.lstrip().partition("\n")[0]
    return first.removeprefix("# ").strip() if first.startswith("# ") else path
