"""Colours for program text: strings, numbers, keywords, comments. JavaScript and JSON."""

import re

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from patchbay.desktop.ui.kit.theme import theme

_KEYWORDS = (
    r"async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for"
    r"|function|if|import|in|instanceof|let|new|null|of|return|static|switch|this|throw|true|try|typeof"
    r"|undefined|var|void|while|yield"
)
_RULES = (
    ("code_keyword", re.compile(rf"\b(?:{_KEYWORDS})\b")),
    ("code_number", re.compile(r"\b\d+(?:\.\d+)?\b")),
    ("code_string", re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")),
    ("text_tertiary", re.compile(r"(?<!:)//.*$|/\*.*?\*/")),
)


class ScriptHighlighter(QSyntaxHighlighter):
    """Line by line; good enough for the short programs of a step."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: list[tuple[QTextCharFormat, re.Pattern[str]]] = []
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self._formats = []
        for token, pattern in _RULES:
            look = QTextCharFormat()
            look.setForeground(theme().color(token))
            self._formats.append((look, pattern))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for look, pattern in self._formats:
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), look)
