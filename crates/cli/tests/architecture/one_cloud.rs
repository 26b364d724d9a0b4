//! A cloud is one folder: what is about Google Cloud outside of it is little, and listed.

use crate::workspace::{assert_none, files, read, root, short};

/// The most lines outside the cloud's folder, its data, tests and documentation.
const MOST: usize = 150;

/// The most questions of `CloudRules` that only this cloud answers in a way of its own.
const MOST_QUESTIONS: usize = 9;

/// Folder of the cloud's own code.
const FOLDER: &str = "crates/catalog/src/clouds/gcp/";

/// What names the cloud or one of its kinds of disk, in lower case.
const NAMES: [&str; 10] = [
    "gcp",
    "google",
    "gcloud",
    "hyperdisk",
    "persistent disk",
    "pd-standard",
    "pd-balanced",
    "pd-ssd",
    "pd-extreme",
    "compute#",
];

/// Items and variants that exist for its VMs and disks alone, without their name.
const ITS_ITEMS: [&str; 8] = [
    "by_link",
    "Slot::Link",
    "DeviceNaming::Link",
    "Link(String)",
    "Performance::Pooled",
    "Performance::Tied",
    "Pooled(Pooled)",
    "Tied(Tied)",
];

/// Beginnings of an item that counts as a whole.
const ITEMS: [&str; 6] = ["fn ", "struct ", "enum ", "impl ", "const ", "static "];

/// True if a file has nothing but the cloud's: all its lines count.
fn is_its_own(path: &str) -> bool {
    path.ends_with("/gcp.rs") || path.contains("/gcp/")
}

/// True if a line names the cloud.
fn names(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    NAMES.iter().any(|name| lower.contains(name)) || ITS_ITEMS.iter().any(|item| line.contains(item))
}

/// True if a line of documentation says that its item is the cloud's. Text in backticks is an example of a value.
fn is_subject(doc: &str) -> bool {
    doc.split('`').step_by(2).any(names)
}

/// True if a line belongs to the item below: documentation or an attribute.
fn is_above_item(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("///") || line.starts_with("#[")
}

/// True if an item with a body of its own begins in this line.
fn begins_item(line: &str) -> bool {
    let words = ["pub", "(crate)", "(super)", " "]
        .iter()
        .fold(line.trim_start(), |words, before| words.strip_prefix(before).unwrap_or(words));
    ITEMS.iter().any(|item| words.starts_with(item))
}

/// Number of lines of the item that begins at the first of `lines`, to its closing bracket.
fn item_lines(lines: &[&str]) -> usize {
    let first = lines[0];
    if !begins_item(first) || first.trim_end().ends_with([';', '}']) {
        return 1;
    }
    let indent = " ".repeat(first.len() - first.trim_start().len());
    let ends = ["}", "};", "];", ");"].map(|end| format!("{indent}{end}"));
    let end = lines.iter().position(|line| ends.iter().any(|end| line == end));
    end.map_or(1, |end| end + 1)
}

/// Number of lines at the beginning of `lines` that are about the cloud; 0: the first one is not.
fn taken(lines: &[&str]) -> usize {
    let above = lines.iter().take_while(|line| is_above_item(line)).count();
    let Some(item) = lines.get(above) else { return usize::from(names(lines[0])) };
    let is_its = names(item) && begins_item(item) || lines[..above].iter().any(|doc| is_subject(doc));
    match () {
        () if is_its => above + item_lines(&lines[above..]),
        () => usize::from(names(lines[0])),
    }
}

/// Lines of a file that are about the cloud; tests at its foot are left out.
fn about(path: &str, text: &str) -> Vec<String> {
    let code: Vec<&str> =
        text.lines().take_while(|line| !line.trim_start().starts_with("#[cfg(test)]")).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let taken = if is_its_own(path) { 1 } else { taken(&code[at..]) };
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
    let mut by_file: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for line in &lines {
        println!("{line}");
        *by_file.entry(line.split(':').next().unwrap_or_default()).or_default() += 1;
    }
    for (file, count) in &by_file {
        println!("{count:4} {file}");
    }
    println!("{} lines, at most {MOST}", lines.len());
    assert!(lines.len() > 20, "the folder is named somewhere: {lines:?}");
    let over: Vec<String> = lines.iter().skip(MOST).cloned().collect();
    assert_none(&over, "move it into crates/catalog/src/clouds/gcp: a property or a function of CloudRules");
}

/// The fields of a cloud's `CloudRules`, and their values as text.
fn answers(cloud: &str) -> std::collections::BTreeMap<String, String> {
    let text = read(&root().join(format!("crates/catalog/src/clouds/{cloud}/mod.rs")));
    let table = text.split_once("CloudRules = CloudRules {").expect("a cloud has a table").1;
    let mut answers = std::collections::BTreeMap::new();
    let mut field = String::new();
    for line in table.lines().take_while(|line| *line != "};") {
        if let Some((name, value)) = line.strip_prefix("    ").and_then(|line| line.split_once(": "))
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            field = name.to_string();
            answers.insert(field.clone(), value.to_string());
        } else if let Some(value) = answers.get_mut(&field) {
            value.push_str(line.trim());
        }
    }
    answers
}

/// The interface of a cloud is general: most of what it asks, another cloud answers with more than "none".
/// Run with `--nocapture` for the list.
#[test]
fn few_questions_are_answered_by_google_cloud_alone() {
    let [its, aws, azure, own] = ["gcp", "aws", "azure", "own"].map(answers);
    assert!(its.len() > 30, "{its:?}");
    let is_alone = |(name, value): &(&String, &String)| {
        let others = [&aws, &azure, &own].map(|of| of.get(*name));
        others[0] == others[1] && others[1] == others[2] && others[0] != Some(value)
    };
    let alone: Vec<String> =
        its.iter().filter(is_alone).map(|(name, value)| format!("{name}: {value}")).collect();
    for question in &alone {
        println!("{question}");
    }
    let over: Vec<String> = alone.iter().skip(MOST_QUESTIONS).cloned().collect();
    assert_none(&over, "ask a question that more than one cloud has an answer to");
}

#[test]
fn items_of_the_cloud_count_with_documentation_and_body() {
    let text = "/// Starts.\nfn gcp() {\n    one();\n}\n\nfn other() {\n    two();\n    gcp();\n}\n\
        /// A disk of Google's.\n#[derive(Debug)]\npub(crate) struct Disk {\n    pub size: u64,\n}\n\
        /// A word such as `pd-ssd`.\nfn word() {\n    two();\n}\n\
        /// Google's disk.\nA,\nB,\n#[cfg(test)]\nmod gcp {}\n";
    let found = about("crates/a/src/b.rs", text);
    let lines: Vec<usize> = found.iter().filter_map(|line| line.split(':').nth(1)?.parse().ok()).collect();
    assert_eq!(lines, [1, 2, 3, 4, 8, 10, 11, 12, 13, 14, 15, 19, 20]);
    assert_eq!(about("crates/a/src/gcp.rs", text).len(), 21);
}
