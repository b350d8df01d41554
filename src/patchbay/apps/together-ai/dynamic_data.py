"""Models for dropdowns."""

from patchbay.integration import option_list

_NOT_FOR_TEXT = ("image", "video", "audio", "embedding", "rerank", "transcribe")

list_models = option_list(
    "listModels",
    "/v1/models",
    label="{display_name|id}",
    only=lambda model, parameters: model.get("type") not in _NOT_FOR_TEXT,
)
