"""Draw the icon in the sizes that menus without support for SVG use: pictures.py SVG FOLDER."""

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

for size in (48, 128, 256):
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(sys.argv[1]).render(painter)
    painter.end()
    file = Path(sys.argv[2]) / f"{size}x{size}" / "apps" / "patchbay.png"
    file.parent.mkdir(parents=True)
    if not image.save(str(file)):
        raise SystemExit(f"{file} couldn't be written.")
