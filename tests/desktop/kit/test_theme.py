import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from tests.support.text_contrast import painted_texts

from patchbay.desktop.kit import icons, theme
from patchbay.desktop.kit.dialogs import Dialog
from patchbay.desktop.kit.line_edit import LineEdit
from patchbay.desktop.kit.text import Label
from patchbay.desktop.kit.theme import contrast, raw_tokens, readable, resource
from patchbay.domain.apps import AppInfo
from patchbay.domain.base import AppKey


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("rule", raw_tokens()["contrast"], ids=lambda rule: rule["foreground"])
def test_every_listed_pair_of_colours_keeps_its_contrast(scheme: str, rule: dict[str, Any]) -> None:
    colours = raw_tokens()["color"][scheme]
    front = QColor(colours[rule["foreground"]])

    worst = min(contrast(front, QColor(colours[ground])) for ground in rule["on"])

    assert worst >= rule["required"]
    assert worst == pytest.approx(rule[scheme], abs=0.02)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_placeholders_have_the_contrast_of_a_text(qtbot, qapp: QApplication, scheme: theme.Scheme) -> None:
    theme.apply(qapp, scheme)
    dialog = Dialog(None, "Title")
    qtbot.addWidget(dialog)
    LineEdit("", "Filter flows", dialog)
    dialog.show()

    [painted] = [painted for painted in painted_texts(dialog) if painted.text == "Filter flows"]

    assert painted.colour == theme.tokens_of(scheme).text_tertiary.name()
    assert not painted.too_low


def test_switching_the_scheme_reaches_palette_sheet_and_labels(qapp: QApplication) -> None:
    label = Label("words", "body", "text_secondary")
    dialog = Dialog(None, "Title")
    light = label.palette().color(QPalette.ColorRole.WindowText)

    theme.apply(qapp, "dark")

    assert qapp.palette().color(QPalette.ColorRole.Base) == QColor("#1B1D22")
    assert "#ff1b1d22" in dialog.styleSheet().lower()
    assert label.palette().color(QPalette.ColorRole.WindowText) == QColor("#B3B8C4") != light


def test_system_means_light_where_the_desktop_does_not_say(qapp: QApplication) -> None:
    assert theme.apply(qapp, "system").scheme == "light"


NO_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}</cachedir></fontconfig>"""


@pytest.mark.skipif(sys.platform != "linux", reason="fontconfig is a thing of Linux")
def test_a_system_without_fonts_gets_inter(tmp_path: Path) -> None:
    config = tmp_path / "fonts.conf"
    config.write_text(NO_FONTS.format(folder=tmp_path), "utf-8")
    code = (
        "from PySide6.QtGui import QFontInfo\nfrom PySide6.QtWidgets import QApplication\n"
        "from patchbay.desktop.kit import theme\n"
        "app = QApplication([])\ntheme.apply(app, 'light', 'automatic')\n"
        "print(QFontInfo(app.font()).family(), app.font().pixelSize() == theme.theme().px(13))"
    )

    env = {**os.environ, "FONTCONFIG_FILE": str(config)}
    said = subprocess.check_output([sys.executable, "-c", code], text=True, env=env)

    assert said.splitlines()[-1] == "Inter True"


@pytest.mark.parametrize(
    ("family", "own"),
    [("", False), ("DejaVu Sans", False), ("Sans Serif", False), ("Noto Sans", True), ("Cantarell", True)],
)
def test_a_plain_font_is_not_one_for_windows(family: str, own: bool) -> None:
    assert theme._has_interface_font(family) is own


def test_the_style_sheet_stays_under_two_hundred_lines() -> None:
    assert len(resource("themes", "patchbay.qss").read_text("utf-8").splitlines()) < 200


def test_a_brand_colour_is_moved_until_it_can_be_seen() -> None:
    surface, text = QColor("#FFFFFF"), QColor("#1A1C23")

    assert contrast(readable(QColor("#FFE01B"), on=surface, ratio=3.0, instead_of_black=text), surface) >= 3
    assert readable(QColor("#000000"), on=surface, ratio=3.0, instead_of_black=text) == text


def test_an_app_without_glyph_shows_a_monogram_and_an_icon_keeps_its_colour() -> None:
    app = AppInfo(key=AppKey("desk"), name="Desk", primary_color="#3355FF")

    assert not icons.app_pixmap(app, 16, 2.0).isNull()
    assert icons.pixmap("x", "failure", 16, 2.0).size().width() == 32
    image = icons.pixmap("x", "failure", 16, 1.0).toImage()
    darkest = max((image.pixelColor(x, y) for x in range(16) for y in range(16)), key=QColor.alpha)
    assert darkest.alpha() > 100
    assert abs(darkest.red() - 0xBE) < 6


def test_every_shipped_icon_is_used_and_every_used_one_is_shipped() -> None:
    import re
    from pathlib import Path

    import patchbay

    package = Path(patchbay.__file__).parent
    shipped = {path.stem for path in resource("icons", "lucide").glob("*.svg")}
    asked, quoted = set(), set()
    for path in package.rglob("*.py"):
        code = path.read_text("utf-8")
        quoted |= set(re.findall(r"\"([a-z0-9-]+)(?:\.svg)?\"", code))
        asked |= set(re.findall(r"(?:\bicon=|\bicon\(|IconButton\()\"([a-z0-9-]+)\"", code))
    assert asked - shipped == set()
    assert shipped - quoted == set()
