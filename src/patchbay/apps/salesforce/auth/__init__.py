"""The connection to Salesforce: a sign-in through an external client app of the user's own."""

from patchbay.domain.fields import Option
from patchbay.integration import Auth, AuthField, oauth_fields

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

_redirect, _consumer_key, _consumer_secret = oauth_fields(
    client_id="consumerKey",
    client_secret="consumerSecret",
    client_id_label="Consumer key",
    client_secret_label="Consumer secret",
)
_environment = AuthField(
    key="oauth2Url",
    label="Environment",
    type="dropdown",
    required=True,
    value="https://login.salesforce.com/services/oauth2",
    options=(
        Option(label="Production", value="https://login.salesforce.com/services/oauth2"),
        Option(label="Sandbox", value="https://test.salesforce.com/services/oauth2"),
    ),
)

auth = Auth(
    fields=(_redirect, _environment, _consumer_key, _consumer_secret),
    generate_auth_url=oauth.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    refresh_token=oauth.refresh_token,
    stored=("instanceUrl",),
)
