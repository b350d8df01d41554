"""Every built-in app has a category of the list."""

import pytest

from patchbay.integration.app_categories import CATEGORIES
from patchbay.integration.registry import AppRegistry, built_in_apps

APPS = AppRegistry(built_in_apps())


@pytest.mark.parametrize("key", [app.key for app in APPS.infos()])
def test_an_app_has_a_known_category(key):
    assert APPS.get(key).category in CATEGORIES, "choose one of integration/app_categories.py"


def test_the_categories_are_sorted_and_none_is_listed_twice():
    assert sorted({*CATEGORIES}, key=str.casefold) == [*CATEGORIES]
