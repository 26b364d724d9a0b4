"""VM sizes, disks and presets, with limits, prices and sources.

Written by python/tools/generate.py from the program's own help; not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ._ask import ask, keywords
from .answers import CatalogEntry, CatalogListing, CatalogOverview, CatalogPreset, CatalogPresets

__all__ = ["disks", "overview", "presets", "prices", "show", "vms"]


@keywords
def vms(
    *,
    cloud: str | None = None,
    name: str | None = None,
    family: str | None = None,
    min_iops: str | int | float | None = None,
    min_throughput: str | None = None,
    min_cached_iops: str | int | float | None = None,
    premium: bool | str | None = None,
    min_disks: str | int | None = None,
    vcpus: str | int | None = None,
    min_memory: str | None = None,
    arch: str | None = None,
    known: bool | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogListing:
    """List VM sizes and their limits.

    Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``uncached_iops`` and
    ``cached_iops`` a second, ``uncached_bytes_per_s``, ``memory_bytes``, ``vcpus``, ``source``.

    What is asked:
    ``cloud``
        Cloud: azure, aws, gcp
    ``name``
        Text that the name contains
    ``family``
        Text that the family contains
    ``min_iops``
        Minimum IOPS without host cache
    ``min_throughput``
        Minimum throughput without host cache
    ``min_cached_iops``
        Minimum IOPS from the host cache
    ``premium``
        Only sizes with premium storage (=false: without)
    ``min_disks``
        Minimum number of data disks
    ``vcpus``
        Number of usable vCPUs, or a range: 8, 8-32
    ``min_memory``
        Minimum memory; SIZE
    ``arch``
        Processor architecture: x64, arm64
    ``known``
        Only sizes whose limits are known
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A SIZE is a number of bytes, or has its unit: ``4096``, ``"8KiB"`` (1,024), ``"1TiB"``.
    """
    document: CatalogListing = ask(('catalog', 'vms'), locals())
    return document


@keywords
def disks(
    *,
    type: str | None = None,
    name: str | None = None,
    min_iops: str | int | float | None = None,
    era: str | int | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogListing:
    """List disks and their limits.

    Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``iops`` a second,
    ``bytes_per_s``, ``max_size_bytes``, ``era``, ``source``.

    What is asked:
    ``type``
        Disk type: premium, premiumv2, ultra, standardssd, standardhdd, gp2, gp3, io1, io2, st1, sc1,
        pd-standard, pd-balanced, pd-ssd, pd-extreme, hyperdisk-balanced, hyperdisk-balanced-ha,
        hyperdisk-extreme, hyperdisk-throughput, hyperdisk-ml
    ``name``
        Text that the name contains
    ``min_iops``
        Minimum IOPS
    ``era``
        Date of the figures: 2016, 2018-06, 2020-08, current, all, or a day such as 2026-07-01 [default:
        current]
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogListing = ask(('catalog', 'disks'), locals())
    return document


@keywords
def prices(
    *,
    region: str | None = None,
    disks: bool | None = None,
    os: str | None = None,
    name: str | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogListing:
    """List prices of VM sizes and disks.

    Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries with ``usd_per_month``, US dollars
    a month.

    What is asked:
    ``region``
        Region; without it, list the regions that have prices
    ``disks``
        List disks instead of VM sizes
    ``os``
        Operating system whose licence the VM's price includes: linux, windows
    ``name``
        Text that the name contains
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogListing = ask(('catalog', 'prices'), locals())
    return document


@keywords
def presets(
    *,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogPresets:
    """List workloads of real systems, for --preset.

    Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``name``, ``about``,
    ``source``, ``jobs``.

    What is asked:
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogPresets = ask(('catalog', 'presets'), locals())
    return document


@keywords
def show(
    name: str,
    *,
    era: str | int | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogEntry | CatalogPreset:
    """Show one VM size, disk, disk type or preset: every figure with its source and date.

    Returns the document `iobound.catalog/1` of that one: every figure with its source and date.

    What is asked:
    ``name``
        Name of a VM size, disk, disk type or preset: DS14, P30, m5.large, gp3, sqlserver-oltp
    ``era``
        Date of the figures: 2016, 2018-06, 2020-08, current, or a day such as 2026-07-01 [default:
        current]
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogEntry | CatalogPreset = ask(('catalog', 'show'), locals())
    return document


@keywords
def audit(
    *,
    cloud: str | None = None,
    only: str | None = None,
    before: str | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogListing:
    """List figures that are unknown, old or contradictory.

    Returns the document `iobound.catalog/1`, whose ``rows`` are groups of VM sizes with a doubtful figure:
    ``doubt`` (unknown, old or contradictory), ``figure``, ``of`` (family or source), ``sizes``,
    ``example``.

    What is asked:
    ``cloud``
        Only of this cloud: azure, aws, gcp
    ``only``
        Only this kind of doubt: unknown, old, contradictory
    ``before``
        Year before which a source is old [default: two years before the newest source]
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``seed``
        Seed of all random choices; the same seed gives the same bytes [default: 0]
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogListing = ask(('catalog', 'audit'), locals())
    return document


@keywords
def overview(
    *,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> CatalogOverview:
    """List VM sizes, disks and presets, with limits, prices and sources.

    Returns the document `iobound.catalog/1`: how much of everything there is, and of when.

    What is asked:
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Every verb:
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CatalogOverview = ask(('catalog',), locals())
    return document
