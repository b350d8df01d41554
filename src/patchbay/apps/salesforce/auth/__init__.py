"""The connection to Salesforce: a sign-in through an external client app of the user's own."""

from patchbay.domain.fields import Option
from patchbay.integration import AuthField, oauth_auth

from .is_still_verified import is_still_verified
from .oauth import oauth
from .verify_credentials import verify_credentials

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

auth = oauth_auth(
    oauth,
    verify_credentials,
    is_still_verified,
    _environment,
    client_id_label="Consumer key",
    client_secret_label="Consumer secret",
    stored=("instanceUrl",),
)
