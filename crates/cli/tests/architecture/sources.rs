//! Words that the sources must not contain.

use std::path::PathBuf;

use crate::workspace::{assert_none, crates, files, pure_crates, read, root, short};

/// Names that a pure crate has no use for: clocks, files, the environment, the terminal, and maps whose order
/// differs from run to run.
const IMPURITIES: [&str; 21] = [
    "std::time",
    "SystemTime",
    "Instant::now",
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "thread::sleep",
    "HashMap",
    "HashSet",
    "RandomState",
    "DefaultHasher",
    "println!",
    "eprintln!",
    "print!(",
    "eprint!(",
    "stdout()",
    "stderr()",
    "stdin()",
    "async fn",
    ".await",
];

/// Functions whose last digits differ from platform to platform: the system's mathematics, or LLVM's.
const INEXACT: [&str; 18] = [
    "ln", "exp", "powf", "powi", "exp2", "log", "log2", "log10", "ln_1p", "exp_m1", "cbrt", "hypot", "sin",
    "cos", "tan", "atan", "sinh", "tanh",
];

/// Words that only the catalogue knows. The model has parameters in their place.
const PRODUCTS: [&str; 16] = [
    "azure",
    "premium",
    "ultra",
    "aws",
    "ebs",
    "gp2",
    "gp3",
    "io1",
    "io2",
    "st1",
    "sc1",
    "nitro",
    "hyperdisk",
    "google",
    "microsoft",
    "amazon",
];

/// Crates that know no product: they are handed blueprints, workloads and times.
const NAMELESS: [&str; 4] = ["units", "model", "measure", "drive"];

/// The most lines of a file.
const LONGEST: usize = 600;

/// A line of code: not a comment, not in the tests at a file's foot.
pub(crate) struct Line {
    pub(crate) place: String,
    pub(crate) code: String,
}

fn code_of(folder: PathBuf) -> Vec<Line> {
    let mut lines = Vec::new();
    for path in files(&folder, &[".rs"]) {
        let text = read(&path);
        for (number, line) in text.lines().enumerate() {
            if ["#[cfg(test)]", "#[cfg(all(test"].iter().any(|start| line.trim_start().starts_with(start)) {
                break;
            }
            let code = line.split("//").next().unwrap_or_default();
            if !code.trim().is_empty() {
                lines
                    .push(Line { place: format!("{}:{}", short(&path), number + 1), code: code.to_string() });
            }
        }
    }
    lines
}

