"""Registry of the commands: the name, help, arguments, and function of each.

Functions are named as text and imported when their command runs, so `--help` and the window start without
loading the rest of the program. To add a command, add a `Command` here and write its function.
"""

import argparse
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from patchbay.cli.server_arguments import add_serve_arguments, add_worker_arguments, integer_between

ArgumentAdder: TypeAlias = Callable[[argparse.ArgumentParser], None]

START_OF_ID = "ID, or at least its first 4 characters"
ID_OR_NAME = "ID, at least its first 4 characters, or the name"
_TIME_HINT = "ISO time, or a time span up to now such as 2h or 7d"
_BACKUP_NOTE = (
    "The passphrase of the backup is read from --backup-passphrase-file or requested at the terminal. "
    "Without that option, --passphrase-file applies to both the data folder's vault and the backup."
)


class Needs(enum.Enum):
    """What a command's function is called with."""

    DATA_FOLDER = "`run(options, paths)`, plain or async"
    WORKSPACE = "`await run(backend, options)`"
    ENGINE = "`await run(backend, options)`, with the engine running if no other program runs it"


@dataclass(frozen=True)
class Command:
    """One command, such as `flow list`. The function returns the exit code."""

    name: str
    help: str
    function: str
    """Where the function is: module of `patchbay.cli`, dot, name."""
    add_arguments: ArgumentAdder = lambda _: None
    needs: Needs = Needs.WORKSPACE
    id_of: Literal["flow", "connection", "execution"] | None = None
    """Takes an ID of this kind. The function finds the complete ID in `options.id`."""
    has_json: bool = True
    wait_for_history: bool = True
    """Whether to wait for the demo's history."""
    epilog: str | None = None
    function_without_workspace: str | None = None
    """Prints the text for this computer without opening the workspace: `run(options, paths)`."""

    @property
    def group(self) -> str | None:
        """The first word of a name of two words."""
        first, _, second = self.name.partition(" ")
        return first if second else None


def _id(text: str, *, optional: bool = False) -> ArgumentAdder:
    def add(command: argparse.ArgumentParser) -> None:
        command.add_argument("id", metavar="ID", nargs="?" if optional else None, help=text)

    return add


def _move(command: argparse.ArgumentParser) -> None:
    place = "a data folder, or postgresql://USER@HOST/DATABASE"
    source, target = f"the workspace: {place}", f"where it moves to, which must be empty: {place}"
    for name, dest, text in (("--from", "source", source), ("--to", "target", target)):
        command.add_argument(name, dest=dest, required=True, metavar="DIR|URL", help=text)
    command.add_argument("--dry-run", action="store_true", help="only say what would be moved")


def _tour(command: argparse.ArgumentParser) -> None:
    command.add_argument("out_dir", metavar="DIR", help="folder for the pictures")
    command.add_argument(
        "--scheme", choices=["light", "dark"], default="light", help="colours (default: light)"
    )
    command.add_argument(
        "--size", default="1280x800", metavar="WxH", help="size of the window (default: 1280x800)"
    )
    command.add_argument(
        "--language", default="en", metavar="CODE", help="language: en, de, or pseudo (default: en)"
    )
    command.add_argument("--scale", type=float, default=1.0, help="pixels per point (default: 1)")


def _backup(command: argparse.ArgumentParser) -> None:
    command.add_argument("out_file", metavar="OUT_FILE", help="file to write")
    command.add_argument("--force", action="store_true", help="overwrite the file if it exists")
    command.add_argument(
        "--backup-passphrase-file",
        metavar="FILE",
        help="encrypt the backup with the passphrase in this file (mode 0600)",
    )


def _restore(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="backup to restore")
    command.add_argument(
        "--force", action="store_true", help="restore even if there is a database; it is renamed, not deleted"
    )
    command.add_argument(
        "--backup-passphrase-file",
        metavar="FILE",
        help="decrypt the backup with the passphrase in this file (mode 0600)",
    )
    command.add_argument(
        "--vault",
        choices=["passphrase"],
        help="store the key in a passphrase vault instead of the system keyring; the vault's passphrase is "
        "in --passphrase-file, or the same as the backup's",
    )


def _create_key(command: argparse.ArgumentParser) -> None:
    command.add_argument("--name", default="command line", help="name of the key (default: command line)")
    command.add_argument(
        "--scope",
        choices=["read", "operate", "admin"],
        default="admin",
        help="read: read-only; operate: can also run and change flows; admin (default): full access, "
        "including users, keys, and settings",
    )
    command.add_argument(
        "--user", metavar="USER", help="owner of the key; the key has at most this user's permissions"
    )


