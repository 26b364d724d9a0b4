//! Requests about traces: files in, figures and files out.
#![allow(clippy::disallowed_methods, reason = "it writes the files that it asks about")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_app::options::{ConfigurationOptions, Options, PageOptions, WorkloadOptions};
use iobound_app::plan::{PlanRequest, PreparedPlan};
use iobound_app::replay::{PreparedReplay, ReplayOptions};
use iobound_app::trace::{
    ConvertRequest, CutRequest, Edit, FitRequest, InfoRequest, MergeRequest, edit, fit, info,
};
use iobound_app::{Common, Env, Exit, Failure};
use iobound_documents::{PlanDocument, PlanReplay, Quantity, ReplayDocument, TraceDocument};
use iobound_report::{Style, plan_document, plan_text};

/// 2,000 I/Os a second on two disks, for so many seconds; each took 1.2 ms.
fn msr(seconds: u64) -> String {
    let mut text = String::new();
    for n in 0..2_000 * seconds {
        let kind = if n % 4 == 0 { "Write" } else { "Read" };
        let at = 128_166_372_003_061_629 + n * 5_000;
        let offset = n * 7_919 % 20_000 * 8_192;
        let _ = writeln!(text, "{at},usr,{},{kind},{offset},8192,12000", n % 2);
    }
    text
}

const WIDE: Style = Style { width: None, color: false, ascii: false };

/// Options by name.
fn given<O: Options>(values: &[(&str, &str)]) -> O {
    let mut options = O::default();
    for (name, value) in values {
        assert!(options.set(name, vec![(*value).to_string()]), "--{name}");
    }
    options
}

fn text_of(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

fn about(file: &Path) -> Result<TraceDocument, Failure> {
    let request: InfoRequest = given(&[("files", text_of(file))]);
    info(&request, &Env::default()).map(|answer| answer.document().clone())
}

#[test]
fn a_trace_has_its_figures_however_it_is_compressed_or_converted() {
    let folder = tempfile::tempdir().expect("there is room");
    let plain = folder.path().join("usr.csv");
    std::fs::write(&plain, msr(3)).expect("there is room");
    let whole = about(&plain).expect("a trace");
    assert_eq!(
        (whole.ios, whole.read.malformed, whole.read.format.as_str()),
        (6_000, 0, "MSR Cambridge CSV")
    );
    assert_eq!(whole.devices.iter().map(|device| device.ios).collect::<Vec<u64>>(), [3_000, 3_000]);
    // A histogram has the middle of its bin.
    assert!((whole.ops[0].latency.as_ref().expect("latencies").p50_us.value() / 1_200.0 - 1.0).abs() < 0.002);
    assert!((whole.per_second.peak_iops.value() - 2_000.0).abs() < 1.0);
    let zipped = folder.path().join("usr.gz");
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(msr(3).as_bytes()).expect("memory");
    std::fs::write(&zipped, out.finish().expect("memory")).expect("there is room");
    let own = folder.path().join("usr.trace");
    let convert: ConvertRequest = given(&[("files", text_of(&plain)), ("out", text_of(&own))]);
    let env = Env::default();
    let open = || convert.read.open(&env, &convert.files).expect("a trace");
    let written = edit(open(), &Edit::default(), &convert.write, &env).expect("a file");
    assert_eq!(written.document().ios, 6_000);
    let again = edit(open(), &Edit::default(), &convert.write, &env).err().expect("the file exists");
    assert!(again.what().contains("exists"), "{}", again.what());
    let wide = folder.path().join("usr-utf16.csv");
    let units = msr(3).replace('\n', "\r\n");
    let units = "\u{feff}".encode_utf16().chain(units.encode_utf16()).flat_map(u16::to_le_bytes);
    std::fs::write(&wide, units.collect::<Vec<u8>>()).expect("there is room");
    for file in [&zipped, &own, &wide] {
        let same = about(file).expect("a trace");
        assert_eq!((same.ios, &same.ops, &same.per_10ms), (whole.ios, &whole.ops, &whole.per_10ms));
    }
    let part = folder.path().join("part.iolog");
    let cut: CutRequest =
        given(&[("files", text_of(&own)), ("until", "1s"), ("out", text_of(&part)), ("to", "fio")]);
    let trace = cut.read.open(&env, &cut.files).expect("a trace");
    edit(trace, &cut.edit().expect("a part"), &cut.write, &env).expect("a file");
    assert_eq!(about(&part).expect("a trace").ios, 2_000);
}

#[test]
fn a_truncated_file_keeps_its_figures_and_is_one_clear_error() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("cut.gz");
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(msr(3).as_bytes()).expect("memory");
    let bytes = out.finish().expect("memory");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("there is room");
    let request: InfoRequest = given(&[("files", text_of(&file))]);
    let answer = info(&request, &Env::default()).expect("the figures up to the break");
    let document = answer.document().clone();
    assert!(document.ios > 0 && document.ios < 6_000, "{}", document.ios);
    assert!(document.error.as_ref().is_some_and(|error| error.contains("truncated")), "{:?}", document.error);
    let error = answer.exit().expect_err("it is cut");
    assert!(error.help_text().is_some_and(|help| help.contains("truncated")), "{}", error.what());
    let none = about(&folder.path().join("none")).expect_err("it is missing");
    assert!(none.what().contains("cannot read"), "{}", none.what());
}

