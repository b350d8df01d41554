"""Commands with a server: network options are given as arguments, secrets never."""

import hashlib
import ssl

import pytest
from tests.support.certificates import write_self_signed
from tests.support.tiny_service import TinyService

from patchbay.cli import workspaces
from patchbay.cli.parser import parse
from patchbay.domain.errors import ValidationFailed
from patchbay.domain.remote_options import UntrustedCertificate
from patchbay.platform.paths import AppPaths
from patchbay.service.key_stores import MemoryKeyStore


@pytest.fixture
async def service(tmp_path):
    write_self_signed(tmp_path, "flows.example.org")
    running = TinyService(tmp_path, "flows.example.org")
    await running.start()
    yield running
    await running.stop()


@pytest.fixture
async def apps(service, tmp_path, monkeypatch):
    keys = MemoryKeyStore()
    await keys.set(f"api-key:{service.address}", "very-secret-key")
    monkeypatch.setattr(workspaces, "SystemKeyring", lambda: keys)

    async def listed(*words):
        options = parse(["--workspace", service.address, *words, "app", "list"])
        async with workspaces.open_workspace_for(options, AppPaths.choose(tmp_path), engine=False) as backend:
            return await backend.list_apps()

    return listed


async def test_a_pinned_certificate_or_the_file_of_its_authority_lets_a_command_in(apps, tmp_path):
    file = tmp_path / "flows.example.org.pem"
    pin = hashlib.sha256(ssl.PEM_cert_to_DER_cert(file.read_text())).hexdigest()
    with pytest.raises(UntrustedCertificate):
        await apps()

    assert await apps("--pin-sha256", pin) == ()
    with pytest.raises(UntrustedCertificate):
        await apps("--ca-file", str(file))  # it is made out for another name


async def test_the_password_of_a_proxy_is_refused_on_the_command_line(apps, service):
    with pytest.raises(ValidationFailed, match="passed as an argument"):
        await apps("--proxy", "http://ada:secret@127.0.0.1:1")

    assert service.connections == 0
