"""Models for dropdowns."""

from patchbay.integration.chat_completions import model_list

list_models = model_list()
