"""A folder for one fleet, and the words that all ranks of it are given."""

import os

from merged import complete, document, is_the_sum, own_results

HOSTS = ("db1", "db2", "db3", "db4")
# Small files, and less than any disk has: what is tried is that ranks meet, and not what they reach.
LOAD = ("--size", "4MiB", "--rate", "400iops", "--read", "70%", "--duration", "2s", "--warmup", "0", "--busy-ok")


class Place:
    """A folder for one fleet: its targets, what ranks write of themselves, and the coordinator's store."""

    def __init__(self, here, name):
        tries = sum(1 for other in os.listdir(here) if other == name or other.startswith(f"{name}~"))
        self.here = os.path.join(here, f"{name}~{tries}" if tries else name)
        self.data, self.own, self.store = (os.path.join(self.here, part) for part in ("data", "own", "kept.db"))
        for path in (self.data, self.own):
            os.makedirs(path)

    def words(self, *more, load=LOAD):
        """The words of `run`, for every rank the same."""
        return ["run", self.data, *load, "--own-result", f"{self.own}/{{rank}}.json", "--json", *more]

    def env(self, **more):
        """The environment of ranks."""
        return {**os.environ, "IOBOUND_RESULTS": self.store, "TMPDIR": "/tmp", **more}

    def judged(self, text, hosts, what):
        """Checks a complete run by its document and what each rank wrote. Gives the document, its skew, and the bins."""
        result = document(text, what)
        skew = complete(result, hosts, what)
        bins = is_the_sum(result, self.store, own_results(self.own, range(len(hosts))), what)
        return result, f"skew {skew:.2f} ms, {bins} bins are the sum of the ranks'"
