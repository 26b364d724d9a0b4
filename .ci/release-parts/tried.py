"""Reads the manifests of a release as their installers do, as far as that goes without them.

/usr/bin/python3 .ci/release-parts/tried.py FOLDER URL
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import yaml


def main() -> None:
    folder, url = Path(sys.argv[1]), sys.argv[2]
    documents = {path.name: list(yaml.safe_load_all(path.read_text())) for path in sorted(folder.glob("*.yaml"))}

    def same(address: str, digest: str) -> None:
        """A file of this release is at the address and has the digest."""
        name = address.removeprefix(f"{url}/")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest.lower(), address

    (plugin,) = documents["iobound-krew.yaml"]
    assert plugin["kind"] == "Plugin" and plugin["spec"]["platforms"], plugin
    for platform in plugin["spec"]["platforms"]:
        same(platform["uri"], platform["sha256"])
    claim, job = documents["iobound-job.yaml"]
    pod = job["spec"]["template"]["spec"]
    volumes = [volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"]]
    assert (claim["kind"], job["kind"]) == ("PersistentVolumeClaim", "Job")
    assert volumes == [claim["metadata"]["name"]] and pod["restartPolicy"] == "Never", job
    installers = [name for name in documents if name.endswith(".installer.yaml")]
    for name in installers:
        (installer,) = documents[name]
        for entry in installer["Installers"]:
            same(entry["InstallerUrl"], entry["InstallerSha256"])
    formula = (folder / "iobound.rb").read_text()
    pairs = re.findall(r'url "([^"]+)"\n\s+sha256 "([^"]+)"', formula)
    assert pairs, formula
    for address, digest in pairs:
        same(address, digest)
    crates = json.loads((folder / "iobound.cdx.json").read_text())["components"]
    own = [crate["name"] for crate in crates if not crate.get("hashes")]
    assert len(crates) > 100 and all(name.startswith("iobound") for name in own), own
    print(f"{len(documents)} manifests in YAML, {len(pairs)} archives of the formula, {len(crates)} crates")


if __name__ == "__main__":
    main()
