from patchbay.desktop.kit.actions import Action
from patchbay.desktop.shell.command_palette import match, rank


def action(title: str, group: str = "Actions", hint: str = "") -> Action:
    return Action(title.lower(), title, lambda: None, group=group, hint=hint)


def titles(query: str, *actions: Action, recent: tuple[str, ...] = ()) -> list[str]:
    return [row.title for row in rank(query, actions, recent)]


def test_words_match_in_any_order_and_their_letters_are_known() -> None:
    found = match("task git", "New GitHub issue → Todoist task")

    assert found is not None
    assert found.positions == (4, 5, 6, 27, 28, 29, 30)


def test_the_beginning_of_words_matches_as_initials() -> None:
    assert match("gma", "Go to My Apps") is not None
    assert match("zz", "Go to My Apps") is None
    assert match("ma", "Uptime alert") is None


def test_a_match_at_the_start_comes_first() -> None:
    rows = titles("retry", action("Set how often steps retry"), action("Retry from failed step"))

    assert rows == ["Actions", "Retry from failed step", "Set how often steps retry"]


def test_groups_keep_their_order_and_a_sign_leaves_only_actions() -> None:
    shown = (action("Flow report"), action("Inventory flow", "Flows"))

    assert titles("flow", *shown) == ["Actions", "Flow report", "Flows", "Inventory flow"]
    assert titles(">flow", *shown) == ["Actions", "Flow report"]


def test_what_was_used_last_is_offered_first() -> None:
    assert titles("", action("A"), action("B"), recent=("b",)) == ["Actions", "B", "A"]


def test_a_hint_is_searched_too_but_ranks_lower() -> None:
    rows = titles("appearance", action("Dark colours", hint="Appearance"), action("Appearance"))

    assert rows == ["Actions", "Appearance", "Dark colours"]