def _new_user(role: str | None) -> ArgumentAdder:
    def add(command: argparse.ArgumentParser) -> None:
        command.add_argument("--name", required=True, help="full name (required)")
        command.add_argument("--email", required=True, help="email address (required)")
        command.add_argument(
            "--role", metavar="admin|editor|viewer", default=role, help="role of the user (default: editor)"
        )

    return add


def _publish(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--revision",
        metavar="REVISION",
        type=integer_between(0, 2**63 - 1),
        help="publish only if the flow still has this revision, as printed by `flow show`",
    )


def _import(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="JSON file with flows (- for standard input)")
    command.add_argument("--publish", action="store_true", help="also publish the flows that are complete")
    command.add_argument(
        "--use-accounts",
        action="store_true",
        help="use the connection of each app that has exactly one; with --publish, import all flows or none",
    )
    command.add_argument(
        "--copy", action="store_true", help="import flows again even if this file was imported before"
    )


def _trigger_output(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--input", metavar="FILE", help="JSON file to use as the trigger's output (- for standard input)"
    )


def _replay(command: argparse.ArgumentParser) -> None:
    _trigger_output(command)
    command.add_argument(
        "--newest", action="store_true", help="use the published version, not the version that ran originally"
    )


def _filter(command: argparse.ArgumentParser) -> None:
    command.add_argument("--flow", metavar="FLOW", help=f"flow: {ID_OR_NAME}")
    command.add_argument(
        "--status", help="success, failure, filtered, cancelled, queued, running, or waiting"
    )
    command.add_argument("--since", metavar="T", help=_TIME_HINT)
    command.add_argument("--until", metavar="T", help=_TIME_HINT)
    command.add_argument(
        "--name", metavar="TEXT", help="part of the flow's name, or the beginning of an execution's ID"
    )
    command.add_argument(
        "--origin", metavar="ID", help="executions started by this one: retries, replays, and calls"
    )


def _search(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--search", metavar="TEXT", help="text in a step's input or output, in an error, or in the note"
    )


def _list_executions(command: argparse.ArgumentParser) -> None:
    _filter(command)
    _search(command)
    command.add_argument(
        "--limit",
        type=integer_between(1, 1_000_000),
        default=50,
        help="max. executions to list (default: 50)",
    )


def _retry(command: argparse.ArgumentParser) -> None:
    _id(START_OF_ID, optional=True)(command)
    command.add_argument(
        "--all", action="store_true", help="retry all failed executions that match the filter"
    )
    _filter(command)


def _export(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=["csv", "jsonl"], help="default: from the file extension")
    command.add_argument(
        "--raw",
        action="store_true",
        help="write CSV values unchanged, including those a spreadsheet would run as formulas",
    )
    command.add_argument("out", metavar="OUT", help="file to write or overwrite (- for standard output)")
    _filter(command)
    _search(command)


def _allowed_paths(command: argparse.ArgumentParser) -> None:
    """The options for what steps can use on the computer that runs the flows."""
    for name, use in (("folder", "use the files in this folder"), ("program", "run this program")):
        command.add_argument(
            f"--allow-{name}",
            action="append",
            default=[],
            metavar=name.upper(),
            help=f"let steps {use}; full path on the computer that runs the flows",
        )
        command.add_argument(
            f"--remove-{name}",
            action="append",
            default=[],
            metavar=name.upper(),
            help=f"no longer allow this {name}",
        )


def _engine_settings(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--max-concurrent", type=integer_between(1, 200), metavar="N", help="max. runs at a time"
    )
    command.add_argument(
        "--max-runs-per-root",
        type=integer_between(10, 1_000_000),
        metavar="N",
        help="max. runs from one start: one run and everything it starts",
    )
    command.add_argument(
        "--max-loop-items", type=integer_between(1, 100_000), metavar="N", help="max. items of one loop"
    )
    command.add_argument(
        "--max-body-mb",
        type=integer_between(1, 100),
        metavar="MB",
        help="max. size of a webhook request body",
    )
    command.add_argument(
        "--max-retry-after",
        type=integer_between(1, 86_400),
        metavar="SECONDS",
        help="max. wait when a third party sends Retry-After",
    )
    command.add_argument(
        "--program-network", choices=("yes", "no"), help="allow network access for programs that request it"
    )
    _allowed_paths(command)
    for name in ("successes", "failures"):
        command.add_argument(
            f"--keep-{name}",
            type=integer_between(1, 3_650, "forever"),
            metavar="DAYS",
            help=f"retention of {name}: a number of days, or forever",
        )
    command.add_argument(
        "--keep-most",
        type=integer_between(1_000, 2**31, "all"),
        metavar="N",
        help="max. executions to keep: a number, or all",
    )
    command.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="APP=CALLS/SECONDS",
        help="rate limit of an app, such as slack=60/60; APP=none removes it",
    )


