//! The open diagnosis cases of `cases/open.csv`, judged as `benches/diagnosis.py` judges them: where enough is known, the first
//! finding is the cause that the page established; where too little is known, no finding is *likely* or *strong*.
//! `docs/diagnosis.md` has the counts, and the sources of every case.

#![allow(clippy::disallowed_methods, reason = "it reads the cases and the page")]

mod common;

use std::collections::BTreeMap;

use common::Given;
use iobound_explain::{Confidence, Finding};

const CASES: &str = include_str!("cases/open.csv");
const MACHINES: &str = include_str!("cases/open.toml");

/// The cases that are known to be answered wrong; `docs/diagnosis.md` says why. One that is answered right leaves the list.
const WRONG: &[&str] = &["stian-cached-os", "disk-io-stripe-writes"];

/// The rows of a CSV text, by the names of its first row (RFC 4180).
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !quoted => {}
            other => cell.push(other),
        }
    }
    let mut rows = rows.into_iter();
    let names = rows.next().unwrap();
    rows.map(|row| {
        assert_eq!(row.len(), names.len(), "{row:?}");
        names.iter().cloned().zip(row).collect()
    })
    .collect()
}

/// A case with what is found in it; nothing where the configuration is refused.
struct Judged {
    case: BTreeMap<String, String>,
    found: Vec<Finding>,
}

impl Judged {
    fn of(case: BTreeMap<String, String>) -> Judged {
        let leaked = |name: &str| -> &'static str { Box::leak(case[name].clone().into_boxed_str()) };
        let mut given = common::given(leaked("vm"), leaked("disk"), leaked("observed"));
        let mut options = case["options"].split(' ').filter(|word| !word.is_empty());
        while let Some(option) = options.next() {
            let value = options.next().unwrap();
            given = match option {
                "--at" => given.at(value.parse().unwrap()),
                "--era" => given.with(Box::leak(format!("e{value}").into_boxed_str())),
                "--catalog" => Given { own: MACHINES, ..given },
                other => panic!("{other}"),
            };
        }
        let found = if given.is_refused() { Vec::new() } else { given.findings() };
        Judged { case, found }
    }

    fn id(&self) -> &str {
        &self.case["id"]
    }

    fn expected(&self) -> Vec<&str> {
        self.case["expected"].split('|').collect()
    }

    fn is_enough(&self) -> bool {
        self.case["enough"] == "yes"
    }

    fn is_right(&self) -> bool {
        let claims = self.found.iter().any(|finding| finding.confidence > Confidence::Possible);
        match self.found.first() {
            None => false,
            Some(first) if self.is_enough() => self.expected().contains(&first.rule),
            Some(_) => !claims,
        }
    }

    fn says(&self) -> String {
        let found: Vec<String> =
            self.found.iter().map(|f| format!("{} ({})", f.rule, f.confidence.name())).collect();
        let case = &self.case;
        format!(
            "{}: {} {} {}: {} expected, found {}",
            self.id(),
            case["vm"],
            case["disk"],
            case["observed"],
            case["expected"],
            found.join(", ")
        )
    }
}

fn judged() -> Vec<Judged> {
    rows(CASES).into_iter().map(Judged::of).collect()
}

#[test]
fn the_wrong_cases_are_those_that_are_known() {
    let judged = judged();
    let wrong: Vec<&Judged> = judged.iter().filter(|one| !one.is_right()).collect();
    let ids: Vec<&str> = wrong.iter().map(|one| one.id()).collect();
    let says: Vec<String> = wrong.iter().map(|one| one.says()).collect();
    assert_eq!(ids, WRONG, "{} of {} are wrong:\n{}", wrong.len(), judged.len(), says.join("\n"));
}

#[test]
fn where_too_little_is_known_the_first_finding_says_what_to_measure() {
    for one in judged().iter().filter(|one| !one.is_enough()) {
        for first in one.found.iter().take(1) {
            assert!(first.to_be_sure.as_ref().is_some_and(|text| !text.is_empty()), "{}", one.says());
        }
    }
}

#[test]
fn the_page_has_the_recall_of_every_rule() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnosis.md")).unwrap();
    let mut recall: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for one in judged() {
        let counts = recall.entry(one.expected()[0].to_string()).or_default();
        counts[0] += usize::from(one.is_right());
        counts[1] += 1;
    }
    for (rule, [right, of]) in recall {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{rule}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/diagnosis.md has no `{rule}`"));
        assert!(row.contains(&format!("| {right} of {of} (")), "{rule}: {right} of {of}; the page: {row}");
    }
}
