"""Known servers: what is stored about each and where, and that removing one deletes all of it."""

import asyncio
import hashlib
import ssl
import tomllib

import pytest
from tests.support.certificates import write_self_signed
from tests.support.tiny_service import TinyProxy, TinyService

from patchbay.bootstrap.known_servers import KnownServers, Leftovers
from patchbay.domain.errors import AuthRequired, Unreachable
from patchbay.domain.remote_options import RemoteOptions, UntrustedCertificate, parse_remote_options
from patchbay.platform.paths import AppPaths
from patchbay.platform.settings import SettingsFile
from patchbay.service.key_stores import MemoryKeyStore

KEY = "very-secret-key"


@pytest.fixture
def paths(tmp_path):
    return AppPaths.choose(tmp_path)


@pytest.fixture
def keys():
    return MemoryKeyStore()


@pytest.fixture
async def service():
    running = TinyService()
    await running.start()
    yield running
    await running.stop()


def _known(paths, keys):
    settings = SettingsFile(paths.settings)
    return KnownServers(paths, settings, keys), settings


async def _added(paths, keys, address, options=None):
    known, settings = _known(paths, keys)
    connected = await known.connect(address, KEY, options)
    known.add(connected)
    settings.save()
    await connected.close()


async def test_the_window_shows_the_fingerprint_and_pins_it_on_request(paths, keys, tmp_path):
    write_self_signed(tmp_path, "flows.example.org")
    service = TinyService(tmp_path, "flows.example.org")
    await service.start()
    known, _ = _known(paths, keys)
    with pytest.raises(UntrustedCertificate) as refused:
        await known.connect(service.address, KEY, RemoteOptions())
    der = ssl.PEM_cert_to_DER_cert((tmp_path / "flows.example.org.pem").read_text())
    assert refused.value.certificate.fingerprint == hashlib.sha256(der).hexdigest()

    pinned = RemoteOptions(pinned_sha256=refused.value.certificate.fingerprint)
    await _added(paths, keys, service.address, pinned)

    again, _ = _known(paths, keys)
    opened = await again.open(service.address)
    assert await opened.list_apps() == ()
    assert again.network() == {service.address: pinned}
    await opened.close()
    await service.stop()


async def test_no_secret_is_in_any_file(paths, keys, service, tmp_path):
    proxy = TinyProxy("ada", "p@ssword")
    await proxy.start()
    address = proxy.address.replace("://", "://ada:p%40ssword@")

    await _added(paths, keys, service.address, parse_remote_options(proxy=address))

    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"//ada@" in written
    assert not any(secret in written for secret in (b"p@ssword", b"p%40ssword", KEY.encode()))
    known, _ = _known(paths, keys)
    opened = await known.open(service.address)
    assert await opened.list_apps() == ()
    assert "p@ssword" not in repr(known.network())
    await opened.close()
    await proxy.stop()


async def test_a_password_in_the_settings_file_is_moved_to_the_keyring(paths, keys, service):
    proxy = TinyProxy("ada", "p@ssword")
    await proxy.start()
    await _added(paths, keys, service.address)
    _, settings = _known(paths, keys)
    settings.value.remotes[service.address].proxy = proxy.address.replace("://", "://ada:p%40ssword@")
    settings.save()

    known, _ = _known(paths, keys)
    opened = await known.open(service.address)

    assert "p%40ssword" not in paths.settings.read_text()
    assert await opened.list_apps() == ()
    await opened.close()
    again, _ = _known(paths, keys)
    opened = await again.open(service.address)
    assert await opened.list_apps() == ()
    await opened.close()
    await proxy.stop()


async def test_options_of_a_newer_program_survive(paths, keys, service):
    paths.settings.write_text(f'[remotes."{service.address}"]\nproxy = "none"\nsocks = "new"\n')

    await _added(paths, keys, service.address, RemoteOptions(proxy="none"))

    kept = tomllib.loads(paths.settings.read_text())["remotes"][service.address]
    assert kept == {"proxy": "none", "socks": "new"}


async def test_with_an_empty_key_the_one_that_is_kept_is_used(paths, keys, service):
    known, _ = _known(paths, keys)
    with pytest.raises(AuthRequired):
        await known.connect(service.address, "", None)
    await _added(paths, keys, service.address)

    connected = await known.connect(service.address, "", RemoteOptions(proxy="none"))

    assert connected.options.proxy == "none"
    await connected.close()


async def test_nothing_is_left_of_a_service_that_is_forgotten(paths, keys, service):
    options = parse_remote_options(proxy="none")
    await _added(paths, keys, service.address, options)
    known, settings = _known(paths, keys)
    opened = await known.open(service.address)
    await opened.list_apps()
    await opened.close()
    assert list(paths.services.iterdir()) != []

    known.remove_from_settings(service.address)
    assert await known.delete_data(service.address) == Leftovers()
    settings.save()

    assert list(paths.services.iterdir()) == []
    assert await keys.get(f"api-key:{service.address}") is None
    assert service.address not in paths.settings.read_text()


async def test_it_is_asked_only_once_what_a_service_is(paths, keys, service):
    await _added(paths, keys, service.address)
    asked = len(service.heads)

    known, _ = _known(paths, keys)
    for _ in range(2):
        await (await known.open(service.address)).close()

    assert len(service.heads) - asked <= 2


async def test_a_known_offline_server_opens_from_its_cache_but_a_new_one_cannot_be_added(
    paths, keys, service
):
    await _added(paths, keys, service.address)
    known, _ = _known(paths, keys)
    await service.stop()

    opened = await known.open(service.address)
    assert (await opened.info()).offline_since is not None
    await opened.close()
    with pytest.raises(Unreachable):
        await known.connect(service.address, KEY, None)


async def test_commands_do_not_take_old_answers_for_new_ones(paths, keys, service):
    await _added(paths, keys, service.address)
    known, _ = _known(paths, keys)
    await service.stop()

    with pytest.raises(Unreachable):
        await known.open(service.address, for_command=True)


async def test_one_service_may_be_open_twice(paths, keys, service):
    await _added(paths, keys, service.address)
    known, _ = _known(paths, keys)
    first, second = await known.open(service.address), await known.open(service.address)

    found = await asyncio.gather(*(opened.list_apps() for opened in (first, second, first, second)))

    assert found == [()] * 4
    await first.close()
    await second.close()
