"""Reproducible archives: the same files give the same bytes."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple


class Entry(NamedTuple):
    """A file of a package: its path there, its content, its mode."""

    path: str
    content: bytes
    mode: int = 0o644


def tar(entries: list[Entry], epoch: int, prefix: str = "") -> bytes:
    """A tar of these files and of the folders above them, owned by root."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        folders: set[str] = set()
        for entry in sorted(entries):
            path = prefix + entry.path
            for parent in reversed(Path(path).parents):
                name = str(parent) if not prefix.startswith("./") else f"./{parent}"
                if str(parent) in (".", "") or name in folders:
                    continue
                folders.add(name)
                info = tarfile.TarInfo(name)
                info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o755, epoch
                info.uname = info.gname = "root"
                archive.addfile(info)
            info = tarfile.TarInfo(path)
            info.size, info.mode, info.mtime = len(entry.content), entry.mode, epoch
            info.uname = info.gname = "root"
            archive.addfile(info, io.BytesIO(entry.content))
    return buffer.getvalue()


def gz(data: bytes) -> bytes:
    """Compressed, without a name and a time."""
    return gzip.compress(data, compresslevel=6, mtime=0)


def zipped(entries: list[Entry], prefix: str) -> bytes:
    """A zip of these files. Its times are the first that a zip can have."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for entry in sorted(entries):
            info = zipfile.ZipInfo(prefix + entry.path, (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.content)
    return buffer.getvalue()


def ar(members: list[tuple[str, bytes]], epoch: int) -> bytes:
    """An archive of ar(5), as a Debian package is one."""
    parts = [b"!<arch>\n"]
    for name, content in members:
        parts.append(f"{name:<16}{epoch:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode())
        parts.append(content + b"\n" * (len(content) % 2))
    return b"".join(parts)
