//! A locale that is not UTF-8 gets no other character than those of ASCII, from any verb; documents stay as they are.
#![allow(clippy::disallowed_methods, reason = "the common module writes files")]

mod common;

use common::{Ran, program, ran};

fn with(variables: &[(&str, &str)], words: &[&str]) -> Ran {
    ran(program().envs(variables.iter().copied()).args(words).output().unwrap())
}

const PREDICTION: [&str; 5] = ["predict", "--vm", "DS14", "--disk", "P30:readonly"];

#[test]
fn micro_signs_are_shown_where_the_locale_can_or_nobody_has_said_what_it_is() {
    for variables in [
        [("LANG", "de_DE.UTF-8"), ("LC_ALL", "")],
        [("LANG", "C"), ("LC_ALL", "C.utf8")],
        [("LANG", ""), ("LC_ALL", "")],
        // In the order of POSIX: LC_ALL, LC_CTYPE, LANG.
        [("LANG", "C"), ("LC_CTYPE", "en_US.UTF-8")],
    ] {
        let shown = with(&variables, &PREDICTION);
        assert!(shown.code == 0 && shown.out.contains(" µs"), "{variables:?}: {}", shown.out);
    }
}

#[test]
fn every_verb_keeps_to_ascii_in_another_locale() {
    let lines: [&[&str]; 8] = [
        &PREDICTION,
        &[],
        &["--help"],
        &["plan", "--iops", "5000", "--block", "8KiB"],
        &["explain", "--vm", "DS14", "--disk", "P30", "--observed", "iops=1000"],
        &["catalog", "show", "P30"],
        // What is wrong is told in the words that were typed.
        &["predict", "--vm", "DS14", "--disk", "10×P–30"],
        &["predict", "--vm", "DS14", "--disk", "P30", "--block", "4µ"],
    ];
    for words in lines {
        for variables in [&[("LC_ALL", "C")], &[("LC_CTYPE", "POSIX")], &[("LANG", "en_US.ISO-8859-1")]] {
            let shown = with(variables, words);
            assert!(shown.out.is_ascii() && shown.err.is_ascii(), "{words:?} {variables:?}: {shown:?}");
            assert!(!shown.out.is_empty() || !shown.err.is_empty());
        }
    }
    let shown = with(&[("LC_ALL", "C")], &PREDICTION);
    assert!(shown.out.contains(" us"), "{}", shown.out);
}

#[test]
fn ascii_can_be_asked_for_and_changes_no_document() {
    let utf8 = [("LANG", "C.UTF-8")];
    let asked: Vec<&str> = PREDICTION.into_iter().chain(["--ascii"]).collect();
    let shown = with(&utf8, &asked);
    assert!(shown.out.is_ascii() && shown.out.contains(" us"), "{}", shown.out);
    let json: Vec<&str> = PREDICTION.into_iter().chain(["--json"]).collect();
    assert_eq!(with(&[("LC_ALL", "C")], &json).out, with(&utf8, &json).out);
}
