//! Dependencies of the crates.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::workspace::{MAP, assert_none, crates, package_of, pure_crates, read, root, toml_file};

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

/// The packages that a crate's code uses directly, from its `Cargo.toml`, for all platforms. Packages that only its tests
/// or its build script use are left out.
///
/// `cargo metadata` is no source for this: it needs the packages of every platform, and a build downloads only those of its
/// own.
fn direct(name: &str) -> BTreeSet<String> {
    let manifest = toml_file(&format!("crates/{name}/Cargo.toml"));
    let target_tables = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables =
        [manifest.get("dependencies")].into_iter().chain(target_tables.map(|it| it.get("dependencies")));
    let dependencies = tables.flatten().filter_map(Value::as_table).flatten();
    dependencies
        .map(|(key, value)| value.get("package").and_then(Value::as_str).unwrap_or(key).to_string())
        .collect()
}

/// The entries of `Cargo.lock`, by package name. A name stands for all its versions.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let lock = toml_file("Cargo.lock");
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().expect("Cargo.lock lists packages") {
        let dependencies = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        // `name`, and where there are several versions `name version`.
        let names = dependencies.filter_map(|it| it.as_str()?.split(' ').next());
        let name = package["name"].as_str().expect("a package has a name");
        packages.entry(name.to_string()).or_default().extend(names.map(str::to_string));
    }
    packages
}

/// All packages that a crate's code uses, directly or through others. Build dependencies of other people's packages count
/// too: the lock file does not tell them apart.
fn reached(name: &str, locked: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), direct(name));
    while let Some(package) = open.pop_first() {
        // The lock file's list of our own crates includes what their tests use.
        let own = MAP.iter().find(|name| package_of(name) == package);
        let dependencies = own.map_or_else(
            || locked.get(&package).unwrap_or_else(|| panic!("Cargo.lock lacks {package}")).clone(),
            |name| direct(name),
        );
        seen.insert(package);
        open.extend(dependencies.difference(&seen).cloned());
    }
    seen
}

#[test]
fn a_crate_depends_only_on_crates_above_it_in_the_map() {
    let mut wrong = Vec::new();
    for (own, name) in MAP.iter().enumerate() {
        for dependency in direct(name) {
            let place = MAP.iter().position(|other| package_of(other) == dependency);
            if place.is_some_and(|place| place >= own) {
                wrong.push(format!("{name} depends on {dependency}"));
            }
        }
    }
    assert_none(&wrong, "move what is needed up, or pass it in");
}

#[test]
fn no_pure_crate_depends_on_the_system_however_far_away() {
    let locked = locked();
    let mut wrong = Vec::new();
    for name in pure_crates() {
        let used = reached(&name, &locked);
        wrong.extend(
            WORLD.iter().filter(|world| used.contains(**world)).map(|world| format!("{name} uses {world}")),
        );
    }
    assert_none(&wrong, "a pure crate takes what it needs of the world as arguments");
}

#[test]
fn dependencies_of_dependencies_and_of_single_platforms_are_found() {
    let locked = locked();
    // `machine` uses rustix, which uses libc on some platforms.
    assert!(direct("machine").contains("rustix") && !direct("machine").contains("libc"));
    assert!(reached("machine", &locked).contains("libc"));
    // A table of one platform in a manifest of ours.
    assert!(direct("app").contains("iobound-load"));
    // Only the tests of `model` use proptest.
    assert!(locked["iobound-model"].contains("proptest") && !reached("model", &locked).contains("proptest"));
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