pub(crate) fn source_of(name: &str) -> Vec<Line> {
    code_of(root().join("crates").join(name).join("src"))
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// A name alone is a whole word: DiskSpd's `UseSystemTimer` is no clock.
fn is_named(code: &str, name: &str) -> bool {
    if name.bytes().all(|b| b.is_ascii_alphanumeric()) {
        words(code).any(|word| word == name)
    } else {
        code.contains(name)
    }
}

#[test]
fn pure_crates_name_no_clock_no_file_no_environment_and_no_unordered_map() {
    let mut wrong = Vec::new();
    for name in pure_crates() {
        for line in source_of(&name) {
            let named = IMPURITIES.iter().filter(|impurity| is_named(&line.code, impurity));
            wrong.extend(named.map(|impurity| format!("{} names {impurity}", line.place)));
        }
    }
    assert_none(&wrong, "time, seeds, files and the environment are arguments; BTreeMap has an order");
}

#[test]
fn results_do_not_depend_on_the_platforms_mathematics() {
    let mut wrong = Vec::new();
    for name in pure_crates() {
        for line in source_of(&name) {
            let called = INEXACT.iter().filter(|function| line.code.contains(&format!(".{function}(")));
            wrong.extend(called.map(|function| format!("{} calls {function}", line.place)));
        }
    }
    assert_none(
        &wrong,
        "use the tables (model's exponential, workload's math): + - * / and sqrt are exact everywhere",
    );
}

#[test]
fn the_model_and_what_drives_it_know_no_product() {
    let mut wrong = Vec::new();
    for name in NAMELESS {
        for line in source_of(name) {
            let lower = line.code.to_ascii_lowercase();
            let product = words(&lower).find(|word| PRODUCTS.contains(word) || is_tier(word));
            wrong.extend(product.map(|product| format!("{} says {product}", line.place)));
        }
    }
    assert_none(
        &wrong,
        "what is particular to a product is a parameter, and its value is a row of the catalogue",
    );
}

/// `p30`, `e4`, `s80`: a disk's tier.
fn is_tier(word: &str) -> bool {
    let Some(number) = word.strip_prefix(['p', 'e', 's']).and_then(|digits| digits.parse::<u32>().ok())
    else {
        return false;
    };
    // `p50` and `p90` are percentiles, and `p99` is no tier.
    word.starts_with(['e', 's']) && (4..=80).contains(&number) && number % 5 == 0
        || [1, 2, 3, 4, 6, 15, 20, 30, 40, 60, 70, 80].contains(&number) && word.starts_with('p')
}

/// The enums that only `clouds/` may name a variant of.
const CLOUD_NAMES: [&str; 2] = ["Cloud", "DiskType"];

/// True if a line names a variant, or imports variants: `Cloud::Azure`, `DiskType::{Gp2, Gp3}`. `Cloud::ALL` is no variant.
fn names_a_variant(code: &str) -> bool {
    let of = |name: &&str| {
        code.match_indices(&format!("{name}::")).any(|(at, found)| {
            let before = code[..at].chars().next_back();
            let mut after = code[at + found.len()..].chars();
            let variant = match after.next() {
                Some('{' | '*') => true,
                Some(first) => {
                    first.is_ascii_uppercase() && after.next().is_some_and(|c| c.is_ascii_lowercase())
                }
                None => false,
            };
            variant && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    CLOUD_NAMES.iter().any(of)
}

#[test]
fn only_the_folders_of_the_clouds_know_a_cloud_or_a_kind_of_disk_by_name() {
    let mut wrong = Vec::new();
    for name in crates() {
        let lines =
            source_of(&name).into_iter().filter(|line| !line.place.starts_with("crates/catalog/src/clouds/"));
        wrong.extend(lines.filter(|line| names_a_variant(&line.code)).map(|line| line.place));
    }
    assert_none(
        &wrong,
        "ask for a property of it: Cloud::rules, DiskType::kind; a missing one is a new field of these",
    );
}

#[test]
fn no_wildcard_stands_for_a_cloud_or_a_kind_of_disk() {
    let mut wrong = Vec::new();
    let lines = code_of(root().join("crates/catalog/src/clouds"));
    let indent = |line: &Line| line.code.len() - line.code.trim_start().len();
    for (at, line) in lines.iter().enumerate() {
        let is_arm = line.code.split_once("=>").is_some_and(|(pattern, _)| names_a_variant(pattern));
        let depth = indent(line);
        // The arms of one match stand at one indentation, and nothing between them stands further out.
        let after = lines[at..].iter().take_while(|other| indent(other) >= depth);
        let others = after.filter(|other| indent(other) == depth && is_arm);
        wrong.extend(others.filter(|other| is_wildcard(other.code.trim())).map(|other| other.place.clone()));
    }
    assert_none(&wrong, "name each: a cloud that is added must not silently become another");
}

/// An arm that takes whatever is left: `_ =>`, `other =>`, `(other, _) =>`.
fn is_wildcard(arm: &str) -> bool {
    let Some((pattern, _)) = arm.split_once("=>") else { return false };
    let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | ' ' | ',' | '(' | ')');
    pattern.chars().all(plain)
}

#[test]
fn only_the_program_knows_the_terminal() {
    let mut wrong = Vec::new();
    for name in crates().into_iter().filter(|name| name != "cli") {
        for line in source_of(&name).iter().filter(|line| {
            ["is_terminal", "terminal_size", "clap::", "std::process::exit"]
                .iter()
                .any(|word| line.code.contains(word))
        }) {
            wrong.push(line.place.clone());
        }
    }
    assert_none(&wrong, "say it in values; the program prints them");
}

#[test]
fn nothing_is_left_to_be_done_and_no_test_is_left_out() {
    let mut wrong = Vec::new();
    // Written in two parts, so that this file does not find itself.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["#[ig", "nore"],
        ["to", "do!("],
        ["unimplemen", "ted!("],
    ];
    for path in files(&root(), &[".rs", ".toml", ".md", ".py", ".sh", "run"]) {
        for (number, line) in read(&path).lines().enumerate() {
            for mark in marks.iter().map(|parts| parts.concat()).filter(|mark| line.contains(mark.as_str())) {
                wrong.push(format!("{}:{} says {mark}", short(&path), number + 1));
            }
        }
    }
    assert_none(&wrong, "do it, or leave it out; a test that can't run here is no test");
}

#[test]
fn no_file_is_longer_than_a_reader_takes_in() {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates"), &[".rs"]) {
        let (name, lines) = (short(&path), read(&path).lines().count());
        if lines > LONGEST {
            wrong.push(format!("{name} has {lines} lines"));
        }
    }
    assert_none(&wrong, "a file holds one thing of a hundred to four hundred lines: take it apart");
}

#[test]
fn an_exception_from_a_lint_has_its_reason_with_it() {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates"), &[".rs"]) {
        let text = read(&path);
        let mut above = "";
        for (number, line) in text.lines().enumerate() {
            let exception = ["#[allow(", "#![allow(", "#[expect(", "#![expect("]
                .iter()
                .any(|start| line.trim_start().starts_with(start));
            if exception
                && !line.contains("reason")
                && !above.starts_with("//")
                && !text_of_attribute(&text, number).contains("reason")
            {
                wrong.push(format!("{}:{}", short(&path), number + 1));
            }
            above = line.trim_start();
        }
    }
    assert_none(&wrong, "say why: allow(..., reason = \"...\"), or a comment above it");
}

/// The lines of an attribute that begins there.
fn text_of_attribute(text: &str, first: usize) -> String {
    let lines = text.lines().skip(first);
    let mut attribute = String::new();
    for line in lines.take(6) {
        attribute.push_str(line);
        if line.trim_end().ends_with(']') {
            break;
        }
    }
    attribute
}
