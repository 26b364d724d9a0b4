//! The keys and labels of comparisons and of results kept.

use std::collections::BTreeSet;

use iobound_documents::{KeptRun, ResultsDocument};
use iobound_measure::compare::{Comparison, Condition, Pairing, Shift, Subject, cautions, changed};
use iobound_report::{
    CompareScreen, ComparedSide, ComparedWith, Document, JudgedCondition, Rounds, Style, compare_document,
    compare_text, kept_text,
};
use serde_json::Value;

use super::defined::{Keys, cells, entries, keys_of};
use super::{Ran, assert_none};

/// A comparison in which everything is something.
fn compared(with: impl FnOnce(&CompareScreen<'_>) -> String) -> String {
    let ran = Ran::new();
    let mut other = ran.result.clone();
    other.kernel = Some("another".into());
    other.total.iops = Some(1.0);
    let subject = |result| Subject { result, workload: None, configuration: None, ended: Some("failed") };
    let (a, b) = (subject(&ran.result), subject(&other));
    let comparison = Comparison::of(a.result, b.result, Pairing::Independent);
    let against = ComparedWith {
        cautions: cautions(&a, &b, &comparison, ("A", "B")),
        shift: Shift::of(a.result, b.result),
        changed: changed(&a, &b),
        comparison,
    };
    let sides = [("A", &ran.result), ("B", &other)].map(|(name, result)| ComparedSide {
        name: name.into(),
        from: "a.json".into(),
        asked: Some("4 KiB".into()),
        result,
    });
    let condition = Condition::parse("iops < 5").expect("a condition");
    let judged = condition.judge(&other).expect("there are IOPS");
    let conditions = [JudgedCondition { condition, of: Some("B".into()), judged }];
    let rounds = Some(Rounds { count: 10, turn_s: 1.0, warmup_s: 0.5 });
    let next = ["iobound results list".to_string()];
    with(&CompareScreen {
        sides: &sides,
        against: &[against],
        conditions: &conditions,
        rounds,
        with_results: true,
        next: &next,
    })
}

#[test]
fn every_key_of_a_comparison_and_of_results_kept_is_defined_and_nothing_else_is() {
    let run = KeptRun { id: "r-1".into(), ..KeptRun::default() };
    let kept = [
        ResultsDocument::of_runs("/a", vec![run]),
        ResultsDocument::of_results("/a", vec![Value::Null]),
        ResultsDocument::of_deleted("/a", vec!["r-1".into()]),
    ];
    for (schema, documents) in [
        ("iobound.compare/1", vec![compared(|screen| Document::from(compare_document(screen)).text())]),
        ("iobound.results/1", kept.map(|of| Document::from(of).text()).to_vec()),
    ] {
        let mut keys = Keys::new();
        for text in documents {
            let document: Value = serde_json::from_str(&text).expect("one JSON document");
            assert_eq!(document["schema"], schema);
            keys_of(&document, "", &mut keys);
        }
        // What pages are drawn from has the keys of a result.
        let (of_result, keys): (Keys, Keys) =
            keys.into_iter().partition(|key| key.starts_with("sides[].result."));
        let own = &entries()["iobound.result/1"];
        let unknown = of_result.iter().map(|key| &key["sides[].result.".len()..]);
        let unknown: Vec<String> = unknown.filter(|key| !own.contains(*key)).map(str::to_string).collect();
        assert_none(unknown, "the struct of this document has no such key");
        assert_eq!(&keys, &entries()[schema], "{schema}");
    }
}

#[test]
fn every_label_of_a_comparison_and_of_a_list_of_results_is_defined() {
    let entries = entries();
    let labels = &entries["Labels on screens"];
    let style = Style { width: Some(100), color: false, ascii: false };
    let run = KeptRun { id: "r-1".into(), ..KeptRun::default() };
    let list = kept_text(&[run], "/a", style);
    let screen = compared(|screen| compare_text(screen, style));
    let mut undefined = BTreeSet::new();
    for line in list.lines().chain(screen.lines()) {
        let Some(first) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
        let found = cells(first);
        let is_header = ["figure", "run"].contains(&found[0]);
        // A row begins with a figure's name or a run's.
        let of_a_table = ["IOPS", "MB/s", "mean", "r-1"].contains(&found[0])
            || ["p5", "p9", "read ", "write "].iter().any(|start| found[0].starts_with(start));
        let shown = if is_header { &found[..] } else { &found[..1] };
        if !of_a_table {
            undefined.extend(
                shown.iter().filter(|label| !labels.contains(**label)).map(|label| label.to_string()),
            );
        }
    }
    assert_none(undefined.into_iter().collect(), "say in docs/definitions.md what these labels mean");
}
