"""Help: the documentation that ships with the program, by screen, searched, and without a network."""

import pytest
from PySide6.QtCore import Qt, QUrl
from tests.support.shell import window

from patchbay.desktop.core.navigation import Tab
from patchbay.desktop.kit import theme
from patchbay.desktop.kit.theme import documentation_folder
from patchbay.desktop.settings.pages import SETTINGS_SECTIONS
from patchbay.desktop.shell.help_topics import SETTINGS_PAGES, TAB_PAGES, WELCOME_PAGE
from patchbay.desktop.shell.help_window import HelpWindow
from patchbay.desktop.shell.view_models.help_pages import HelpPage, load_pages, resolve_link, to_html


@pytest.fixture(scope="module")
def pages():
    return load_pages(documentation_folder())


@pytest.fixture
def in_browser() -> list[QUrl]:
    """The addresses that were opened in the browser."""
    return []


@pytest.fixture
def help_window(qtbot, tasks, in_browser):
    made = HelpWindow(documentation_folder(), tasks, in_browser.append)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.path == "index.md")
    return made


def test_every_screen_has_a_page(pages):
    assert set(TAB_PAGES) == set(Tab)
    assert set(SETTINGS_PAGES) == {section.title for section in SETTINGS_SECTIONS}
    for path in (*TAB_PAGES.values(), *SETTINGS_PAGES.values(), WELCOME_PAGE):
        assert pages.page(path) is not None, path


def test_f1_opens_the_page_of_the_screen(qtbot, tasks):
    main = window(tasks)
    qtbot.addWidget(main)
    main.show()
    qtbot.waitUntil(lambda: bool(main.area.views))
    main.area.show_tab(Tab.EXECUTIONS)

    qtbot.keyClick(main, Qt.Key.Key_F1)

    qtbot.waitUntil(lambda: main.help is not None and main.help.path == "guides/run-control.md")
    main.close()
    assert main.help is None


def test_f1_in_the_settings_opens_the_page_of_the_section(qtbot, tasks):
    main = window(tasks)
    qtbot.addWidget(main)
    main.show()
    dialog = main.open_settings("Secrets")
    qtbot.waitUntil(dialog.isActiveWindow)

    qtbot.keyClick(dialog, Qt.Key.Key_F1)

    qtbot.waitUntil(lambda: main.help is not None and main.help.path == "explanation/secrets.md")
    main.close()


def test_the_list_shows_what_is_searched_and_enter_opens_the_first(qtbot, help_window):
    every_page = help_window.list.count()

    qtbot.keyClicks(help_window.search, "cron")
    qtbot.waitUntil(lambda: 0 < help_window.list.count() < every_page)
    assert help_window.list.item(0).text() == "Schedules and cron"
    qtbot.keyClick(help_window.search, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: help_window.path == "reference/cron.md")


def test_the_page_takes_the_colours_of_another_scheme(qtbot, qapp, help_window):
    before = help_window.text.toHtml()

    theme.apply(qapp, "dark", "inter")

    assert help_window.text.toHtml() != before


def test_a_search_without_results_says_so(qtbot, help_window):
    qtbot.keyClicks(help_window.search, "xyzzy")

    qtbot.waitUntil(help_window.empty.isVisible)
    assert help_window.list.count() == 0


def test_links_lead_to_pages_and_others_to_the_browser(qtbot, help_window, in_browser):
    help_window.text.anchorClicked.emit(QUrl("guides/history.md#free-disk-space"))
    qtbot.waitUntil(lambda: help_window.path == "guides/history.md")
    assert help_window.text.verticalScrollBar().value() > 0

    help_window.text.anchorClicked.emit(QUrl("https://example.org/"))
    help_window.text.anchorClicked.emit(QUrl("file:///etc/passwd"))
    help_window.text.anchorClicked.emit(QUrl("../CONTRIBUTING.md"))

    assert [url.toString() for url in in_browser] == ["https://example.org/"]
    assert help_window.path == "guides/history.md"


def test_titles_rank_before_texts(pages):
    assert pages.search("webhooks")[0].title == "Webhooks"
    assert pages.search("") == pages.pages
    assert [page.path for page in pages.pages[:2]] == ["index.md", "get-started/install.md"]


@pytest.mark.parametrize(
    ("page", "link", "target"),
    [
        ("index.md", "guides/history.md", ("guides/history.md", "")),
        ("guides/history.md", "../reference/cli.md#links", ("reference/cli.md", "links")),
        ("guides/history.md", "#free-disk-space", ("guides/history.md", "free-disk-space")),
        ("index.md", "../../../etc/passwd", ("etc/passwd", "")),
    ],
)
def test_links_are_resolved_within_the_documentation(page, link, target):
    assert resolve_link(page, link) == target


def test_headings_get_the_anchors_that_links_use_and_html_is_text():
    html = to_html(HelpPage("a.md", "A", "# A\n\n## What `patchbay serve` does & more\n\n<script>x</script>"))

    assert '<a name="what-patchbay-serve-does--more"></a><h2>' in html
    assert "<script>" not in html