#[test]
fn a_fitted_workload_is_close_and_can_be_read_back() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("usr.csv");
    std::fs::write(&file, msr(3)).expect("there is room");
    let request: FitRequest = given(&[("files", text_of(&file))]);
    let answer = fit(&request, &Common::default(), &Env::default()).expect("a workload");
    let document = answer.document();
    assert_eq!(document.covered.value(), 1.0);
    for figure in ["rate", "reads", "mean size"] {
        let error = document.errors.iter().find(|error| error.figure == figure).expect("a figure");
        assert!(error.error.expect("not zero").value().abs() < 0.05, "{error:?}");
    }
    let workload = iobound_workload::Workload::from_toml("fit", &document.workload).expect("TOML");
    assert_eq!(workload.expect("jobs").jobs.len(), 2);
}

/// Reads of 8 KiB at multiples of 8 KiB, and writes of a sector at odd sectors.
#[test]
fn a_fitted_workload_has_the_alignment_and_the_rate_of_the_trace() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("usr.csv");
    let mut text = String::new();
    for n in 0..6_000u64 {
        let at = 128_166_372_003_061_629 + n * 5_000;
        let (kind, offset, length) = match n % 3 {
            0 => ("Write", n * 7_919 % 40_000 * 1_024 + 512, 512),
            _ => ("Read", n * 7_919 % 20_000 * 8_192, 8_192),
        };
        let _ = writeln!(text, "{at},usr,0,{kind},{offset},{length},120000");
    }
    std::fs::write(&file, text).expect("there is room");
    let request: FitRequest = given(&[("files", text_of(&file))]);
    let answer = fit(&request, &Common::default(), &Env::default()).expect("a workload");
    let fitted = answer.document();
    let workload =
        iobound_workload::Workload::from_toml("fit", &fitted.workload).expect("TOML").expect("jobs");
    let mut aligns: Vec<(u32, u64)> = Vec::new();
    for share in &workload.jobs[0].mix {
        aligns.push((share.block, share.align.map_or(0, iobound_units::Bytes::get)));
    }
    assert_eq!(aligns, [(8_192, 8_192), (512, 512)]);
    // 6,000 I/Os in 2.9995 s: the same mean in every answer.
    let about = about(&file).expect("figures");
    let mean = about.iops.expect("a rate").value();
    assert!((mean - 6_000.0 / 2.9995).abs() < 0.1, "{mean}");
    assert!((fitted.errors[0].trace.value() - mean).abs() < 0.01, "{:?}", fitted.errors[0]);
    let own: ReplayOptions = given(&[("trace", text_of(&file))]);
    let request: PlanRequest = given(&[("latency", "p99:20ms"), ("candidates", "1"), ("cloud", "azure")]);
    let env = Env::default();
    let prepared = PreparedPlan::of_trace(&request, &own, &Common::default(), &env).expect("a need");
    let document: PlanDocument = prepared.answer(&env).expect("a plan").with_planned(plan_document);
    assert_eq!(document.need.data.iops as f64, mean.round());
}

