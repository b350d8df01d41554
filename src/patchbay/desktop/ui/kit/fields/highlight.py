"""Colours for program text: strings, numbers, keywords, comments. JavaScript and Python."""

import re

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from patchbay.desktop.ui.kit.theme import theme

_JAVASCRIPT = (
    r"async|await|break|case|catch|class|const|continue|default|delete|do|else|export|extends|false|finally|for"
    r"|function|if|import|in|instanceof|let|new|null|of|return|static|switch|this|throw|true|try|typeof"
    r"|undefined|var|void|while|yield"
)
_PYTHON = (
    r"and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|False|finally|for|from|global"
    r"|if|import|in|is|lambda|match|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield"
)
_QUOTED = r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'"
Rules = tuple[tuple[str, re.Pattern[str]], ...]


def _rules(keywords: str, strings: str, comments: str) -> Rules:
    return (
        ("code_keyword", re.compile(rf"\b(?:{keywords})\b")),
        ("code_number", re.compile(r"\b\d+(?:\.\d+)?\b")),
        ("code_string", re.compile(strings)),
        ("text_tertiary", re.compile(comments)),
    )


_LANGUAGES = {
    "javascript": _rules(_JAVASCRIPT, rf"{_QUOTED}|`(?:\\.|[^`\\])*`", r"(?<!:)//.*$|/\*.*?\*/"),
    "python": _rules(_PYTHON, _QUOTED, r"(?<!\S)#.*$"),
}


class ScriptHighlighter(QSyntaxHighlighter):
    """Line by line; good enough for the short programs of a step."""

    def __init__(self, document: QTextDocument, language: str = "") -> None:
        super().__init__(document)
        self._rules = _LANGUAGES.get(language, _LANGUAGES["javascript"])
        self._formats: list[tuple[QTextCharFormat, re.Pattern[str]]] = []
        self.restyle()

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self._formats = []
        for token, pattern in self._rules:
            look = QTextCharFormat()
            look.setForeground(theme().color(token))
            self._formats.append((look, pattern))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for look, pattern in self._formats:
            for match in pattern.finditer(text):
                self.setFormat(match.start(), match.end() - match.start(), look)
