"""Actions."""

from patchbay.integration import dropdown, request_action, text

web_search = request_action(
    key="webSearch",
    name="Web search",
    description="Searches the web and outputs the first 20 results (web.results).",
    arguments=(
        text("q", "Search for", required=True, description="Up to 400 characters and 50 words."),
        dropdown(
            "safesearch",
            "Safe search",
            (
                ("off", "Off"),
                ("moderate", "Moderate: no explicit images and videos"),
                ("strict", "Strict: no adult content"),
            ),
            required=True,
            value="moderate",
        ),
    ),
    request="/v1/web/search",
    query={"q": "{q:text}", "safesearch": "{safesearch}"},
)
