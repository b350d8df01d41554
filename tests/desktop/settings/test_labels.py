"""Texts that arrive in English, such as roles, have labels that can be translated."""

from pathlib import Path

import pytest

from patchbay.desktop.core.backups import counts_text
from patchbay.desktop.settings.data_page import PLACE_LABELS
from patchbay.desktop.settings.engine_page import isolation_text
from patchbay.desktop.settings.pages import SETTINGS_SECTIONS
from patchbay.desktop.settings.view_models import role_labels
from patchbay.desktop.settings.view_models.sections import SECTION_LABELS
from patchbay.domain.engine import Isolation, IsolationKind
from patchbay.domain.people import ROLES, Role
from patchbay.platform.paths import AppPaths
from patchbay.platform.stored_files import StoredFiles


def test_every_section_has_a_label():
    assert [section.label for section in SETTINGS_SECTIONS] == list(SECTION_LABELS.values())


@pytest.mark.parametrize("role", ROLES)
def test_built_in_roles_have_labels(role):
    labels = (role_labels.LABELS, role_labels.PHRASES, role_labels.DESCRIPTIONS)

    assert all(
        text in known for text, known in zip((role.name, role.name, role.description), labels, strict=True)
    )
    assert role_labels.role_label(role) == role.name
    assert role_labels.role_phrase(role) == role.name.lower()
    assert role_labels.role_description(role) == role.description


def test_roles_of_other_servers_keep_their_names():
    role = Role(id="1", name="Team Lead", description="Leads a team.")

    assert role_labels.role_label(role) == "Team Lead"
    assert role_labels.role_phrase(role) == "team lead"
    assert role_labels.role_description(role) == "Leads a team."


def test_what_is_stored_on_this_computer_has_labels(tmp_path):
    paths = AppPaths.choose(tmp_path)
    paths.data.mkdir(parents=True, exist_ok=True)
    for path in (paths.database, paths.vault, paths.settings, Path(f"{paths.database}.before-2.db")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    for folder in (paths.apps, paths.cache, paths.logs):
        folder.mkdir(parents=True, exist_ok=True)

    titles = {place.title for place in StoredFiles(paths).places()}

    assert titles == set(PLACE_LABELS)


def test_isolation_is_a_sentence_and_what_to_do():
    isolated = Isolation(kind=IsolationKind.BUBBLEWRAP, detail="With its own user.")

    assert isolation_text(isolated) == "Programs are isolated. With its own user."
    assert isolation_text(Isolation(detail="Why.")) == (
        "Programs are not isolated; only admins can run them. Why."
    )


def test_the_contents_of_a_backup_are_counted():
    counts = (("flows", 1), ("connections", 12), ("executions", 20_000), ("notes", 3))

    assert counts_text(counts) == "1 flow, 12 connections, 20,000 executions, 3 notes"