#[test]
fn traces_of_different_clocks_are_joined_only_on_request() {
    let folder = tempfile::tempdir().expect("there is room");
    let (dated, undated) = (folder.path().join("usr.csv"), folder.path().join("app.iolog"));
    std::fs::write(&dated, msr(1)).expect("there is room");
    std::fs::write(
        &undated,
        "fio version 3 iolog\n0 sda add\n0 sda open\n1000 sda read 0 4096\n2000 sda close\n",
    )
    .expect("there is room");
    let mut files = InfoRequest::default();
    assert!(files.set("files", vec![text_of(&dated).to_string(), text_of(&undated).to_string()]));
    let error = info(&files, &Env::default()).err().expect("different clocks");
    assert!(error.what().contains("different clocks"), "{}", error.what());
    assert!(error.help_text().is_some_and(|help| help.contains("--from-zero")), "{:?}", error.help_text());
    // The advice is a command that a shell reads as it is, with the options that were given.
    let out = folder.path().join("both files.trace");
    let mut merge: MergeRequest = given(&[("out", text_of(&out)), ("to", "fio")]);
    assert!(merge.set("files", files.files.files.clone()));
    assert!(merge.set("map", vec!["usr,0=data".into(), "sda=the log".into()]));
    let error = merge
        .open(&Env::default())
        .and_then(|both| edit(both, &Edit::default(), &merge.write, &Env::default()));
    let error = error.err().expect("different clocks");
    let help = error.help_text().expect("a command");
    let ends =
        format!("--map usr,0=data --map 'sda=the log' --from-zero --out '{}' --to fio`", out.display());
    assert!(help.contains(&ends) && help.contains("--same-clock"), "{help}");
    for (clock, span_s) in [("from-zero", 10.0), ("same-clock", 1e9)] {
        let mut merge: MergeRequest = given(&[("out", text_of(&folder.path().join(clock)))]);
        assert!(merge.set("files", files.files.files.clone()) && merge.set(clock, vec!["true".into()]));
        let both = merge.open(&Env::default()).expect("traces");
        let written = edit(both, &Edit::default(), &merge.write, &Env::default()).expect("a file");
        assert_eq!(written.document().ios, 2_001);
        let seconds = about(&folder.path().join(clock)).expect("figures").duration_s.value();
        assert!((seconds > 1e8) == (span_s > 1e8), "{clock}: {seconds}");
    }
}

#[test]
fn dates_of_all_formats_are_of_one_clock() {
    // The same second of 2020 in the words of three formats.
    let folder = tempfile::tempdir().expect("there is room");
    let files = [
        ("usr.csv", "132223104000000000,usr,0,Read,0,4096,10\n132223104010000000,usr,0,Read,4096,4096,10\n"),
        ("alibaba.csv", "7,R,0,4096,1577836800250000\n7,R,8192,4096,1577836800750000\n"),
        ("tencent.csv", "1577836801,8,8,0,3\n1577836803,16,8,0,3\n"),
    ];
    let named: Vec<String> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("there is room");
            text_of(&path).to_string()
        })
        .collect();
    let mut request = InfoRequest::default();
    assert!(request.set("files", named));
    let found = info(&request, &Env::default()).expect("one clock");
    let about = found.document();
    assert_eq!((about.ios, about.duration_s.value()), (6, 3.0));
}

fn replayed(file: &Path, disk: &str, more: &[(&str, &str)]) -> Result<ReplayDocument, Failure> {
    let mut values = vec![("trace", text_of(file))];
    values.extend(more);
    let own: ReplayOptions = given(&values);
    let configuration: ConfigurationOptions = given(&[("vm", "D8s_v5"), ("disk", disk)]);
    let (workload, page) = (WorkloadOptions::default(), PageOptions::default());
    let env = Env::default();
    let prepared = PreparedReplay::read(&own, &configuration, &workload, &page, &Common::default(), &env)?;
    prepared.answer(&env).map(|answer| answer.document().clone())
}

