"""Counts what a run of the contract covered, from the names of the tests that passed."""

import re
from collections.abc import Iterable

from tests.support.catalogue.facts import facts

_TEST = re.compile(r"::(?P<test>\w+)\[(?P<case>[^\]]+)\]")


def summary(passed: Iterable[str]) -> str:
    """The line at the end of a run: how many apps, triggers, and actions the tests covered."""
    cases = {(match["test"], match["case"]) for name in passed if (match := _TEST.search(name))}
    defined = {case for test, case in cases if test == "test_an_app_has_the_keys_of_the_facts"}
    triggers = {case for test, case in cases if test == "test_a_trigger_has_the_arguments_of_the_facts"}
    actions = {case for test, case in cases if test == "test_an_action_has_the_arguments_of_the_facts"}
    apps = facts().values()
    return (
        f"Catalogue: {len(defined)} of {len(apps)} apps, "
        f"{len(triggers)} of {sum(len(app['triggers']) for app in apps)} triggers, "
        f"{len(actions)} of {sum(len(app['actions']) for app in apps)} actions covered"
    )
