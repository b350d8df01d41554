"""Draw the icon in the sizes and formats that systems without support for SVG use: pictures.py SVG FOLDER.

On Windows, the folder gets `patchbay.ico`; elsewhere, pictures in the layout of icon themes.
"""

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer


def draw(svg: str, size: int, file: Path) -> None:
    """Save the icon in this size, in the format of the file's name."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(svg).render(painter)
    painter.end()
    file.parent.mkdir(parents=True, exist_ok=True)
    if not image.save(str(file)):
        raise SystemExit(f"{file} couldn't be written.")


if __name__ == "__main__":
    source, folder = sys.argv[1], Path(sys.argv[2])
    if sys.platform == "win32":
        draw(source, 256, folder / "patchbay.ico")
    else:
        for size in (16, 32, 48, 128, 256, 512):
            draw(source, size, folder / f"{size}x{size}" / "apps" / "patchbay.png")
