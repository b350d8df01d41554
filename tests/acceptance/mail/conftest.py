"""The mail service for all tests of this folder, and for each test a workspace with both mail apps."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.support.living_flows import open_runtime_with
from tests.support.mail_service import ADA, GRACE, MailService, mail_service
from tests.support.workspace import WorkspaceRuntime


@pytest.fixture(scope="session")
def server() -> Iterator[MailService]:
    with mail_service() as running:
        yield running


@pytest.fixture
async def runtime(tmp_path: Path, server: MailService) -> AsyncIterator[WorkspaceRuntime]:
    for user in (ADA, GRACE):
        server.empty(user)
    opened = await open_runtime_with(tmp_path, "smtp", "imap")
    yield opened
    await opened.close()
