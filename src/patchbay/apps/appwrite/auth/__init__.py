"""The connection to Appwrite: the server, a project, and an API key of the project."""

from patchbay.integration import Auth, AuthField, api_key_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

project_id = AuthField(
    key="projectId",
    label="Project ID",
    required=True,
    description="Find it in the project's settings.",
    secret=False,
)

instance_url = AuthField(
    key="instanceUrl",
    label="Instance URL",
    value="https://cloud.appwrite.io",
    description="The address of your server or region, such as https://fra.cloud.appwrite.io.",
)

host = AuthField(
    key="host",
    label="Host name",
    placeholder="cloud.appwrite.io",
    description="Not needed: requests go to the host of the instance URL.",
)

auth = Auth(
    fields=(
        screen_name_field(),
        project_id,
        api_key_field(
            "Create it in the project under Overview → Integrations → API keys. It's stored encrypted."
        ),
        instance_url,
        host,
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.instanceUrl}",),
)
