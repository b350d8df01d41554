"""What the apps for translations, documents, images, and searches do besides the contract."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from patchbay.domain.base import AppKey, Json
from patchbay.domain.errors import ThirdPartyError, ValidationFailed
from patchbay.integration.context import collect_items
from patchbay.integration.registry import BUILT_IN, load_app
from patchbay.integration.trial import ResponseSpec, Trial

KEY = "key-0123456789"
IMAGE = b64encode(b"image").decode()


def trial_of(key: str, data: dict[str, Json], answer: ResponseSpec = (200, {})) -> Trial:
    """The app with a service that always responds with `answer`."""
    return Trial(load_app(AppKey(key), BUILT_IN), {"screenName": "Mine", **data}, otherwise=answer)


@pytest.mark.parametrize(
    ("key", "host"),
    [(f"{KEY}:fx", "api-free.deepl.com"), (KEY, "api.deepl.com"), (f"{KEY}:fx ", "api-free.deepl.com")],
)
async def test_deepl_keys_are_sent_to_the_address_of_their_plan(key: str, host: str):
    trial = trial_of("deepl", {"authenticationKey": key}, (200, {"translations": []}))

    await trial.verify()
    assert [sent.host for sent in trial.requests] == [host]

    await trial.action("translateText", text="{text}", targetLanguage="DE")
    assert trial.requests[0].host == host
    assert trial.requests[0].body == b"text=%7Btext%7D&target_lang=DE"


async def test_libretranslate_works_without_a_key_and_without_an_own_instance():
    trial = trial_of("libretranslate", {"instanceUrl": "", "apiKey": ""}, (200, [{"language": "en"}]))

    assert await trial.action("detectLanguage", text="Hello") == {"language": "en"}
    assert trial.requests[0].host == "libretranslate.com"
    assert trial.requests[0].json == {"q": "Hello"}


@pytest.mark.parametrize(
    "image",
    [
        IMAGE,
        f"data:image/png;base64,{IMAGE}",
        {"filename": "a.png", "base64": IMAGE},
        [{"name": "a", "base64": IMAGE}],
    ],
)
async def test_an_image_can_be_base64_or_a_file_of_an_earlier_step(image: Any):
    trial = trial_of("removebg", {"apiKey": KEY}, (200, {"data": {"result_b64": IMAGE}}))

    output = await trial.action("removeImageBackground", imageFileB64=image, size="auto", outputFormat="png")

    assert output == {"data": {"result_b64": IMAGE}}
    assert trial.requests[0].json == {"image_file_b64": IMAGE, "size": "auto", "format": "png"}
    assert trial.requests[0].headers["accept"] == "application/json"


@pytest.mark.parametrize("image", ["", None, "not base64!", [IMAGE, {"name": "a", "base64": IMAGE}]])
async def test_what_is_not_one_file_is_rejected_before_it_is_sent(image: Any):
    trial = trial_of("removebg", {"apiKey": KEY})

    with pytest.raises(ValidationFailed) as caught:
        await trial.action("removeImageBackground", imageFileB64=image)

    assert [*caught.value.by_field] == ["imageFileB64"]
    assert trial.requests == []


async def test_a_key_that_brave_calls_invalid_is_rejected_credentials():
    answer = {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID", "detail": "The subscription token is invalid."}}
    trial = trial_of("brave-search", {"apiKey": KEY}, (422, answer))

    with pytest.raises(ThirdPartyError) as caught:
        await trial.verify()

    assert caught.value.rejects_credentials
    assert "API key" in caught.value.meaning


async def test_other_errors_of_brave_are_no_rejected_credentials():
    trial = trial_of("brave-search", {"apiKey": KEY}, (422, {"error": {"detail": "The query is too long."}}))

    with pytest.raises(ThirdPartyError) as caught:
        await trial.verify()

    assert not caught.value.rejects_credentials


async def test_an_error_that_carbone_sends_with_a_success_status_fails_the_step():
    trial = trial_of("carbone", {"apiKey": KEY}, (200, {"success": False, "error": "Unsupported format"}))

    with pytest.raises(ThirdPartyError, match="Unsupported format"):
        await trial.action("addTemplate", templateData=IMAGE)


async def test_data_of_a_document_is_sent_as_entered():
    trial = trial_of("pdfmonkey", {"apiKey": KEY}, (201, {"document": {"id": "d1"}}))
    rows: list[Json] = [{"documentDataKey": "name", "documentDataValue": "Ada"}, {"documentDataKey": ""}]
    metadata: list[Json] = [{"metaDataKey": "order", "metaDataValue": "7"}]

    await trial.action(
        "generateDocument",
        templateId="t1",
        useCustomJsonStructure="false",
        documentData=rows,
        metaData=metadata,
        customFilename="a.pdf",
    )

    assert trial.requests[0].json == {
        "document": {
            "document_template_id": "t1",
            "status": "pending",
            "payload": {"name": "Ada"},
            "meta": {"order": "7", "_filename": "a.pdf"},
        }
    }


@pytest.mark.parametrize("data", ['{"lines": [1, 2]}', {"lines": [1, 2]}])
async def test_data_of_a_document_can_be_json(data: Json):
    trial = trial_of("pdfmonkey", {"apiKey": KEY}, (201, {"document": {"id": "d1"}}))

    await trial.action(
        "generateDocument", templateId="t1", useCustomJsonStructure=True, customJsonPayload=data
    )

    assert trial.requests[0].json["document"]["payload"] == {"lines": [1, 2]}


@pytest.mark.parametrize("data", ["", "[1]", "{", None])
async def test_data_that_is_no_json_object_is_rejected(data: Json):
    trial = trial_of("pdfmonkey", {"apiKey": KEY})

    with pytest.raises(ValidationFailed) as caught:
        await trial.action("generateDocument", useCustomJsonStructure=True, customJsonPayload=data)

    assert [*caught.value.by_field] == ["customJsonPayload"]
    assert trial.requests == []


@pytest.mark.parametrize(
    ("templates", "filter_sent", "found"),
    [([], None, ["d1", "d2", "d3"]), (["t1"], "t1", ["d1", "d3"]), (["t1", "t2"], None, ["d1", "d2", "d3"])],
)
async def test_documents_of_one_template_are_filtered_by_the_service(
    templates: list[str], filter_sent: str | None, found: list[str]
):
    cards = [
        {"id": f"d{number}", "document_template_id": template}
        for number, template in ((1, "t1"), (2, "t2"), (3, "t1"))
    ]
    trial = trial_of(
        "pdfmonkey", {"apiKey": KEY}, (200, {"document_cards": cards, "meta": {"next_page": None}})
    )
    rows: list[Json] = [{"templateId": template} for template in templates]

    items = await trial.trigger("documentsGenerated", workspaceId="w1", templateIds=rows)

    assert [item.internal_id for item in items] == found
    assert trial.requests[0].query.get("q[document_template_id]") == filter_sent


async def test_documents_are_found_after_known_ones_until_a_page_has_no_new_ones():
    def page(ids: str, following: int) -> ResponseSpec:
        cards = [{"id": one, "document_template_id": "t1"} for one in ids]
        return 200, {"document_cards": cards, "meta": {"next_page": following}}

    pages = {None: page("ab", 2), "2": page("cd", 3), "3": page("ef", 4)}
    service = PagedService(load_app(AppKey("pdfmonkey"), BUILT_IN), {"apiKey": KEY})
    service.pages = pages

    assert await service.new_documents(known="acd") == ["b"]
    assert len(service.requests) == 2


class PagedService(Trial):
    """A service that sends its list in pages."""

    pages: dict[str | None, ResponseSpec]

    def _respond(self, request: httpx.Request) -> httpx.Response:
        status, document = self.pages[request.url.params.get("page[number]")]
        super()._respond(request)
        return httpx.Response(status, json=document)

    async def new_documents(self, known: str) -> list[str | None]:
        """The IDs that the trigger reports if it has reported the ones in `known`."""

        async def find_seen_ids(internal_ids: Sequence[str]) -> frozenset[str]:
            return frozenset(internal_ids) & frozenset(known)

        trigger = next(one for one in self.app.triggers if one.key == "documentsGenerated")
        assert trigger.run is not None
        async with self.context({"workspaceId": "w1"}) as ctx:
            ctx.find_seen_ids = find_seen_ids
            return [item.internal_id for item in await collect_items(trigger.run, ctx)]
