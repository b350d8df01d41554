"""A PostgreSQL server that survives kills: it waits for the disk, unlike those of other tests."""

from tests.support.databases import Postgres


class SturdyPostgres(Postgres):
    """Stopped at once, it recovers what was committed."""

    def _command(self, *, tls: bool) -> list[str]:
        return [*super()._command(tls=False), "-c", "fsync=on"]