#[test]
fn a_trace_is_replayed_on_a_configuration() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("usr.csv");
    std::fs::write(&file, msr(3)).expect("there is room");
    let timed = replayed(&file, "4xP30", &[]).expect("a replay");
    assert_eq!((timed.ios, timed.left_out, timed.wrapped), (6_000, 0, 0));
    assert!((timed.duration_s.value() - 3.0).abs() < 0.1, "{:?}", timed.duration_s);
    assert_eq!(timed.recorded_latency.as_ref().expect("recorded").mean_us.value(), 1_200.0);
    assert!(timed.slowdown.expect("recorded").value() > 1.0);
    // A P10 bursts to 3,500 IOPS: at twice the speed the backlog grows.
    let slow = replayed(&file, "P10", &[("speed", "2")]).expect("a replay");
    assert!(
        slow.latency.as_ref().expect("latencies").p99_us > timed.latency.as_ref().expect("latencies").p99_us
    );
    assert!(!slow.bound_by.is_empty());
    let dependent = replayed(&file, "4xP30", &[("replay", "dependent")]).expect("a replay");
    assert!(dependent.duration_s > timed.duration_s, "slower disks make a dependent run longer");
    let again = replayed(&file, "4xP30", &[]).expect("a replay");
    assert_eq!(again, timed);
}

#[test]
fn a_plan_proves_its_choice_by_the_trace() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("usr.csv");
    std::fs::write(&file, msr(3)).expect("there is room");
    let request: PlanRequest =
        given(&[("latency", "p99:20ms"), ("candidates", "1"), ("cloud", "azure"), ("capacity", "100GiB")]);
    let env = Env::default();
    // One Premium SSD v2 has 3,000 IOPS at its lowest price. At three times the speed the trace needs 6,000.
    for (speed, proof) in [
        ("1", "The terms allow no cheaper configuration."),
        ("3", "Nothing cheaper has published limits for the mean rate of the trace with the headroom"),
    ] {
        let own: ReplayOptions = given(&[("trace", text_of(&file)), ("speed", speed)]);
        let prepared = PreparedPlan::of_trace(&request, &own, &Common::default(), &env).expect("a need");
        let answer = prepared.answer(&env).expect("a plan");
        let document: PlanDocument = answer.with_planned(plan_document);
        let trace = document.trace.expect("replays");
        let holds = trace.replayed.iter().position(|replay| replay.holds).expect("a configuration holds");
        let first = &trace.replayed[holds];
        let month = first.month.expect("a price").value();
        let of_candidate = document.candidates[0].price.as_ref().expect("a price").month.value();
        assert!((of_candidate / month - 1.0).abs() < 0.01);
        assert!(first.latency_us.value() <= 20_000.0 && first.fails_at_s.is_none());
        for cheaper in &trace.replayed[..holds] {
            assert!(
                cheaper.below_mean_rate && cheaper.month.expect("a price").value() < month,
                "{cheaper:?}"
            );
            assert!(cheaper.fails_at_s.is_some_and(|at| at.value() <= 10.0), "{cheaper:?}");
        }
        assert_eq!(holds, usize::from(speed == "3"));
        let text = answer.with_planned(|planned| plan_text(planned, WIDE));
        assert!(text.contains(proof), "{text}");
        assert!(speed == "1" || text.contains("cannot keep the goal from second"), "{text}");
    }
    let own: ReplayOptions = given(&[("trace", text_of(&file))]);
    let without: PlanRequest = given(&[("candidates", "1")]);
    let error = PreparedPlan::of_trace(&without, &own, &Common::default(), &env).err().expect("no latency");
    assert!(error.help_text().is_some_and(|help| help.contains("--latency")));
}

/// An environment that stops a request when it asks for the given time.
fn stopping_at(asked: u64) -> (Env, Arc<AtomicU64>) {
    let count = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&count);
    (Env::default().stop(move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= asked), count)
}

