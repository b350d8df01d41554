"""The connection of an app with a browser sign-in, built from its OAuth."""

import pytest

from patchbay.integration import AuthField, Context, instance_url_field, oauth1, oauth2, oauth_auth
from patchbay.integration.oauth import REDIRECT_FIELD, OAuth2


async def _verify(ctx: Context) -> None:
    pass


async def _still(ctx: Context) -> bool:
    return True


def described(**more: str) -> OAuth2:
    """The OAuth of a service; `more` are the keys of its fields."""
    return oauth2(
        authorize_url="https://a.example/authorize",
        token_url="https://a.example/token",
        client_id_field=more.get("client_id", "clientId"),
        client_secret_field=more.get("client_secret", "clientSecret"),
    )


def test_the_fields_are_those_of_the_oauth_after_the_redirect_url_and_the_apps_own():
    oauth = described(client_id="consumerKey", client_secret="consumerSecret")

    auth = oauth_auth(
        oauth,
        _verify,
        _still,
        instance_url_field("Server", "https://forge.example", "Its address."),
        client_id_label="Key",
        stored=("apiDomain",),
    )

    assert [(field.key, field.label) for field in auth.fields] == [
        (REDIRECT_FIELD, "OAuth redirect URL"),
        ("instanceUrl", "Server"),
        ("consumerKey", "Key"),
        ("consumerSecret", "Client secret"),
    ]
    assert auth.fields[1] == AuthField(
        key="instanceUrl",
        label="Server",
        required=True,
        placeholder="https://forge.example",
        description="Its address.",
    )
    assert auth.generate_auth_url == oauth.generate_auth_url
    assert auth.stored == ("apiDomain",)


@pytest.mark.parametrize(("renews", "renewed"), [(True, True), (False, False)])
def test_tokens_are_renewed_unless_the_service_has_lasting_ones(renews, renewed):
    auth = oauth_auth(described(), _verify, _still, renews=renews)

    assert (auth.refresh_token is not None) is renewed


def test_tokens_of_oauth_1_are_never_renewed():
    oauth = oauth1(
        request_token_url="https://a.example/request",
        authorize_url="https://a.example/authorize",
        access_token_url="https://a.example/access",
    )

    assert oauth_auth(oauth, _verify, _still).refresh_token is None
