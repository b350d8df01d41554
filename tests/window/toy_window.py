"""A window with a few controls, some of which are broken: what the crawler must find is known.

Run as a program of its own, with the accessibility bus of its session.
"""

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QMainWindow,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)


class Toy(QMainWindow):
    def __init__(self, data: Path) -> None:
        super().__init__()
        self.setWindowTitle("Toy")
        self._data = data
        self._said = QLabel("Nothing yet")
        inside = QWidget()
        self.setCentralWidget(inside)
        column = QVBoxLayout(inside)
        column.addWidget(self._said)
        for name, act in (
            ("Count", self._count),
            ("Dead", lambda: None),
            ("Crash", self._crash),
            ("Warn", self._warn),
            ("More", self._more),
            ("Ask", self._ask),
        ):
            button = QPushButton(name)
            button.clicked.connect(act)
            column.addWidget(button)
        off = QPushButton("Off")
        off.setEnabled(False)
        column.addWidget(off)

    def _count(self) -> None:
        self._said.setText(f"{self._said.text()}.")

    def _crash(self) -> None:
        self._data.mkdir(exist_ok=True)
        (self._data / "crash-1.txt").write_text("Traceback", encoding="utf-8")
        self._count()

    def _warn(self) -> None:
        print("a warning", file=sys.stderr, flush=True)
        self._count()

    def _more(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Choose").triggered.connect(self._count)
        menu.popup(self.mapToGlobal(self.rect().center()))

    def _ask(self) -> None:
        dialog = QDialog(self)
        dialog.setWindowTitle("Question")
        column = QVBoxLayout(dialog)
        for name in ("Answer", "Silent"):
            button = QPushButton(name, dialog)
            button.setAutoDefault(False)
            column.addWidget(button)
            if name == "Answer":
                button.clicked.connect(dialog.accept)
        dialog.resize(300, 200)
        dialog.open()


if __name__ == "__main__":
    app = QApplication(sys.argv)
    toy = Toy(Path(sys.argv[1]))
    toy.resize(400, 400)
    toy.show()
    sys.exit(app.exec())
