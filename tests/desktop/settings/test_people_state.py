"""People without a widget."""

import pytest
from tests.support.fake_workspace import NOW

from patchbay.desktop.settings.view_models.people import InviteForm, PeopleViewModel, expiry_text
from patchbay.domain.backend import Capabilities, Feature
from patchbay.domain.base import UserId
from patchbay.domain.clock import HOUR_MS
from patchbay.domain.errors import AlreadyTaken, Conflict, Forbidden, NotSupported, Unreachable
from patchbay.domain.people import EDITOR, VIEWER, Invitation


@pytest.fixture
def people(qtbot, around):
    made = PeopleViewModel(around)
    made.load()
    qtbot.waitUntil(lambda: made.people is not None)
    return made


def test_people_roles_and_invitations_are_read(people):
    assert [person.full_name for person in people.people] == ["Anna Lindqvist", "Bora Aydın", "Chidi Okafor"]
    assert [role.name for role in people.roles] == ["Admin", "Editor", "Viewer"]
    assert [item.full_name for item in people.invitations] == ["Dana Mori"]
    assert [key.name for key in people.keys_of(people.people[1])] == ["Build server"]
    assert not people.is_alone


def test_a_role_is_changed(qtbot, people, backend):
    bora = people.people[1]

    people.change_role(bora, VIEWER)
    assert people.busy == {"user-2"}

    qtbot.waitUntil(lambda: backend.users["user-2"].role == VIEWER and people.people[1].role == VIEWER)
    qtbot.waitUntil(lambda: people.busy == frozenset())
    people.change_role(people.people[1], VIEWER)
    assert people.busy == frozenset()
    assert backend.count("update_user") == 1


def test_a_refusal_says_why_and_everything_is_as_it_was(qtbot, people, backend):
    backend.failing["update_user"] = Conflict("Somebody has to be an admin.")

    people.change_role(people.people[0], EDITOR)

    qtbot.waitUntil(lambda: people.command_error is not None)
    assert people.command_error.happened == "Somebody has to be an admin."
    qtbot.waitUntil(lambda: people.people[0].role.is_admin)  # once the people are read again
    assert people.busy == frozenset()


def test_a_user_is_removed_and_a_message_confirms_it(qtbot, people):
    people.remove(people.people[2])

    qtbot.waitUntil(lambda: people.success_message == "Chidi Okafor removed.")
    qtbot.waitUntil(lambda: len(people.people) == 2)


def test_an_invitation_is_withdrawn(qtbot, people):
    people.revoke_invitation(people.invitations[0])

    qtbot.waitUntil(lambda: people.success_message == "Invitation for Dana Mori revoked.")
    qtbot.waitUntil(lambda: people.invitations == ())


def test_the_link_of_an_invitation_goes_to_who_asked_and_is_kept_nowhere(qtbot, around, people):
    form = InviteForm(around)

    with qtbot.waitSignal(form.done) as told:
        form.submit(" Emre Demir ", " emre@example.org ", EDITOR.id)

    made = told.args[0]
    assert (made.full_name, made.email) == ("Emre Demir", "emre@example.org")
    qtbot.waitUntil(lambda: len(people.invitations) == 2)
    assert "token=" in made.accept_invitation_url
    assert "token=" not in repr(vars(form)) + repr(vars(people))


def test_a_form_that_is_not_filled_in_says_what_is_missing(around, backend):
    form = InviteForm(around)

    form.submit("", "emre at example", None)

    assert set(form.field_errors) == {"fullName", "email", "roleId"}
    assert not [name for name, _ in backend.calls if name == "invite"]


def test_a_members_address_is_rejected_at_its_field(qtbot, around, backend):
    backend.failing["invite"] = AlreadyTaken({"email": ["A user with this email address already exists."]})
    form = InviteForm(around)

    form.submit("Bora", "bora@example.org", EDITOR.id)

    qtbot.waitUntil(lambda: bool(form.field_errors))
    assert form.field_errors == {"email": "A user with this email address already exists."}


def test_what_a_service_does_not_tell_is_left_out(qtbot, around, backend):
    for name in ("list_roles", "list_api_keys"):
        backend.failing[name] = NotSupported("Not over this interface.", feature="people")
    made = PeopleViewModel(around)

    made.load()

    qtbot.waitUntil(lambda: made.people is not None)
    assert (made.roles, made.keys, made.error) == ((), (), None)
    assert not made.can_manage


def test_users_who_cannot_see_invitations_manage_no_people(qtbot, around, backend):
    backend.failing["list_invitations"] = Forbidden("This key may only look.")
    backend.capabilities = Capabilities(
        unavailable={Feature.ACCESS: "Only admins.", Feature.PEOPLE: "Only admins."}
    )
    made = PeopleViewModel(around)

    made.load()

    qtbot.waitUntil(lambda: made.people is not None)
    assert not made.can_manage
    assert not [name for name, _ in backend.calls if name == "list_api_keys"]


def test_a_service_that_does_not_answer_is_reported(qtbot, around, backend):
    backend.failing["list_invitations"] = Unreachable("No answer.")
    made = PeopleViewModel(around)

    made.load()

    qtbot.waitUntil(lambda: made.error is not None)
    assert made.people is None


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (60 * HOUR_MS, "Expires in 2 days"),
        (47 * HOUR_MS, "Expires in 47 hours"),
        (HOUR_MS, "Expires in 1 hour"),
        (HOUR_MS // 2, "Expires in less than 1 hour"),
        (0, "Expired"),
    ],
)
def test_how_long_an_invitation_lasts(left, words):
    invitation = Invitation(id=UserId("x"), full_name="Dana", email="d@example.org", expires_at=NOW + left)

    assert expiry_text(invitation, NOW) == words
