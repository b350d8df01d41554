"""Actions for watches."""

from patchbay.integration import request_action, text

create_watch = request_action(
    key="createWatch",
    name="Create watch",
    description="Starts watching a web page.",
    arguments=(text("url", "Page URL", required=True, placeholder="https://example.com"),),
    request="POST /watch",
)

delete_watch = request_action(
    key="deleteWatch",
    name="Delete watch",
    description="Stops watching a web page and deletes its history.",
    arguments=(text("watchId", "Watch ID", required=True),),
    request="DELETE /watch/{watchId}",
    output={"result": "deleted", "watchId": "{watchId}", "deleted": True},
)
