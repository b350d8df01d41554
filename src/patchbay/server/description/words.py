"""What the description says about the interface as a whole."""

ABOUT = """\
Everything a workspace can do, over HTTP: flows and their steps, executions, connections, templates, folders,
people, and the service itself.

**Key.** Every operation with a lock wants an API key in the header `x-api-token`. A key has a scope: `read`
sees, `operate` also works with flows, connections and executions, `admin` also manages people, keys and
settings. Each operation says which one it needs. A key of a person who is no admin sees only what is theirs;
what belongs to others answers 404 as if it was not there.

**Answers.** A success is `data` beside `meta`; `meta.type` names what `data` holds and is `Object` for an
empty list. Lists in pages say `currentPage`, `totalPages`, `count` (all matches) and `nextCursor`: hand it in
as `cursor` to get the next page, however long the list is.

**Errors.** Every error has a JSON body: `errors` maps fields to messages (`general` for the rest), and
`meta` says the kind (`type`) and in words what `happened`, its `meaning` and what `todo`. A method that an
address does not offer is answered with 405 and the header `Allow`; an unknown address with 404.

**Leniency.** Page numbers, limits, times and states in a query that make no sense are ignored, as by other
services with this interface. A malformed id is refused with 400. Unknown fields in a body are ignored. Bodies
are JSON or forms, up to 1 MB. Times are milliseconds since 1970 (UTC).
"""

TAGS = [
    {"name": "flows", "description": "Automations, as drafts and published."},
    {"name": "steps", "description": "What a draft does; answers hold the whole flow."},
    {"name": "executions", "description": "Runs of flows: what they did, and running them again."},
    {"name": "connections", "description": "Accounts at apps. Credentials go in and never come out."},
    {"name": "apps", "description": "What flows can be built of."},
    {"name": "templates", "description": "Flows to start from."},
    {"name": "folders", "description": "Where flows are kept."},
    {"name": "users", "description": "People, their roles and invitations. Also offered without `/v1`."},
    {"name": "api keys", "description": "Who may ask this interface."},
    {"name": "audit log", "description": "Who changed what, and when."},
    {"name": "engine", "description": "What runs the flows."},
    {"name": "secrets", "description": "Where secrets are kept; they never pass here."},
    {"name": "workspace", "description": "The service itself."},
    {
        "name": "webhooks",
        "description": "Addresses that start flows. They need no key: who knows one may call.",
    },
]
