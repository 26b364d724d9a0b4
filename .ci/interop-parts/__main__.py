"""Runs the parts that are named."""

import importlib
import sys

from common import Failed

for name in sys.argv[1:]:
    try:
        importlib.import_module(name).part()
    except Failed as why:
        sys.exit(f".ci/interop: {name}: {why}")
