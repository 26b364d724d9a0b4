//! Who depends on whom.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::workspace::{MAP, assert_none, crates, metadata, package_of, pure_crates, read, root};

/// Crates whose code may not be safe. They give the workspace's other lints themselves.
const UNSAFE: [&str; 3] = ["load", "emulate", "machine"];

/// What no pure crate needs, not even by way of another: the system, the terminal, entropy, a runtime.
const WORLD: [&str; 17] = [
    "libc",
    "rustix",
    "nix",
    "io-uring",
    "mio",
    "tokio",
    "async-std",
    "smol",
    "getrandom",
    "rand",
    "windows-sys",
    "clap",
    "ctrlc",
    "terminal_size",
    "anstream",
    "rusqlite",
    "fuser",
];

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("cargo tells no {key}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn a_crate_depends_only_on_crates_above_it_in_the_map() {
    let metadata = metadata();
    let place = |package: &str| MAP.iter().position(|name| package_of(name) == package);
    let mut wrong = Vec::new();
    for package in list(&metadata, "packages") {
        let name = text(package, "name");
        let Some(own) = place(name).filter(|_| package["source"].is_null()) else { continue };
        for dependency in list(package, "dependencies") {
            // What a crate's tests use is no dependency of the crate.
            if dependency["kind"] == "dev" {
                continue;
            }
            if place(text(dependency, "name")).is_some_and(|other| other >= own) {
                wrong.push(format!("{name} depends on {}", text(dependency, "name")));
            }
        }
    }
    assert_none(&wrong, "move what is needed up, or pass it in");
}

#[test]
fn no_pure_crate_depends_on_the_system_however_far_away() {
    let metadata = metadata();
    let names: BTreeMap<&str, &str> = list(&metadata, "packages")
        .iter()
        .map(|package| (text(package, "id"), text(package, "name")))
        .collect();
    let needs: BTreeMap<&str, Vec<&str>> = list(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| {
            let used = list(node, "deps").iter().filter(|dependency| {
                // Only tests, or only code that runs while compiling, is not in the crate.
                list(dependency, "dep_kinds").iter().any(|kind| kind["kind"].is_null())
            });
            (text(node, "id"), used.map(|dependency| text(dependency, "pkg")).collect())
        })
        .collect();
    let mut wrong = Vec::new();
    for name in pure_crates() {
        let package = package_of(&name);
        let (id, _) = names.iter().find(|(_, known)| **known == package).expect("cargo knows the crate");
        let (mut seen, mut open) = (BTreeSet::new(), vec![*id]);
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(needs.get(id).into_iter().flatten());
            }
        }
        let used: BTreeSet<&str> = seen.iter().map(|id| names[id]).collect();
        wrong.extend(
            WORLD.iter().filter(|world| used.contains(*world)).map(|world| format!("{name} uses {world}")),
        );
    }
    assert_none(&wrong, "a pure crate takes what it needs of the world as arguments");
}

#[test]
fn every_crate_forbids_unsafe_but_those_that_speak_to_the_kernel() {
    let lints = read(&root().join("Cargo.toml"));
    assert!(lints.contains("unsafe_code = \"forbid\""), "the workspace forbids unsafe code");
    let mut wrong = Vec::new();
    for name in crates() {
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        if !manifest.contains("[lints]\nworkspace = true") && !UNSAFE.contains(&name.as_str()) {
            wrong.push(format!("crates/{name}/Cargo.toml"));
        }
    }
    assert_none(&wrong, "take the workspace's lints: [lints] workspace = true");
}
