"""The limits of the disk I/O of cloud VMs: the answers of the program `iobound` as dictionaries.

`predict` says what a configuration will deliver, `simulate` runs a workload's own seconds on the model,
`plan` says what to buy, `explain` why this and not more, and `catalog` what can be bought. `read_result`,
`results`, `compare`, `read_histogram` and `merge_histograms` are for measured results. `sweep` predicts many
configurations as one table, and `run` puts a load on real disks. `trace` reads a recording as a table, and
`write_trace` writes one.

Answers are dictionaries with ``to_frame()``, and show as a sentence and a table in notebooks.

Every keyword is a flag of the program by the same name, with underscores for dashes; every answer is the
document of ``--json``. What can't be taken raises `BadInput`. Functions release the interpreter lock, keep
nothing between calls, and may be called by several threads at once.
"""

from . import catalog
from ._answer import Answer, to_frame
from ._errors import BadInput, CannotRead
from ._histograms import merge_histograms, read_histogram
from ._iobound import __version__
from ._results import read_result, results
from ._run import run
from ._sweep import sweep
from ._trace import Trace, trace, write_trace
from ._verbs import compare, explain, plan, predict, simulate

__all__ = [
    "Answer",
    "BadInput",
    "CannotRead",
    "Trace",
    "__version__",
    "catalog",
    "compare",
    "explain",
    "merge_histograms",
    "plan",
    "predict",
    "read_histogram",
    "read_result",
    "results",
    "run",
    "simulate",
    "sweep",
    "to_frame",
    "trace",
    "write_trace",
]
