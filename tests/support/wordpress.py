"""A real WordPress, from Debian's packages, with a MariaDB of its own: `with wordpress(folder) as site:`.

PHP's own server runs it without TLS. WordPress is told that it is reached by HTTPS, as behind a proxy,
because it allows application passwords nowhere else.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from tests.support import patient
from tests.support.databases import DATABASE, PASSWORD, USER, MariaDb, running, why_no_mariadb
from tests.support.ports import free_port
from tests.support.processes import until

PROGRAM = Path("/usr/share/wordpress")
LOGIN, LOGIN_PASSWORD = "grace", "good-password-1234"
_NUMBERS = count(1)
_CONFIG = """<?php
define('DB_NAME', '{database}');
define('DB_USER', '{user}');
define('DB_PASSWORD', '{password}');
define('DB_HOST', '127.0.0.1:{database_port}');
define('DB_CHARSET', 'utf8mb4');
define('AUTH_KEY', 'planted-key-1');
define('SECURE_AUTH_KEY', 'planted-key-2');
define('LOGGED_IN_KEY', 'planted-key-3');
define('NONCE_KEY', 'planted-key-4');
define('WP_HOME', '{address}');
define('WP_SITEURL', '{address}');
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_DISABLE_FATAL_ERROR_HANDLER', true);
$table_prefix = 'wp_';
$_SERVER['HTTPS'] = 'on';
require_once ABSPATH . 'wp-settings.php';
"""
_INSTALL = """
define('WP_INSTALLING', true);
require 'wp-load.php';
require 'wp-admin/includes/upgrade.php';
wp_install('Shop', '{login}', 'grace@example.test', false, '', '{password}');
"""


def why_missing() -> str:
    """Why WordPress can't run here; empty if it can."""
    if not (PROGRAM / "wp-settings.php").is_file() or shutil.which("php") is None:
        return "WordPress isn't installed (Debian: wordpress php-cli php-mysql)"
    return why_no_mariadb()


@dataclass
class WordPress:
    """The running site, and PHP that runs inside it."""

    address: str
    folder: Path

    def run(self, code: str) -> str:
        """What this PHP prints."""
        words = ["php", "-d", "display_errors=stderr", "-r", code]
        done = subprocess.run(
            words, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def new_password(self) -> str:
        """An application password of the administrator, as the user's profile shows it once."""
        name = f"Patchbay {next(_NUMBERS)}"  # each name only once
        made = f"WP_Application_Passwords::create_new_application_password(1, ['name' => '{name}'])"
        return str(self._json(f"WP_Application_Passwords::chunk_password({made}[0])"))

    def revoke_passwords(self) -> None:
        self._json("WP_Application_Passwords::delete_all_application_passwords(1)")

    @property
    def version(self) -> tuple[int, ...]:
        return tuple(int(part) for part in self._json("$wp_version").split(".")[:2])

    def may_return_to(self, address: str) -> bool:
        """Whether the page that creates an application password returns to this address."""
        valid = f"wp_is_authorize_application_redirect_url_valid('{address}')"
        return bool(self._json(f"[require 'wp-admin/includes/user.php', {valid} === true][1]"))

    def publish(self, title: str) -> int:
        """A post written by somebody else; the answer is its ID."""
        post = f"['post_title' => '{title}', 'post_status' => 'publish', 'post_author' => 1]"
        return int(self._json(f"wp_insert_post({post})"))

    def post(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self._json(f"get_post({number})")
        return found

    def _json(self, expression: str) -> Any:
        return json.loads(self.run(f"require 'wp-load.php'; echo json_encode({expression});"))


@contextmanager
def wordpress(folder: Path) -> Iterator[WordPress]:
    """Set a site up and run it while the block runs."""
    site = WordPress(f"http://127.0.0.1:{free_port()}", folder / "site")
    shutil.copytree(PROGRAM, site.folder, symlinks=True)
    with running(MariaDb) as database:
        values = {"database": DATABASE, "user": USER, "password": PASSWORD, "database_port": database.port}
        (site.folder / "wp-config.php").write_text(_CONFIG.format(address=site.address, **values))
        site.run(_INSTALL.format(login=LOGIN, password=LOGIN_PASSWORD))
        with _served(site, folder / "php.log"):
            yield site


@contextmanager
def _served(site: WordPress, log: Path) -> Iterator[None]:
    words = ["php", "-S", site.address.removeprefix("http://"), "-t", str(site.folder)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            words,
            cwd=site.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        until(lambda: _answers(site.address), 60, every=0.05)
        yield
    finally:
        process.terminate()
        process.wait(10)


def _answers(address: str) -> bool:
    try:
        return patient.get(f"{address}/?rest_route=/").is_success
    except httpx.TransportError:
        return False
