"""The writer of an SQLite file: group commit with savepoints, and a count of its commits."""

import logging
import sqlite3

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from patchbay.domain.errors import StorageFault
from patchbay.storage.commit_counter import CommitCounter
from patchbay.storage.sqlite import is_persistent, sqlite_of, storage_fault
from patchbay.storage.writer import Job, Writer

_log = logging.getLogger(__name__)


class SqliteWriter(Writer):
    """Runs queued writes on the only read-write connection to the file."""

    def __init__(self, connection: Connection, counter: CommitCounter) -> None:
        super().__init__()
        self._commit_counter = counter
        self._connection = connection
        self._driver = sqlite_of(connection)
        self._thread.start()

    def is_persistent(self, fault: StorageFault) -> bool:
        return is_persistent(fault)

    def _close_connection(self) -> None:
        self._connection.close()
        self._commit_counter.close()

    def _commit(self, group: list[Job]) -> None:
        try:
            self._driver.execute("BEGIN IMMEDIATE")
            before, number = self._driver.total_changes, self._commit_counter.number
            if not self._run_together(group):
                for job in group:
                    self._run_in_savepoint(job)
            if self._driver.total_changes != before:
                number = self._commit_counter.advance(self._driver)
            self._driver.execute("COMMIT")
            self.commits += 1
        except sqlite3.Error as error:
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            for job in group:
                job.error = storage_fault(error)
        else:
            self._publish(number)

    def _publish(self, number: int) -> None:
        if number == self._commit_counter.number:
            return
        try:
            self._commit_counter.publish(number)
        except OSError as error:
            # The commit succeeded; only a later loss of it would go unnoticed.
            _log.warning("the commit counter of the database couldn't be written: %s", error)

    def _run_outside_transaction(self, jobs: list[Job]) -> None:
        for job in jobs:
            try:
                job.result = job.work(self._driver if job.on_driver else self._connection)
            except BaseException as error:  # noqa: BLE001  passed on to the caller
                job.error = storage_fault(error) or error

    def _run_together(self, group: list[Job]) -> bool:
        """Run the writes of a group without savepoints. False, with nothing changed, if one of them fails.

        Savepoints cost half as much as the statements of a run. They're only needed if a write fails, which
        is rare: then all are run again, each in a savepoint. So only writes on the driver are run like this,
        which do nothing but execute statements.
        """
        if not all(job.on_driver for job in group):
            return False
        try:
            for job in group:
                job.result = job.work(self._driver)
        except Exception:  # noqa: BLE001  raised again in its savepoint
            if self._driver.in_transaction:
                self._driver.execute("ROLLBACK")
            self._driver.execute("BEGIN IMMEDIATE")
            return False
        return True

    def _run_in_savepoint(self, job: Job) -> None:
        """Run one write in a savepoint. Raises if SQLite rolled back the shared transaction."""
        execute = self._driver.execute
        execute("SAVEPOINT work")
        try:
            job.result = job.work(self._driver if job.on_driver else self._connection)
        except BaseException as error:
            job.error = storage_fault(error) or error
            if not self._driver.in_transaction:
                raise _transaction_error(error) from error
            execute("ROLLBACK TO work")
        execute("RELEASE work")


def _transaction_error(error: BaseException) -> BaseException:
    if isinstance(error, DBAPIError) and isinstance(error.orig, sqlite3.Error):
        return error.orig
    return error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))
