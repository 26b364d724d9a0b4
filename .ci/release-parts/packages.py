"""Packages of one program: Debian, RPM, OCI."""

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

from archives import Entry, ar, gz, tar

SUMMARY = "Predicts, measures and explains the disk performance of cloud VMs"

#: Names of processors: of Rust, Debian, RPM, OCI.
PROCESSORS = {"x86_64": ("amd64", "x86_64", "amd64"), "aarch64": ("arm64", "aarch64", "arm64")}


def installed(program: bytes, extras: list[Entry], texts: list[Entry]) -> list[Entry]:
    """The files of a Linux package: the program, manual pages, completions, licences."""
    docs = [Entry(f"usr/share/doc/iobound/{entry.path}", entry.content) for entry in texts]
    return [Entry("usr/bin/iobound", program, 0o755), *extras, *docs]


def deb(files: list[Entry], version: str, processor: str, epoch: int) -> bytes:
    """A package of Debian and Ubuntu. It depends on nothing: the program is static."""
    size = sum(len(entry.content) for entry in files) // 1024 + 1
    control = (
        f"Package: iobound\nVersion: {version}\nArchitecture: {PROCESSORS[processor][0]}\n"
        f"Maintainer: The iobound authors <noreply@iobound.invalid>\nInstalled-Size: {size}\n"
        f"Section: admin\nPriority: optional\nDescription: {SUMMARY}\n"
    )
    sums = "".join(f"{hashlib.md5(entry.content).hexdigest()}  {entry.path}\n" for entry in sorted(files))
    about = tar([Entry("control", control.encode()), Entry("md5sums", sums.encode())], epoch, "./")
    return ar(
        [
            ("debian-binary", b"2.0\n"),
            ("control.tar.gz", gz(about)),
            ("data.tar.gz", gz(tar(files, epoch, "./"))),
        ],
        epoch,
    )


def rpm(files: list[Entry], version: str, processor: str, epoch: int) -> bytes:
    """A package of Fedora, RHEL, SUSE and Amazon Linux, made by rpmbuild."""
    target = PROCESSORS[processor][1]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "files"
        for entry in files:
            path = root / entry.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(entry.content)
            path.chmod(entry.mode)
            os.utime(path, (epoch, epoch))
        names = "".join(f"%attr({entry.mode:o}, root, root) /{entry.path}\n" for entry in sorted(files))
        spec = Path(folder) / "iobound.spec"
        spec.write_text(
            f"Name: iobound\nVersion: {version}\nRelease: 1\nSummary: {SUMMARY}\nLicense: MIT OR Apache-2.0\n"
            "AutoReqProv: no\n%description\n"
            f"{SUMMARY}.\n%install\nmkdir -p %{{buildroot}}\ncp -a {root}/. %{{buildroot}}/\n%files\n{names}"
        )
        macros = {
            "_topdir": folder,
            "_build_id_links": "none",
            "_buildhost": "iobound",
            "__os_install_post": "%{nil}",
            "debug_package": "%{nil}",
            "use_source_date_epoch_as_buildtime": "1",
            "clamp_mtime_to_source_date_epoch": "1",
            "_binary_payload": "w6.gzdio",
        }
        defines = [word for name, value in macros.items() for word in ("--define", f"{name} {value}")]
        subprocess.run(
            ["rpmbuild", "-bb", "--quiet", "--target", target, *defines, str(spec)],
            check=True,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
            stdout=subprocess.DEVNULL,
        )
        (made,) = Path(folder).glob("RPMS/*/*.rpm")
        return made.read_bytes()


def oci(programs: dict[str, bytes], texts: list[Entry], version: str, epoch: int, created: str) -> bytes:
    """An OCI image layout as a tar, for every processor: the program alone, for a user without rights."""
    blobs: dict[str, bytes] = {}

    def blob(kind: str, content: bytes) -> dict[str, object]:
        digest = hashlib.sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}

    def document(kind: str, value: object) -> dict[str, object]:
        return blob(kind, json.dumps(value, sort_keys=True, separators=(",", ":")).encode())

    manifests = []
    for processor, program in sorted(programs.items()):
        licences = [Entry(f"licenses/{entry.path}", entry.content) for entry in texts]
        layer = tar([Entry("iobound", program, 0o755), *licences], epoch)
        packed = blob("application/vnd.oci.image.layer.v1.tar+gzip", gz(layer))
        config = document(
            "application/vnd.oci.image.config.v1+json",
            {
                "architecture": PROCESSORS[processor][2],
                "os": "linux",
                "created": created,
                "config": {"User": "65532:65532", "Entrypoint": ["/iobound"], "WorkingDir": "/"},
                "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
                "history": [{"created": created, "created_by": ".ci/release"}],
            },
        )
        kind = "application/vnd.oci.image.manifest.v1+json"
        manifest = document(kind, {"schemaVersion": 2, "mediaType": kind, "config": config, "layers": [packed]})
        manifests.append({**manifest, "platform": {"architecture": PROCESSORS[processor][2], "os": "linux"}})
    kind = "application/vnd.oci.image.index.v1+json"
    several = document(kind, {"schemaVersion": 2, "mediaType": kind, "manifests": manifests})
    named = {**several, "annotations": {"org.opencontainers.image.ref.name": version}}
    index = json.dumps({"schemaVersion": 2, "mediaType": kind, "manifests": [named]}, sort_keys=True)
    files = [Entry(path, content) for path, content in blobs.items()]
    files += [Entry("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'), Entry("index.json", index.encode())]
    return tar(files, epoch)
