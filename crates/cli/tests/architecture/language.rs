//! Doc comments name the item.

use crate::workspace::{assert_none, crates, files, read, root, short};

/// First words that begin a riddle rather than a name.
const RIDDLES: [&str; 4] = ["So", "How", "What", "Whether"];

/// The largest share of doc comments that may begin with one, in percent.
const MOST_PERCENT: usize = 3;

/// Line numbers and first lines of a file's doc comments.
fn doc_comments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut is_going_on = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        if let Some(first) = comment.filter(|_| !is_going_on) {
            found.push((number + 1, first.trim()));
        }
        is_going_on = comment.is_some();
    }
    found
}

fn is_riddle(comment: &str) -> bool {
    let first = comment.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    RIDDLES.contains(&first)
}

#[test]
fn doc_comments_name_the_item() {
    let mut all = 0;
    let mut riddles = Vec::new();
    for name in crates() {
        for path in files(&root().join("crates").join(name).join("src"), &[".rs"]) {
            let text = read(&path);
            let comments = doc_comments(&text);
            all += comments.len();
            let of_file = comments.iter().filter(|(_, comment)| is_riddle(comment));
            riddles.extend(of_file.map(|(line, comment)| format!("{}:{line}: {comment}", short(&path))));
        }
    }
    assert!(all > 5_000, "{all} doc comments were found");
    if riddles.len() * 100 >= all * MOST_PERCENT {
        assert_none(&riddles, "name the item: `Number of reads`, `True if the disk has a cache`");
    }
}

#[test]
fn a_doc_comment_counts_once_by_its_first_word() {
    let text =
        "//! What it is.\n//! So it goes on.\n\n/// Whether.\nfn f() {}\n/// Howitzers.\n// So what.\n";
    let comments = doc_comments(text);
    assert_eq!(comments, [(1, "What it is."), (4, "Whether."), (6, "Howitzers.")]);
    assert_eq!(comments.iter().filter(|(_, comment)| is_riddle(comment)).count(), 2);
}
