"""How the client finds out what kind of service answers, and how seldom it asks for that."""

import asyncio
from typing import Any

import pytest
from tests.support.recorded_service import KEY, PAGE, Habits, RecordedService
from tests.support.tiny_service import TinyService

from patchbay.client.remote import RemoteBackend
from patchbay.client.service_adapter import Dialect, InMemoryDialectStore, PersistentDialectStore
from patchbay.domain.backend import Feature
from patchbay.domain.errors import AuthRequired, NotFound, NotSupported, ServerFault, Unreachable
from patchbay.domain.flows import FlowFilter
from patchbay.domain.paging import PageRequest

FIRST = (FlowFilter(), PageRequest())


@pytest.fixture
async def service():
    playing = RecordedService()
    await playing.start()
    yield playing
    await playing.stop()


@pytest.fixture
async def connect():
    opened: list[RemoteBackend] = []

    def _connect(address: str, key: str = KEY, memory: InMemoryDialectStore | None = None) -> RemoteBackend:
        opened.append(RemoteBackend(address, key, dialect_store=memory))
        return opened[-1]

    yield _connect
    for backend in opened:
        await backend.close()


async def _playing(habits: Habits) -> RecordedService:
    playing = RecordedService(habits)
    await playing.start()
    return playing


@pytest.mark.parametrize(
    "typed",
    ["", "/", "//", "/api", "/api/", "/api/v1", "/api/v1/", "/healthcheck", "/api/healthcheck", "/api?a=b#c"],
)
async def test_every_form_of_the_address_leads_to_the_interface(service, connect, typed):
    backend = connect(service.address + typed)

    await backend.open()

    assert (await backend.list_flows(*FIRST)).total == 13


async def test_nothing_is_asked_at_the_start_that_is_not_needed(service, connect):
    await connect(service.base_url).open()
    assert service.asked == ["GET /api/v1/info", "GET /api/v1/flows"]

    service.asked.clear()
    await connect(service.address).open()
    assert service.asked == ["GET /v1/info", "GET /v1/flows", "GET /api/v1/info", "GET /api/v1/flows"]


async def test_what_is_asked_at_the_same_time_waits_for_one_answer(service, connect):
    backend = connect(service.base_url)

    await asyncio.gather(backend.open(), backend.open(), backend.list_apps(), backend.list_users())

    assert service.times("GET /api/v1/info") == 1


async def test_what_was_found_out_is_kept_so_that_the_next_start_asks_once(service, connect):
    memory = InMemoryDialectStore()
    await connect(service.address, memory=memory).open()
    assert memory.dialect == Dialect(base="/api")

    service.asked.clear()
    again = connect(service.address, memory=memory)
    await again.open()
    assert service.asked == ["GET /api/v1/info"]
    assert again.capabilities.reason(Feature.CONNECTIONS)
    assert (await again.list_templates())[0].name == "Feed to phone"


@pytest.mark.parametrize("people", ["/v1", ""])
async def test_people_are_found_with_and_without_v1_and_looked_for_once(connect, people):
    service = await _playing(Habits(people=people))
    memory = InMemoryDialectStore()
    backend = connect(service.address, memory=memory)

    assert [user.full_name for user in await backend.list_users()] == [
        "Aiko Brandt",
        "Jonas Petit",
        "Mara Lindqvist",
    ]
    assert [folder.name for folder in await backend.list_folders()] == ["Invoices", "Invoices", "Warehouse"]
    assert [asked.full_name for asked in await backend.list_invitations()] == ["Noor Idris"]
    assert memory.dialect == Dialect(base="/api", people=people)

    service.asked.clear()
    made = await connect(service.address, memory=memory).create_folder("Cranes", service.state.users[1]["id"])
    assert made.name == "Cranes"
    assert service.asked == [
        "GET /api/v1/info",
        f"POST /api{people}/users/{service.state.users[1]['id']}/folders",
    ]
    await service.stop()


async def test_a_service_without_a_base_is_spoken_to_as_it_is(connect):
    service = await _playing(Habits(base="", people=""))
    backend = connect(service.address)

    assert (await backend.list_flows(*FIRST)).total == 13
    assert service.asked[:2] == ["GET /v1/info", "GET /v1/flows"]
    await service.stop()


async def test_a_service_that_moves_under_a_base_while_it_is_used_is_found_again(service, connect):
    backend = connect(service.address)
    await backend.open()
    backend._adapter.recheck_after = 0

    service.habits = Habits(base="")

    assert (await backend.list_flows(*FIRST)).total == 13
    assert service.asked[-1].startswith("GET /v1/flows?")


