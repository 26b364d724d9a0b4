//! A cloud is one folder: what names Google Cloud outside of it is little, and listed.

use crate::workspace::{assert_none, files, read, root, short};

/// The most lines outside the cloud's folder, its data, tests and documentation.
const MOST: usize = 150;

/// Folder of the cloud's own code.
const FOLDER: &str = "crates/catalog/src/clouds/gcp/";

/// What names the cloud or one of its kinds of disk, in lower case.
const NAMES: [&str; 9] = [
    "gcp",
    "google",
    "hyperdisk",
    "persistent disk",
    "pd-standard",
    "pd-balanced",
    "pd-ssd",
    "pd-extreme",
    "compute#",
];

/// True if a file has nothing but the cloud's: all its lines count.
fn is_its_own(path: &str) -> bool {
    path.ends_with("/gcp.rs") || path.contains("/gcp/")
}

/// Number of lines of the item that begins at the first of `lines`: a function, to its closing brace.
fn item_lines(lines: &[&str]) -> usize {
    let first = lines[0];
    let indent = first.len() - first.trim_start().len();
    if !first.contains("fn ") || !first.trim_end().ends_with('{') {
        return 1;
    }
    let end = lines.iter().position(|line| *line == format!("{}}}", " ".repeat(indent)));
    end.map_or(1, |end| end + 1)
}

/// Lines of a file that are about the cloud; tests at its foot are left out.
fn about(path: &str, text: &str) -> Vec<String> {
    let code: Vec<&str> =
        text.lines().take_while(|line| !line.trim_start().starts_with("#[cfg(test)]")).collect();
    let names = |line: &str| {
        let lower = line.to_ascii_lowercase();
        NAMES.iter().any(|name| lower.contains(name))
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let taken = match () {
            () if is_its_own(path) => 1,
            () if names(code[at]) => item_lines(&code[at..]),
            () => 0,
        };
        found.extend((at..at + taken).map(|line| format!("{path}:{}: {}", line + 1, code[line].trim())));
        at += taken.max(1);
    }
    found
}

/// Run with `--nocapture` for the list.
#[test]
fn little_outside_the_folder_of_google_cloud_names_it() {
    let mut lines = Vec::new();
    for folder in ["crates", "python/iobound", "python/src"] {
        for path in files(&root().join(folder), &[".rs", ".py", ".js"]) {
            let name = short(&path);
            if !name.starts_with(FOLDER) && !name.contains("/tests/") && !name.contains("/benches/") {
                lines.extend(about(&name, &read(&path)));
            }
        }
    }
    for line in &lines {
        println!("{line}");
    }
    println!("{} lines, at most {MOST}", lines.len());
    assert!(lines.len() > 20, "the folder is named somewhere: {lines:?}");
    let over: Vec<String> = lines.iter().skip(MOST).cloned().collect();
    assert_none(&over, "move it into crates/catalog/src/clouds/gcp: a property or a function of CloudRules");
}

#[test]
fn a_function_of_the_cloud_counts_with_its_body() {
    let text =
        "fn gcp() {\n    one();\n}\n\nfn other() {\n    two();\n    gcp();\n}\n#[cfg(test)]\nmod gcp {}\n";
    assert_eq!(about("crates/a/src/b.rs", text).len(), 4);
    assert_eq!(about("crates/a/src/gcp.rs", text).len(), 8);
}
