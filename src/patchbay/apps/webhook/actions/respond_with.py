"""The action “Respond with”."""

from patchbay.integration.respond_with import respond_with as respond_with_action

respond_with = respond_with_action("Responds to the request that started the flow, if the caller is waiting.")
