"""Packs built programs into everything that is published, and tries what can be tried here: see `.ci/release`.

python3 .ci/release-parts OUT VERSION EPOCH URL [x86_64=PATH] [aarch64=PATH] [windows=PATH] [wheel=PATH]
"""

import datetime
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import manifests
import packages
from archives import Entry, gz, tar, zipped

TEXTS = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "NOTICE"]

#: Where each shell looks for completions of a package.
COMPLETIONS = {
    "bash": "usr/share/bash-completion/completions/iobound",
    "zsh": "usr/share/zsh/vendor-completions/_iobound",
    "fish": "usr/share/fish/vendor_completions.d/iobound.fish",
}

JOB = """\
# One run on a volume of its own: `kubectl apply -f iobound-job.yaml`, then `kubectl logs job/iobound`.
# Load the image of this release into a registry of yours and name it below.
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: iobound}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {{requests: {{storage: 16Gi}}}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: iobound}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      securityContext: {{runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532}}
      containers:
      - name: iobound
        image: REGISTRY/iobound:{version}
        args: [run, /data, --duration, 60s]
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {{drop: [ALL]}}
        volumeMounts: [{{name: data, mountPath: /data}}]
      volumes:
      - name: data
        persistentVolumeClaim: {{claimName: iobound}}
"""


def extras_of(program: Path) -> list[Entry]:
    """Manual pages and completions, as a program of this machine prints them."""
    extras = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "man", "--folder", folder], check=True, stdout=subprocess.DEVNULL)
        for page in sorted(Path(folder).iterdir()):
            extras.append(Entry(f"usr/share/man/man1/{page.name}.gz", gz(page.read_bytes())))
    for shell, path in COMPLETIONS.items():
        printed = subprocess.run([program, "completions", shell], check=True, capture_output=True)
        extras.append(Entry(path, printed.stdout))
    return extras


def pack(version: str, epoch: int, url: str, programs: dict[str, Path]) -> dict[str, bytes]:
    """Everything that is published, by file name."""
    texts = [Entry(name, Path(name).read_bytes()) for name in TEXTS]
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    extras = extras_of(programs["x86_64"])
    made: dict[str, bytes] = {}
    linux = {name: path.read_bytes() for name, path in programs.items() if name in packages.PROCESSORS}
    for processor, program in linux.items():
        name = f"iobound-{version}-{processor}-linux"
        entries = [Entry("iobound", program, 0o755), *texts]
        made[f"{name}.tar.gz"] = gz(tar(entries, epoch, f"{name}/"))
        files = packages.installed(program, extras, texts)
        debian, red_hat, _ = packages.PROCESSORS[processor]
        made[f"iobound_{version}_{debian}.deb"] = packages.deb(files, version, processor, epoch)
        made[f"iobound-{version}-1.{red_hat}.rpm"] = packages.rpm(files, version, processor, epoch)
    made[f"iobound-{version}-oci.tar"] = packages.oci(linux, texts, version, epoch, created)
    if "windows" in programs:
        name = f"iobound-{version}-x86_64-windows"
        program = Entry("iobound.exe", programs["windows"].read_bytes(), 0o755)
        made[f"{name}.zip"] = zipped([program, *texts], f"{name}/")
        files = manifests.winget(version, url, f"{name}.zip", made[f"{name}.zip"])
        made |= {file: text.encode() for file, text in files.items()}
    if "wheel" in programs:
        made[programs["wheel"].name] = programs["wheel"].read_bytes()
    made["iobound-krew.yaml"] = manifests.krew(version, url, made).encode()
    made["iobound.rb"] = manifests.homebrew(version, url, made).encode()
    made["iobound-job.yaml"] = JOB.format(version=version).encode()
    made["iobound.cdx.json"] = manifests.sbom(version, created).encode()
    sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(made.items())]
    made["SHA256SUMS"] = "".join(sums).encode()
    return made


def main() -> None:
    out, version, epoch, url, *named = sys.argv[1:]
    programs = {name: Path(path) for name, path in (word.split("=", 1) for word in named)}
    first = pack(version, int(epoch), url, programs)
    again = pack(version, int(epoch), url, programs)
    differ = [name for name in first if first[name] != again[name]]
    if differ:
        sys.exit(f"packed twice, these differ: {', '.join(differ)}")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in first.items():
        (folder / name).write_bytes(content)
        print(f"{len(content) // 1024:>8} KiB  {name}")


if __name__ == "__main__":
    main()