def _add_connection(command: argparse.ArgumentParser) -> None:
    command.add_argument("--app", required=True, metavar="KEY", help="key or name of the app")
    command.add_argument(
        "--field", action="append", default=[], metavar="k=v", help="value of a field that isn't secret"
    )
    command.add_argument(
        "--secret-stdin",
        action="append",
        default=[],
        metavar="k",
        help="read this field from standard input, one line per field",
    )
    command.add_argument(
        "--trust-authority", metavar="FILE", help="trust the certificate authority (CA) in this PEM file"
    )
    command.add_argument(
        "--trust-certificate", metavar="SHA256", help="trust the server certificate with this fingerprint"
    )


def _rate_limit(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "limit", metavar="CALLS/SECONDS", help="such as 60/60, or none to use the limit of the app"
    )


def _argument(name: str, **options: Any) -> ArgumentAdder:
    def add(command: argparse.ArgumentParser) -> None:
        command.add_argument(name, **options)

    return add


def _new_app(command: argparse.ArgumentParser) -> None:
    command.add_argument("key", metavar="KEY", help="key of the new app")
    command.add_argument(
        "folder", metavar="DIR", nargs="?", help="parent folder (default: the folder of your own apps)"
    )


def _doctor(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--repair",
        action="store_true",
        help="first copy the database and rebuild its indexes, if it is damaged",
    )


GROUPS = {
    "api-key": "manage API keys",
    "user": "manage users and invitations",
    "flow": "list, import, publish, and run flows",
    "execution": "list, retry, and export executions",
    "engine": "show and change the engine's status and settings",
    "connection": "manage connections",
    "data-key": "create, check, and apply the data key that several servers share",
    "app": "list and develop integration apps",
}
"""Help of the commands that have subcommands, by name."""

