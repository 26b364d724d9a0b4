"""Manifests of other people's installers, and the list of what the program is made of."""

import hashlib
import json
import re
import subprocess
from pathlib import Path


def sha(content: bytes) -> str:
    """Its SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def krew(version: str, url: str, made: dict[str, bytes]) -> str:
    """`kubectl krew install --manifest=iobound.yaml`, then `kubectl iobound`."""
    lines = [
        "apiVersion: krew.googlecontainertools.github.com/v1alpha2",
        "kind: Plugin",
        "metadata:",
        "  name: iobound",
        "spec:",
        f"  version: v{version}",
        "  shortDescription: Disk performance of cloud VMs and volumes",
        "  description: Predicts, measures and explains the disk performance of cloud VMs.",
        "  platforms:",
    ]
    for name, system, processor, program in PLATFORMS:
        archive = f"iobound-{version}-{name}"
        if archive in made:
            folder = archive.removesuffix(".tar.gz").removesuffix(".zip")
            lines += [
                f"  - selector: {{matchLabels: {{os: {system}, arch: {processor}}}}}",
                f"    uri: {url}/{archive}",
                f"    sha256: {sha(made[archive])}",
                f"    files: [{{from: {folder}/{program}, to: .}}, {{from: {folder}/LICENSE-MIT, to: .}}]",
                f"    bin: {program}",
            ]
    return "\n".join(lines) + "\n"


#: Archive, system and processor as krew calls them, and the program in it.
PLATFORMS = [
    ("x86_64-linux.tar.gz", "linux", "amd64", "iobound"),
    ("aarch64-linux.tar.gz", "linux", "arm64", "iobound"),
    ("x86_64-windows.zip", "windows", "amd64", "iobound.exe"),
]


def homebrew(version: str, url: str, made: dict[str, bytes]) -> str:
    """A formula for Homebrew on Linux; there is no build for macOS."""
    blocks = ""
    for name, on in (("x86_64-linux.tar.gz", "on_intel"), ("aarch64-linux.tar.gz", "on_arm")):
        archive = f"iobound-{version}-{name}"
        if archive in made:
            blocks += f'  {on} do\n    url "{url}/{archive}"\n    sha256 "{sha(made[archive])}"\n  end\n'
    return (
        'class Iobound < Formula\n  desc "Disk performance of cloud VMs: predict, measure, explain"\n'
        f'  homepage "{url}"\n  version "{version}"\n  license any_of: ["MIT", "Apache-2.0"]\n'
        f"  depends_on :linux\n{blocks}"
        '  def install\n    bin.install "iobound"\n'
        '    generate_completions_from_executable(bin/"iobound", "completions")\n'
        '    system bin/"iobound", "man", "--folder", man1\n  end\n'
        '  test do\n    system bin/"iobound", "predict", "--vm", "DS14", "--disk", "10xP30"\n  end\nend\n'
    )


def winget(version: str, url: str, archive: str, content: bytes) -> dict[str, str]:
    """The three manifests of winget, by file name."""
    same = f"PackageIdentifier: iobound.iobound\nPackageVersion: {version}\n"
    end = "ManifestVersion: 1.6.0\n"
    folder = archive.removesuffix(".zip")
    return {
        "iobound.iobound.yaml": f"{same}DefaultLocale: en-US\nManifestType: version\n{end}",
        "iobound.iobound.locale.en-US.yaml": (
            f"{same}PackageLocale: en-US\nPublisher: iobound\nPackageName: iobound\nLicense: MIT OR Apache-2.0\n"
            "ShortDescription: Predicts, measures and explains the disk performance of cloud VMs\n"
            f"ManifestType: defaultLocale\n{end}"
        ),
        "iobound.iobound.installer.yaml": (
            f"{same}InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n"
            f"- RelativeFilePath: {folder}\\iobound.exe\n  PortableCommandAlias: iobound\nInstallers:\n"
            f"- Architecture: x64\n  InstallerUrl: {url}/{archive}\n"
            f"  InstallerSha256: {sha(content).upper()}\nManifestType: installer\n{end}"
        ),
    }


def checksums() -> dict[tuple[str, str], str]:
    """The SHA-256 of each published crate in Cargo.lock, by name and version."""
    found = re.findall(
        r'name = "([^"]+)"\nversion = "([^"]+)"\nsource = "[^"]+"\nchecksum = "([^"]+)"', Path("Cargo.lock").read_text()
    )
    return {(name, version): digest for name, version, digest in found}


def hashes_of(digest: str | None) -> dict[str, list[dict[str, str]]]:
    """The key `hashes` of a component; none for this project's own crates."""
    return {"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {}


def sbom(version: str, created: str) -> str:
    """The crates of the full program, with versions, licences and checksums, as CycloneDX 1.5."""
    words = ["cargo", "metadata", "--locked", "--format-version", "1", "--features", "iobound/full"]
    metadata = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    needed: set[str] = set()
    (program,) = [key for key, package in packages.items() if package["name"] == "iobound"]
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    open_ids = [program]
    while open_ids:
        current = open_ids.pop()
        if current in needed:
            continue
        needed.add(current)
        for dependency in nodes[current]["deps"]:
            # Packages of tests alone are in no program.
            if any(kind["kind"] != "dev" for kind in dependency["dep_kinds"]):
                open_ids.append(dependency["pkg"])
    locked = checksums()
    components = [
        {
            "type": "library",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
            "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
            **hashes_of(locked.get((package["name"], package["version"]))),
        }
        for package in sorted((packages[key] for key in needed), key=lambda it: (it["name"], it["version"]))
    ]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": created,
            "component": {"type": "application", "name": "iobound", "version": version},
        },
        "components": components,
    }
    return json.dumps(document, indent=1, sort_keys=True) + "\n"
