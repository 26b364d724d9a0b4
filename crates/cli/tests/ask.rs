//! The program asked within another: the same documents, texts for files, an end when it is wanted, and nothing left behind.
#![allow(clippy::disallowed_methods, reason = "it asks the program beside, with an environment of its own")]

#[path = "common/fields.rs"]
mod fields;

#[allow(dead_code, reason = "other tests look at screens as well")]
mod defined;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;
use std::sync::Arc;

use defined::{Keys, entries, keys_of};
use fields::fields_of;
use iobound::{Answer, Beside, Exit, Failure, ask, flags};
use serde_json::Value;

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

fn answer(line: &str) -> Result<Answer, Failure> {
    asked(line, Beside::default())
}

fn asked(line: &str, beside: Beside) -> Result<Answer, Failure> {
    let (verb, fields) = fields_of(&line.split(' ').collect::<Vec<_>>());
    ask(&verb, &fields, beside)
}

fn document(line: &str) -> Value {
    let answer = answer(line).unwrap_or_else(|refusal| panic!("{line}: {refusal:?}"));
    serde_json::from_str(&answer.document).expect("one JSON document")
}

#[test]
fn the_answer_is_the_document_that_the_program_prints() {
    for line in [
        "predict --vm=DS14 --disk=10xP30 --depth=32",
        "predict --vm=D2s_v3 --disk=P20:readwrite --random --read=70% --size=10GiB --find-knee",
        "plan --iops=2000 --capacity=100GiB --candidates=1",
        "explain --vm=DS14_v2 --disk=6xP30:readonly --separate --observed=throughput=555MB/s",
        "catalog show DS14 --era=2016",
        "catalog presets",
    ] {
        let printed = Command::new(env!("CARGO_BIN_EXE_iobound")).args(words(line)).arg("--json").output();
        let printed = String::from_utf8(printed.expect("it runs").stdout).expect("UTF-8");
        assert_eq!(answer(line).expect("an answer").document, printed, "{line}");
    }
}

#[test]
fn a_text_stands_for_a_file_of_its_name_and_is_named_in_what_is_wrong_with_it() {
    let with = |text: &str| {
        let texts = BTreeMap::from([("<config>".to_string(), text.to_string())]);
        asked("predict --config=<config>", Beside { texts, stop: None })
    };
    let of_text = with("[machine]\nvm = \"DS14\"\n[[disk]]\ndisk = \"10xP30\"\n").expect("it is read");
    let of_flags = answer("predict --vm=DS14 --disk=10xP30").expect("it is read");
    assert_eq!(of_text.document, of_flags.document);
    let refusal = with("[machine]\nvn = \"DS14\"\n").unwrap_err();
    assert_eq!(refusal.exit(), Exit::BadInput);
    assert!(refusal.what().contains("unknown key `vn`"), "{refusal:?}");
    assert!(refusal.what().contains("<config>:2"), "{refusal:?}");
    // The next question has no such text.
    assert!(answer("predict --config=<config>").unwrap_err().what().contains("<config>"));
}

#[test]
fn what_the_program_refuses_is_refused_in_its_words() {
    let refusal = answer("predict --vm=DS15 --disk=P30").unwrap_err();
    assert_eq!(refusal.what(), "the catalogue has no VM size `DS15`");
    assert!(refusal.help_text().expect("near names").contains("Standard_DS11"));
    for (line, says) in [
        ("predict --vm= --disk=P30", "the value of --vm is empty"),
        ("predict --vn=DS14", "predict has no option `vn`"),
        ("run /dev/null", "unknown verb `run`"),
        ("catalog vms --csv", "--csv does not produce a document"),
        ("result missing.json", "cannot read missing.json: there is no such file"),
        ("simulate --vm=DS14 --disk=P30 --duration=0s", "--duration: it is zero"),
    ] {
        let refusal = answer(line).unwrap_err();
        assert!(refusal.what().contains(says) && refusal.exit() == Exit::BadInput, "{line}: {refusal:?}");
    }
}

#[test]
fn who_asked_ends_it_and_the_next_question_is_not_ended() {
    // Asked after each second of virtual time: a day of it would take minutes.
    let line = "simulate --vm=DS14 --disk=10xP30 --depth=32 --duration=86400s";
    let stop: Option<Arc<dyn Fn() -> bool + Send + Sync>> = Some(Arc::new(|| true));
    let refusal = asked(line, Beside { stop, ..Beside::default() }).unwrap_err();
    assert_eq!(refusal.exit(), Exit::Interrupted);
    assert!(answer("predict --vm=DS14 --disk=P30").is_ok());
}

#[test]
fn what_is_said_beside_an_answer_comes_with_it() {
    let notes = answer("plan --iops=2000 --capacity=100GiB --candidates=1").expect("an answer").notes;
    assert!(notes.iter().all(|note| note.contains("prices of")), "{notes:?}");
    let config = Beside {
        texts: BTreeMap::from([("<config>".into(), "[[disk]]\ndisk = \"P30\"\n".into())]),
        stop: None,
    };
    let answer = asked("catalog presets --config=<config>", config).expect("an answer");
    assert_eq!(answer.notes, ["<config> names no catalogue file, and this verb uses nothing else from it"]);
}

#[test]
fn a_condition_that_holds_is_a_note_beside_the_answer() {
    let result = |rate: u32| {
        let line = format!("simulate --vm=DS14 --disk=P30 --rate={rate}iops --duration=2s");
        answer(&line).expect("an answer").document
    };
    let texts = BTreeMap::from([("<a>".to_string(), result(1_000)), ("<b>".to_string(), result(2_000))]);
    let answer =
        asked("compare <a> <b> --fail-if=iops>1500", Beside { texts, stop: None }).expect("an answer");
    assert!(answer.notes.iter().any(|note| note.starts_with("--fail-if: ")), "{:?}", answer.notes);
}