COMMANDS = (
    Command(
        "tour",
        "save a screenshot of every screen",
        "window.save_tour",
        _tour,
        Needs.DATA_FOLDER,
        has_json=False,
    ),
    Command("doctor", "check this installation", "doctor.run", _doctor, needs=Needs.DATA_FOLDER),
    Command(
        "mcp",
        "offer flows as tools to an MCP client over standard input and output",
        "mcp.run",
        needs=Needs.ENGINE,
        has_json=False,
        wait_for_history=False,
    ),
    Command(
        "serve",
        "run the server without a window",
        "serve.run",
        add_serve_arguments,
        Needs.DATA_FOLDER,
        has_json=False,
    ),
    Command(
        "worker",
        "run flows of a database server",
        "worker.run",
        add_worker_arguments,
        Needs.DATA_FOLDER,
        has_json=False,
    ),
    Command(
        "api-key create",
        "create an API key and print it once",
        "api_keys.create_key",
        _create_key,
        wait_for_history=False,
    ),
    Command("api-key list", "list API keys", "api_keys.list_keys", wait_for_history=False),
    Command(
        "api-key revoke", "revoke an API key", "api_keys.revoke_key", _id(ID_OR_NAME), wait_for_history=False
    ),
    Command(
        "user list",
        "list users with their IDs",
        "people.list_people",
        _argument("--invited", action="store_true", help="list open invitations instead"),
    ),
    Command("user create", "create a user without an invitation", "people.create_user", _new_user(None)),
    Command(
        "user invite", "invite a user; prints a link that works once", "people.invite", _new_user("editor")
    ),
    Command(
        "user remove",
        "remove a user, revoke their keys, and unpublish their flows; or revoke an invitation",
        "people.remove",
        _id(ID_OR_NAME),
    ),
    Command("flow list", "list all flows with their IDs", "flows.list_flows"),
    Command("flow show", "show a flow's steps and settings", "flows.show", id_of="flow"),
    Command("flow export", "print a flow as JSON, without connections", "flows.export", id_of="flow"),
    Command("flow publish", "publish a flow", "flows.publish", _publish, id_of="flow"),
    Command("flow unpublish", "turn a flow back into a draft", "flows.unpublish", id_of="flow"),
    Command("flow pause", "pause a flow; new events are queued", "flows.pause", id_of="flow"),
    Command("flow resume", "resume a flow and run its queued events", "flows.resume", id_of="flow"),
    Command("flow delete", "unpublish and delete a flow", "flows.delete", id_of="flow"),
    Command("flow import", "import a flow or a list of flows", "flows.import_file", _import),
    Command(
        "flow run",
        "run a flow now, and wait until it finishes or has to wait",
        "flows.run_flow",
        _trigger_output,
        Needs.ENGINE,
        "flow",
    ),
    Command(
        "execution list", "list executions, newest first", "executions.list_executions", _list_executions
    ),
    Command(
        "execution show",
        "show the steps of an execution with their data",
        "executions.show",
        id_of="execution",
    ),
    Command("execution cancel", "cancel an execution", "executions.cancel", id_of="execution"),
    Command(
        "execution resume",
        "end the wait for a retry or a rate limit now (“Try now” in the window)",
        "executions.resume",
        id_of="execution",
    ),
    Command(
        "execution continue",
        "treat an interrupted step as done and continue with the next (“Mark as done and continue” in the "
        "window)",
        "executions.continue_execution",
        id_of="execution",
    ),
    Command(
        "execution retry",
        "retry from the failed step, and wait until the execution finishes or has to wait",
        "executions.retry",
        _retry,
        Needs.ENGINE,
    ),
    Command(
        "execution replay",
        "run again from the start, and wait until the execution finishes or has to wait (“Run again” in the "
        "window)",
        "executions.replay",
        _replay,
        Needs.ENGINE,
        "execution",
    ),
    Command("execution export", "export executions to a file", "executions.export", _export),
    Command("engine status", "show the engine's status and disk usage", "engine.status"),
    Command("engine pause", "pause all runs", "engine.pause"),
    Command("engine resume", "resume all runs", "engine.resume"),
    Command(
        "engine tidy",
        "delete old executions now, according to the retention settings (“Clean up now” in the window)",
        "engine.clean_up",
    ),
    Command(
        "engine settings", "show or change the engine's settings", "engine.change_settings", _engine_settings
    ),
    Command("connection list", "list all connections with their IDs", "connections.list_connections"),
    Command("connection add", "add a connection to an app", "connections.add", _add_connection),
    Command(
        "connection limit",
        "set the rate limit of a connection",
        "connections.set_limit",
        _rate_limit,
        id_of="connection",
    ),
    Command(
        "connection test", "verify the credentials of a connection", "connections.test", id_of="connection"
    ),
    Command("connection remove", "delete a connection", "connections.remove", id_of="connection"),
    Command(
        "app list",
        "list all apps with their keys",
        "apps.list_apps",
        function_without_workspace="app_list.list_local",
    ),
    Command(
        "app show", "show an app's triggers and actions, with their parameters", "apps.show", _argument("key")
    ),
    Command(
        "app check",
        "check an app against the rules for app authors",
        "apps.check",
        _argument("app", metavar="APP", help="key of an app, or path of its folder"),
        Needs.DATA_FOLDER,
    ),
    Command("app new", "create a new app from a template", "apps.create", _new_app, Needs.DATA_FOLDER),
    Command(
        "backup",
        "back up flows, connections, history, and settings to an encrypted file",
        "backup.back_up",
        _backup,
        Needs.DATA_FOLDER,
        epilog=_BACKUP_NOTE,
    ),
    Command(
        "move",
        "move the workspace of a data folder to a PostgreSQL server, or back",
        "move.run",
        _move,
        Needs.DATA_FOLDER,
    ),
    Command(
        "data-key create",
        "create a data key in a new file (mode 0600)",
        "data_key.create",
        _argument("file", metavar="FILE", help="file to create; it is never overwritten"),
        Needs.DATA_FOLDER,
    ),
    Command(
        "data-key check",
        "check a file with a data key, and print the key's fingerprint",
        "data_key.check",
        _argument("file", metavar="FILE", help="file with the data key"),
        Needs.DATA_FOLDER,
    ),
    Command(
        "data-key apply",
        "encrypt the secrets of a workspace that isn't in use with the data key in --data-key-file",
        "data_key.apply",
        _argument("--old-data-key-file", metavar="FILE", help="file with the data key that they have now"),
        Needs.DATA_FOLDER,
    ),
    Command(
        "restore",
        "restore a backup to this data folder",
        "backup.restore",
        _restore,
        Needs.DATA_FOLDER,
        epilog=_BACKUP_NOTE,
    ),
)
