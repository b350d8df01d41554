"""The visible text of HTML."""

import re
from html import unescape
from html.parser import HTMLParser

_HIDDEN = frozenset(("script", "style", "template", "title"))
"""Elements whose text isn't shown. The head has no other text, and its end tag is optional."""
_LINES = frozenset((
    "address", "article", "aside", "br", "dd", "div", "dl", "dt", "footer", "form", "header", "hr", "main",
    "nav", "section", "tr",
))  # fmt: skip
_PARAGRAPHS = frozenset((
    "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul",
))  # fmt: skip
_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"<[^<>]*>")
_EMPTY_LINES = re.compile(r"\n{3,}")


def visible_text(html: str) -> str:
    """The text that a browser shows, with line breaks between blocks."""
    reader = _TextReader()
    reader.feed(html)
    reader.handle_data(unescape(_without_markup(reader.rawdata)))
    lines = (_SPACE.sub(" ", line).strip() for line in "".join(reader.pieces).split("\n"))
    return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()


def escape_unfinished_end(html: str) -> str:
    """The HTML without a tag or comment that has no end. What follows it is text.

    For each further such tag, the parser of the standard library would search up to the end again.
    """
    reader = HTMLParser(convert_charrefs=True)
    reader.feed(html)
    unread = reader.rawdata
    return html[: len(html) - len(unread)] + _without_markup(unread).replace("<", "&lt;")


def _without_markup(unread: str) -> str:
    """The text of what the parser left because its first tag or comment has no end."""
    return "" if unread.startswith(("<!", "<?")) else _TAG.sub(" ", unread)


class _TextReader(HTMLParser):
    """Collects the visible text. `pieces` has line breaks only between blocks."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden_depth = 0
        self._is_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._is_title:  # it has no elements
            return
        self._is_title = tag == "title"
        if tag in _HIDDEN:
            self._hidden_depth += 1
        elif tag in ("td", "th"):
            self.pieces.append(" ")
        elif tag == "li":
            self.pieces.append("\n- ")
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._is_title and tag != "title":
            return
        self._is_title = False
        if tag in _HIDDEN:
            self._hidden_depth = max(0, self._hidden_depth - 1)
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._hidden_depth:
            self.pieces.append(_SPACE.sub(" ", data))

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self.pieces.append("\n\n")
        elif tag in _LINES:
            self.pieces.append("\n")