#[test]
fn an_interrupted_plan_has_the_candidates_that_passed_by_then() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("usr.csv");
    std::fs::write(&file, msr(3)).expect("there is room");
    let own: ReplayOptions = given(&[("trace", text_of(&file))]);
    let request: PlanRequest =
        given(&[("latency", "p99:20ms"), ("candidates", "5"), ("cloud", "azure"), ("capacity", "100GiB")]);
    let planned = |env: &Env| {
        PreparedPlan::of_trace(&request, &own, &Common::default(), env).and_then(|plan| plan.answer(env))
    };
    let (env, count) = stopping_at(u64::MAX);
    let whole = planned(&env).expect("a plan");
    assert_eq!(whole.exit(), Exit::Done);
    let asked = count.load(Ordering::Relaxed);
    let partial = planned(&stopping_at(asked / 2).0).expect("what passed by then");
    assert_eq!(partial.exit(), Exit::Interrupted);
    let document: PlanDocument = partial.with_planned(plan_document);
    assert!(document.interrupted && !document.candidates.is_empty());
    let trace = document.trace.expect("replays");
    assert!(trace.replayed.len() < whole.with_planned(plan_document).trace.expect("replays").replayed.len());
    assert!(document.ideas.iter().all(|idea| idea.names == ["so_far"]), "{:?}", document.ideas);
    for candidate in &document.candidates {
        let is_it = |replay: &&PlanReplay| replay.vm == candidate.configuration.vm && replay.holds;
        assert!(trace.replayed.iter().any(|replay| is_it(&replay)), "{candidate:?}");
    }
    let text = partial.with_planned(|planned| plan_text(planned, WIDE));
    assert!(text.contains("interrupted: these candidates had passed by then"), "{text}");
    // Stopped while the first configuration is replayed: the trace is asked about once for each batch.
    let early = planned(&stopping_at(3).0).expect("an answer without candidates");
    let text = early.with_planned(|planned| plan_text(planned, WIDE));
    assert!(text.contains("interrupted: no candidate had passed by then"), "{text}");
    assert_eq!(early.exit(), Exit::Interrupted);
    let unread = planned(&stopping_at(1).0).err().expect("the trace is not read");
    assert_eq!(unread.exit(), Exit::Interrupted);
    assert!(unread.what().contains("no candidate had been simulated"), "{}", unread.what());
}

#[test]
fn edits_say_what_has_no_effect_and_leave_no_file_without_ios() {
    let folder = tempfile::tempdir().expect("there is room");
    let (trace, out) = (folder.path().join("usr.csv"), folder.path().join("out"));
    std::fs::write(&trace, msr(1)).expect("there is room");
    let mut cut: CutRequest = given(&[("files", text_of(&trace)), ("out", text_of(&out))]);
    assert!(cut.set("device", vec!["usr,1".into(), "usr,7".into()]));
    let env = Env::default();
    let open = |cut: &CutRequest| cut.read.open(&env, &cut.files).expect("a trace");
    let written = edit(open(&cut), &cut.edit().expect("a range"), &cut.write, &env).expect("half of it");
    assert_eq!(written.document().ios, 1_000);
    let notes = &written.document().read.notes;
    assert!(notes.len() == 2 && notes[0].contains("times begin at zero"), "{notes:?}");
    assert!(notes[1].contains("--device usr,7 has no effect"), "{notes:?}");

    let flushes = folder.path().join("flushes.log");
    std::fs::write(&flushes, "fio version 3 iolog\n0 f add\n0 f open\n5 f sync 0 0\n")
        .expect("there is room");
    let converted = folder.path().join("flushes.csv");
    let request: ConvertRequest =
        given(&[("files", text_of(&flushes)), ("out", text_of(&converted)), ("to", "msr")]);
    let opened = request.read.open(&env, &request.files).expect("a trace");
    let refused = edit(opened, &Edit::default(), &request.write, &env).map(drop).unwrap_err();
    assert!(refused.what().contains("no I/O can be written as MSR Cambridge CSV"), "{}", refused.what());
    assert!(!converted.exists());

    let request: FitRequest = given(&[("files", text_of(&flushes))]);
    let refused = fit(&request, &Common::default(), &env).map(drop).unwrap_err();
    assert!(refused.help_text().is_some_and(|help| help.contains("reads or writes")));
}