async def test_outdated_cached_knowledge_is_detected_again(service, connect):
    memory = InMemoryDialectStore(Dialect(base="", people=""))
    backend = connect(service.address, memory=memory)

    assert len(await backend.list_apps()) == 9
    assert len(await backend.list_users()) == 3

    assert memory.dialect == Dialect(base="/api", people="/v1")


async def test_people_that_moved_are_found_again(service, connect):
    backend = connect(service.base_url, memory=InMemoryDialectStore(Dialect(base="/api", people="")))

    assert len(await backend.list_users()) == 3


async def test_an_answer_that_never_makes_sense_is_not_asked_about_again_and_again(service, connect):
    backend = connect(service.base_url)
    await backend.open()
    service.instead = lambda method, path: (
        (200, {"content-type": "text/html"}, PAGE) if path.endswith("/apps") else None
    )

    for _ in range(3):
        with pytest.raises(ServerFault, match="web page"):
            await backend.list_apps()

    assert service.times("GET /api/v1/apps") == 3
    assert service.times("GET /api/v1/info") == 1


async def test_a_service_that_became_one_of_ours_is_known_as_such(connect):
    def answers(method: str, target: str):
        if target == "/v1/info":
            return 200, {
                "data": {"capabilities": {"unavailable": {"engine": "Not with this key."}}},
                "meta": {},
            }
        return 200, {"data": [], "meta": {"count": 0}}

    service = TinyService(answers=answers)
    await service.start()
    memory = InMemoryDialectStore(Dialect(base="", people=""))
    backend = connect(service.address, memory=memory)

    await backend.open()

    assert backend.capabilities.unavailable == {Feature.ENGINE: "Not with this key."}
    assert memory.dialect == Dialect(base="", ours=True, people="/v1")
    await service.stop()


async def test_a_wrong_key_is_reported_after_one_question_and_a_health_check(service, connect):
    with pytest.raises(AuthRequired, match="rejected the API key"):
        await connect(service.base_url, key="wrong").open()

    assert service.asked == ["GET /api/v1/info", "GET /healthcheck"]


async def test_a_service_without_a_licence_is_distinguished_from_a_wrong_address(connect):
    service = await _playing(Habits(licence=False))
    memory = InMemoryDialectStore()

    with pytest.raises(NotFound, match="No API found at") as refused:
        await connect(service.address, memory=memory).open()

    assert "licence" in refused.value.meaning
    assert memory.dialect is None
    await service.stop()


async def test_an_ordinary_web_site_is_reported_as_such(connect):
    service = await _playing(Habits(base="/somewhere/else"))

    with pytest.raises(ServerFault, match="web page"):
        await connect(service.address).open()

    await service.stop()


async def test_a_service_that_is_away_is_asked_what_it_is_when_it_is_back(service, connect):
    await service.stop()
    backend = connect(service.base_url)
    with pytest.raises(Unreachable):
        await backend.open()

    await service.start()

    assert len(await backend.list_apps()) == 9


async def test_a_service_without_people_says_so_and_that_stays_known(connect):
    service = await _playing(Habits(people="/v7"))
    backend = connect(service.base_url)

    with pytest.raises(NotSupported, match="people or folders"):
        await backend.list_users()

    assert "people or folders" in (backend.capabilities.reason(Feature.PEOPLE) or "")
    await service.stop()


class _Notes:
    """The notes of a `RemoteCache`."""

    answers = None

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}

    async def note(self, name: str) -> str | None:
        return self.notes.get(name)

    async def write_note(self, name: str, text: str) -> None:
        self.notes[name] = text


@pytest.mark.parametrize("spoilt", ["", "not json", '{"base": 7}', "[]"])
async def test_the_dialect_is_noted_with_what_else_is_kept_of_the_service(spoilt):
    notes: Any = _Notes()
    memory = PersistentDialectStore(notes)
    assert await memory.load() is None

    await memory.save(Dialect(base="/api", people="/v1"))
    assert await PersistentDialectStore(notes).load() == Dialect(base="/api", people="/v1")

    notes.notes = dict.fromkeys(notes.notes, spoilt)
    assert await memory.load() is None


async def test_a_service_that_lost_its_licence_is_found_again_when_it_has_one(service, connect):
    backend = connect(service.address)
    await backend.open()
    backend._adapter.recheck_after = 0
    service.habits = Habits(licence=False)

    for _ in range(2):
        with pytest.raises(NotFound):
            await backend.list_apps()

    service.habits = Habits()
    assert len(await backend.list_apps()) == 9