#[test]
fn a_page_that_is_asked_for_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for (line, name) in [
        ("predict --vm=DS14 --disk=P30", "predict.html"),
        ("plan --iops=2000 --capacity=100GiB --candidates=1", "plan.html"),
    ] {
        let page = folder.path().join(name);
        answer(&format!("{line} --html={}", page.display())).expect("an answer");
        let written = std::fs::read_to_string(&page).expect("the page is there");
        assert!(written.contains("<html"), "{line}");
    }
}

#[test]
fn who_asked_ends_a_watch_of_this_machine() {
    let stop: Option<Arc<dyn Fn() -> bool + Send + Sync>> = Some(Arc::new(|| true));
    let refusal =
        asked("explain --duration=1h --metadata=off", Beside { stop, ..Beside::default() }).unwrap_err();
    assert_eq!(refusal.exit(), Exit::Interrupted, "{refusal:?}");
}

#[test]
fn a_simulation_is_a_result_with_every_second_and_every_latency_and_the_same_again() {
    let line = "simulate --vm=DS14 --disk=2xP30 --depth=64 --read=70% --duration=5s --seed=7";
    let document = document(line);
    assert_eq!(document["schema"], "iobound.result/1");
    assert_eq!(document["source"], "simulated");
    assert_eq!(document["start"]["seed"], 7);
    assert_eq!(document["series"].as_array().expect("a series").len(), 5);
    let histograms = &document["jobs"][0]["histograms"];
    let counted = |op: &str| histograms[op]["count"].as_u64().expect("a count");
    // Two P30 let 2 x 5,000 x 1.02 I/Os a second through, for five seconds; idle ones begin with 50 or 100 ms more.
    assert_eq!(document["ios"].as_u64(), Some(counted("read") + counted("write")));
    let iops = document["iops"].as_f64().expect("a rate");
    assert!((iops / (10_200.0 * 1.015) - 1.0).abs() < 0.01, "{iops}");
    assert_eq!(document["model"]["binding"], "disk.iops");
    assert_eq!(answer(line), answer(line));
    let other = answer(&line.replace("seed=7", "seed=8")).expect("an answer");
    assert_ne!(answer(line).expect("an answer").document, other.document);
}

#[test]
fn stages_are_simulated_each_by_itself() {
    let texts = BTreeMap::from([(
        "<workload>".to_string(),
        "duration = \"2s\"\n[[job]]\nname = \"a\"\n[[job]]\nname = \"b\"\nstage = 1\nread = 0\n".to_string(),
    )]);
    let line = "simulate --vm=DS14 --disk=P30 --workload=<workload>";
    let answer = asked(line, Beside { texts, stop: None }).expect("an answer");
    let document: Value = serde_json::from_str(&answer.document).expect("one JSON document");
    let stages = document["stages"].as_array().expect("stages");
    assert_eq!(
        stages.iter().map(|it| it["jobs"][0]["name"].as_str()).collect::<Vec<_>>(),
        [Some("a"), Some("b")]
    );
    assert!(stages[1]["read"].is_null() && !stages[1]["write"].is_null());
}

#[test]
fn several_threads_ask_at_once_and_get_what_one_gets() {
    let line = "predict --vm=DS14 --disk=4xP30 --depth=16";
    let alone = answer(line).expect("an answer");
    let answers = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| answer(line).expect("an answer"))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert!(answers.iter().all(|answer| *answer == alone));
}

#[test]
fn the_flags_of_a_verb_are_told_with_what_they_take() {
    let (about, flags) = flags(&["predict"]).expect("it is a verb");
    assert!(about.contains("Predict what a configuration delivers"), "{about}");
    let flag = |name: &str| flags.iter().find(|flag| flag.name == name).expect("it is a flag");
    let (disk, random, separate) = (flag("disk"), flag("random"), flag("separate"));
    assert!(disk.many && !disk.alone && disk.value.as_deref() == Some("SPEC"));
    assert!(random.alone && random.value.is_none() && !random.many);
    assert!(separate.alone && separate.value.as_deref() == Some("true|false"));
    assert!(flags.iter().all(|flag| flag.name != "json" && flag.name != "ascii"));
    assert!(self::flags(&["run"]).is_none());
    let sides = self::flags(&["compare"]).expect("it is a verb").1.remove(0);
    assert!(sides.positional && sides.many, "{sides:?}");
}

#[test]
fn every_key_of_a_simulation_is_defined() {
    let document = document("simulate --vm=D2s_v3 --disk=P20:readonly --read=70% --size=1GiB --duration=5s");
    let entries = entries();
    let (result, predict) = (&entries["iobound.result/1"], &entries["iobound.predict/2"]);
    let mut keys = Keys::new();
    keys_of(&document, "", &mut keys);
    let is_defined = |key: &str| {
        // Figures stand at the top, and of each operation, job and part again.
        let key = key.replace("series[].write.", "series[].read.");
        let parts = key.match_indices('.').map(|(at, _)| &key[at + 1..]);
        key.contains(".histograms.")
            || std::iter::once(key.as_str()).chain(parts).any(|key| result.contains(key))
    };
    let undefined: Vec<&String> = keys
        .iter()
        .filter(|key| match key.strip_prefix("model.") {
            Some(key) => !predict.contains(key),
            None => *key != "model" && !is_defined(key),
        })
        .collect();
    assert!(undefined.is_empty(), "say in docs/definitions.md what these are: {undefined:?}");
    assert!(result.contains("model"), "say in docs/definitions.md what `model` is");
}
