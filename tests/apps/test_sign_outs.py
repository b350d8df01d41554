"""How the built-in apps end sign-ins, as their services document it."""

from base64 import b64encode
from pathlib import Path

import httpx
import pytest
from tests.support.catalogue import samples
from tests.support.catalogue.service import SimulatedService, calling

from patchbay import apps
from patchbay.domain.base import AppKey
from patchbay.domain.errors import ThirdPartyError
from patchbay.integration.oauth import OAuth2, oauth2_of
from patchbay.integration.registry import BUILT_IN, load_app

ACCESS, REFRESH = "secret-accessToken-0123456789", "secret-refreshToken-0123456789"
GOOGLE = {
    "gmail",
    "google-calendar",
    "google-docs",
    "google-drive",
    "google-forms",
    "google-sheets",
    "google-tasks",
    "youtube",
}
DOCUMENTED: dict[str, tuple[str, str, dict[str, str]]] = {
    "asana": ("POST https://app.asana.com/-/oauth_revoke", "form", {"token": REFRESH}),
    "discord": ("POST https://discord.com/api/oauth2/token/revoke", "form", {"token": REFRESH}),
    "dropbox": ("POST https://api.dropboxapi.com/2/auth/token/revoke", "token", {}),
    "github": (
        "DELETE https://api.github.com/applications/sample-consumerKey/token",
        "basic",
        {"access_token": ACCESS},
    ),
    "gitlab": ("POST https://gitlab.com/oauth/revoke", "form", {"token": REFRESH}),
    "hubspot": ("POST https://api.hubapi.com/oauth/2026-03/token/revoke", "form", {"token": REFRESH}),
    "notion": ("POST https://api.notion.com/v1/oauth/revoke", "basic", {"token": ACCESS}),
    "pipedrive": ("POST https://oauth.pipedrive.com/oauth/revoke", "basic", {"token": REFRESH}),
    "reddit": ("POST https://www.reddit.com/api/v1/revoke_token", "basic", {"token": REFRESH}),
    "salesforce": ("POST https://login.salesforce.com/services/oauth2/revoke", "none", {"token": REFRESH}),
    "slack": (
        "POST https://slack.com/api/auth.revoke",
        "none",
        {"token": "secret-user-token-0123456789"},
    ),
    "strava": ("POST https://www.strava.com/oauth/deauthorize", "token", {"access_token": ACCESS}),
    "xero": ("POST https://identity.xero.com/connect/revocation", "basic", {"token": REFRESH}),
    "zendesk": ("DELETE https://service.example.com/api/v2/oauth/tokens/current.json", "token", {}),
    **{key: ("POST https://oauth2.googleapis.com/revoke", "none", {"token": REFRESH}) for key in GOOGLE},
}
WITHOUT = {
    "airtable",
    "clickup",
    "disqus",
    "eventbrite",
    "firefly-iii",
    "frappe",
    "gitea",
    "mailchimp",
    "mattermost",
    "miro",
    "spotify",
    "surveymonkey",
    "todoist",
    "typeform",
    "you-need-a-budget",
}
"""Apps whose services have no address for it, or none that their documentation describes clearly."""


def oauth_of(key: str) -> OAuth2 | None:
    app = load_app(AppKey(key), BUILT_IN)
    return oauth2_of(app.auth) if app.auth else None


@pytest.mark.parametrize("key", sorted(DOCUMENTED))
async def test_the_request_is_the_documented_one(key):
    line, authenticated, body = DOCUMENTED[key]
    requests: list[httpx.Request] = []

    def respond(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"ok": True})

    oauth, data = oauth_of(key), {**samples.auth_data(key), "refreshToken": REFRESH}
    assert oauth is not None
    async with calling(SimulatedService(key, respond), data=data) as ctx:
        await oauth.revoke(ctx)

    (sent,) = requests
    client_id, secret = str(data[oauth.client_id_field]), str(data[oauth.client_secret_field])
    login = b64encode(f"{client_id}:{secret}".encode()).decode()
    headers = {"basic": f"Basic {login}", "token": f"Bearer {ACCESS}"}
    client = {"client_id": client_id, "client_secret": secret} if authenticated == "form" else {}
    assert f"{sent.method} {sent.url}" == line
    assert sent.headers.get("authorization") == headers.get(authenticated)
    is_json = "json" in sent.headers.get("content-type", "")
    found = (
        httpx.Response(200, content=sent.content).json()
        if is_json
        else dict(httpx.QueryParams(sent.content.decode()))
    )
    assert found == {**body, **client}


def test_every_app_with_oauth_ends_sign_ins_or_is_known_not_to():
    folder = Path(apps.__file__).parent
    found = {path.parents[1].name: oauth_of(path.parents[1].name) for path in folder.glob("*/auth/oauth.py")}
    found.pop("http")  # its addresses are entered

    assert {key for key, oauth in found.items() if oauth and oauth.revocation} == set(DOCUMENTED)
    assert {key for key, oauth in found.items() if oauth and not oauth.revocation} == WITHOUT


async def test_nothing_is_sent_without_tokens():
    service = SimulatedService("gitlab")
    oauth = oauth_of("gitlab")
    assert oauth is not None
    async with calling(
        service, data={**samples.auth_data("gitlab"), "accessToken": None, "refreshToken": ""}
    ) as ctx:
        await oauth.revoke(ctx)

    assert service.requests == []


async def test_an_expired_access_token_is_renewed_before_it_signs_itself_out():
    service = SimulatedService("dropbox")
    oauth = oauth_of("dropbox")
    assert oauth is not None
    data = {**samples.auth_data("dropbox"), "accessToken": "old", "refreshToken": REFRESH, "expiresAt": 1}
    async with calling(service, data=data) as ctx:
        await oauth.revoke(ctx)

    assert [sent.url.rpartition("/")[2] for sent in service.requests] == ["token", "revoke"]
    assert service.requests[1].headers["authorization"] == f"Bearer {ACCESS}"


async def test_an_error_with_a_success_status_is_an_error():
    oauth = oauth_of("slack")
    assert oauth is not None
    refusal = httpx.Response(200, json={"ok": False, "error": "invalid_auth"})
    async with calling(SimulatedService("slack", lambda request: refusal)) as ctx:
        with pytest.raises(ThirdPartyError, match="invalid_auth"):
            await oauth.revoke(ctx)
