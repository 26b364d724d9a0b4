//! The files of the workspace.

use std::path::{Path, PathBuf};

/// The map of ARCHITECTURE.md: a crate depends only on crates before it.
pub(crate) const MAP: [&str; 23] = [
    "units",
    "model",
    "workload",
    "measure",
    "trace",
    "documents",
    "formats",
    "catalog",
    "drive",
    "predict",
    "probe",
    "lab",
    "explain",
    "plan",
    "report",
    "machine",
    "load",
    "emulate",
    "results",
    "fleet",
    "app",
    "serve",
    "cli",
];

/// Crates that touch the world. All others take time, seeds, files and the environment as arguments.
pub(crate) const IMPURE: [&str; 8] =
    ["machine", "load", "emulate", "results", "fleet", "app", "serve", "cli"];

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// The crates there are, in the order of the map.
pub(crate) fn crates() -> Vec<String> {
    let mut crates: Vec<String> = std::fs::read_dir(root().join("crates"))
        .expect("there are crates")
        .map(|entry| entry.expect("a folder can be read").file_name().to_string_lossy().into_owned())
        .collect();
    let place = |name: &String| MAP.iter().position(|known| known == name);
    if let Some(unknown) = crates.iter().find(|name| place(name).is_none()) {
        panic!("crates/{unknown} has no place in the map: give it one in ARCHITECTURE.md and here");
    }
    crates.sort_by_key(place);
    crates
}

pub(crate) fn pure_crates() -> Vec<String> {
    crates().into_iter().filter(|name| !IMPURE.contains(&name.as_str())).collect()
}

/// The crate's package: `iobound-model`, and `iobound` for the program.
pub(crate) fn package_of(name: &str) -> String {
    if name == "cli" { "iobound".to_string() } else { format!("iobound-{name}") }
}

/// A TOML file of the workspace, such as `Cargo.lock`.
pub(crate) fn toml_file(path: &str) -> toml::Table {
    read(&root().join(path)).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file below `folder` whose name ends so, in order.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries {
        let entry = entry.expect("a folder can be read");
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if name != "target" && (!name.starts_with('.') || name == ".ci") {
                found.extend(files(&path, endings));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A path as a person of the project would write it.
pub(crate) fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Fails with all that was found wrong, and how to fix it.
#[track_caller]
pub(crate) fn assert_none(wrong: &[String], help: &str) {
    assert!(wrong.is_empty(), "{help}:\n  {}", wrong.join("\n  "));
}
