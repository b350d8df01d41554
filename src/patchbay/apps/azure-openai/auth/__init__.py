"""The connection to Azure OpenAI: a resource, the deployment of a model in it, and a key."""

from patchbay.integration import Auth, AuthField, api_key_field, screen_name_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        screen_name_field(),
        AuthField(
            key="yourResourceName",
            label="Resource name",
            required=True,
            placeholder="my-company",
            description="The first part of the endpoint: my-company if that is https://my-company.openai.azure.com.",
        ),
        AuthField(
            key="deploymentId",
            label="Deployment",
            required=True,
            decides_destination=False,
            description="The name of the deployment, which can differ from that of its model.",
        ),
        api_key_field("KEY 1 or KEY 2 of the resource. It's stored encrypted."),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
