//! Paths and names in the documents exist.

use std::path::Path;

use crate::workspace::{assert_none, crates, files, read, root, short};

/// Everything between single backquotes, outside of blocks.
fn quoted(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2).map(|part| (number + 1, part.to_string())));
        }
    }
    found
}

/// The targets of links to files of the project.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for part in line.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") {
                found.push((number + 1, target.to_string()));
            }
        }
    }
    found
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let mut wrong = Vec::new();
    for document in files(&root(), &[".md"]) {
        let text = read(&document);
        let folder = document.parent().expect("a file lies in a folder");
        for (line, name) in quoted(&text) {
            let is_path = ["crates/", "docs/", "benches/", "fuzz/", "python/", ".ci/"]
                .iter()
                .any(|start| name.starts_with(start));
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if is_path && plain && !root().join(&name).exists() {
                wrong.push(format!("{}:{line} names {name}", short(&document)));
            }
        }
        for (line, target) in links(&text) {
            if !folder.join(Path::new(&target)).exists() {
                wrong.push(format!("{}:{line} links to {target}", short(&document)));
            }
        }
    }
    assert_none(&wrong, "a document names what is there");
}

#[test]
fn every_crate_has_its_row_in_the_map() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let missing: Vec<String> =
        crates().into_iter().filter(|name| !text.contains(&format!("\n| `crates/{name}` |"))).collect();
    assert_none(&missing, "say in ARCHITECTURE.md what the crate is, and what it is not");
}

#[test]
fn the_book_has_every_page_of_the_guide() {
    let folder = root().join("docs");
    let summary = read(&folder.join("SUMMARY.md"));
    let missing: Vec<String> = files(&folder, &[".md"])
        .iter()
        .filter_map(|path| path.strip_prefix(&folder).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .filter(|name| name != "SUMMARY.md" && !name.starts_with("decisions/"))
        .filter(|name| !summary.contains(&format!("({name})")))
        .collect();
    assert_none(&missing, "list the page in docs/SUMMARY.md");
}

#[test]
fn every_decision_is_listed_and_numbered_once() {
    let folder = root().join("docs/decisions");
    let list = read(&folder.join("README.md"));
    let mut numbers = Vec::new();
    let mut wrong = Vec::new();
    for path in files(&folder, &[".md"]).iter().filter(|path| !path.ends_with("README.md")) {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let number: usize = name.split('-').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        if !list.contains(&format!("({name})")) {
            wrong.push(format!("{name} is not in docs/decisions/README.md"));
        }
        numbers.push(number);
    }
    if numbers != (1..=numbers.len()).collect::<Vec<_>>() {
        wrong.push(format!("the numbers are {numbers:?}"));
    }
    assert_none(&wrong, "decisions are numbered from 0001 without a gap, and listed");
}
