//! No printed figure without a definition: every key of every document, and every label of the screens, has an entry
//! in docs/definitions.md, and no entry there stands for nothing.
#![allow(clippy::disallowed_methods, reason = "it reads the page")]

mod compared;
mod defined;
#[path = "common/importing.rs"]
mod importing;
#[cfg(target_os = "linux")]
mod machines;
#[path = "common/several.rs"]
mod several;
#[path = "common/tracing.rs"]
mod tracing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_drive::Flow;
use iobound_measure::compare::Condition;
use iobound_measure::result::{Check, DeviceCounters, DeviceFacts, Outcome, Source};
use iobound_measure::{Interval, RunResult};
use iobound_predict::{Age, CacheState, Counted, Effort, Prediction, Question, predict, simulate};
use iobound_report::{
    Curve, CurvePoint, Document, Ended, JudgedCondition, Live, Plan, Prepared, Preparing, RunScreen,
    RunStage, Style, curve_document, curve_text, interval_line, run_document, run_text,
};
use iobound_units::{Bytes, Instant, Op, Percent, Rate, Span};
use iobound_workload::{Arrivals, Job, Load, Workload};
use serde_json::Value;

use defined::{Keys, assert_none, cells, entries, keys_of};

/// Commands that show everything there is. A new verb gets its own here.
const COMMANDS: [&str; 37] = [
    "predict --vm D2s_v3 --disk P20:readwrite --random --read 70% --find-knee --size 10GiB",
    "predict --vm D2s_v3 --disk P20 --at 0",
    "predict --vm D8s_v5 --disk 2xP30 --region westeurope",
    "predict --vm DS14 --disk 10xP30 --observed iops=19882",
    "predict --vm m5.large --disk gp3@500GiB --rate 900iops --arrivals poisson",
    "predict --vm DS14 --disk data=2xP30 --disk log=P20 --preset sqlserver-oltp --wide",
    "predict --vm DS14_v2 --disk 3xP30:readonly --separate --block 32KiB --size 1GiB --wide",
    "predict --vm DS14 --disk P30 --show-config",
    "predict --vm D2s_v3 --disk P20 --block 64KiB --depth 32 --hosts 8 --region westeurope",
    "explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed throughput=555MB/s;block=32KiB;depth=16 --want iops=900000",
    "explain --vm DS14 --disk 2xP30 --separate --observed block=4KiB;data.0:;iops=4000;data.1:;iops=1000",
    "lab --only E6,E7,E10-DS2,E14-ro",
    "lab --only E6,E7,E10-DS2,E14-ro --wide",
    "lab --list",
    "lab --measured --only aks-5485,ds3v2-2025",
    "catalog",
    "catalog vms --premium --min-iops 50000",
    "catalog disks --type premium",
    "catalog vms --cloud gcp",
    "catalog prices --region westeurope --name D8",
    "catalog presets",
    "catalog audit",
    "catalog show DS14 --era 2016",
    "catalog prices",
    "catalog prices --region westeurope --disks --name P30",
    "catalog show A0",
    "catalog show P30",
    "catalog show sqlserver-oltp",
    "fleet --host db1 --host db2 --dry-run -- run /data",
    "plan --iops 20000 --block 8KiB --capacity 1TiB --log iops=500 --latency p99:50ms --candidates 2",
    "plan --iops 2000 --capacity 100GiB --temp iops=500 --candidates 1",
    "plan --iops 2000 --capacity 100GiB --candidates 1 --region brazilsouth",
    "plan --iops 2000000 --capacity 4TiB",
    "plan --iops 10000..20000 --capacity 1TiB --candidates 1 --max-price 2000",
    "plan --iops 20000 --capacity 1TiB --candidates 1 --build 1",
    "plan --iops 20000 --capacity 1TiB --candidates 1 --hosts 2..4 --slow-host 50%",
    "plan --iops 20000 --capacity 1TiB --candidates 1 --hosts 3 --log iops=500 --temp iops=600",
];

/// True if there are runs on real targets here.
const HAS_RUNS: bool = cfg!(all(feature = "load", target_os = "linux"));

/// A row on the model and on a real target; its command, while the folder is there.
fn measured_row(folder: &Path) -> String {
    let file = folder.join("real.toml");
    let text = "[base]\nvm = \"DS14\"\ndisk = [\"P30\"]\nsize = \"1MiB\"\nbuffered = true\nduration = \"1s\"\n[[run]]\nname = \"a\"\n";
    std::fs::write(&file, text).expect("the folder is there");
    format!("lab {} --target {}", file.display(), folder.display())
}

/// The results of this test's runs.
static STORE: LazyLock<PathBuf> = LazyLock::new(|| {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("definitions-{}.db", std::process::id()))
});

/// A machine that stands for this one, and what is asked of it: where everything that a document can hold is there.
#[cfg(target_os = "linux")]
fn of_a_machine() -> (Vec<machines::Machine>, Vec<String>) {
    let (before, after) = (machines::ec2([0; 4]), machines::ec2([1_000_000, 0, 0, 0]));
    before.counters(&[("259:2", "nvme1n1", [0; 7])]);
    after.counters(&[("259:2", "nvme1n1", [20_000, 81_920_000, 10_000, 0, 0, 0, 10_000])]);
    let (one, other) = (before.shown(), after.shown());
    let commands = vec![
        format!("doctor --metadata off --world {one}"),
        format!("explain --metadata off --world {one} --world-after {other}"),
        format!("watch --metadata off --interval 10s --world {one} --world-after {other}"),
    ];
    (vec![before, after], commands)
}

#[cfg(not(target_os = "linux"))]
fn of_a_machine() -> (Vec<()>, Vec<String>) {
    (Vec::new(), Vec::new())
}

fn run(command: &str, json: bool) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
    program
        .args(command.split(' '))
        .args(json.then_some("--json"))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env("IOBOUND_RESULTS", STORE.as_os_str())
        // Test machines have others at work.
        .env("IOBOUND_BUSY_OK", "true");
    let output = program.output().expect("the program runs");
    // A plan that finds nothing ends with exit code 1 and has a document.
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "iobound {command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

/// The keys of the documents that the program prints, by schema.
fn documents() -> BTreeMap<String, Keys> {
    let mut documents: BTreeMap<String, Keys> = BTreeMap::new();
    let folder = tempfile::tempdir().expect("there is room");
    let (_machines, of_machines) = of_a_machine();
    let commands = COMMANDS
        .iter()
        .map(ToString::to_string)
        .chain(of_machines)
        .chain([importing::import(folder.path())])
        .chain(tracing::traces(folder.path()));
    for command in commands.chain(HAS_RUNS.then(|| measured_row(folder.path()))) {
        let command = &command;
        for document in serde_json::Deserializer::from_str(&run(command, true)).into_iter::<Value>() {
            let document = document.expect("documents, one or a line each");
            let schema = document["schema"].as_str().expect("a document has a schema").to_string();
            keys_of(&document, "", documents.entry(schema).or_default());
        }
    }
    documents
}

/// The key without what stands in front of keys that are alike: a stage has those of the whole, a run of the lab on real targets those
/// of the simulated one.
fn plain(key: &str) -> String {
    let key = key.strip_prefix("stages[].").unwrap_or(key);
    for other in ["runs[].real_time", "runs[].measured", "runs[].rehearsed"] {
        let is_own = |rest: &str| rest.starts_with('.') && !rest.starts_with(".checks") && rest != ".id";
        if let Some(rest) = key.strip_prefix(other).filter(|rest| is_own(rest)) {
            return format!("runs[].simulated{rest}");
        }
    }
    key.to_string()
}

#[test]
fn every_key_of_every_document_is_defined_and_nothing_else_is() {
    let (entries, documents) = (entries(), documents());
    let none = Keys::new();
    let predict = &entries["iobound.predict/2"];
    let (mut undefined, mut unused) = (Vec::new(), Vec::new());
    for (schema, keys) in &documents {
        let own = entries.get(schema).unwrap_or(&none);
        undefined.extend(keys.iter().filter(|key| !own.contains(*key)).map(|key| format!("{schema}: {key}")));
        let shown: Keys = keys.iter().map(|key| plain(key)).collect();
        // What only an interrupted, a staged or a kept run has is not shown by these commands, and no stack tells what its disks are.
        let is_rare = |key: &str| {
            let is_of_a_prediction = schema == "iobound.lab/2"
                && key.strip_prefix("runs[].").is_some_and(|key| predict.contains(key));
            let is_of_a_kept_run = key.starts_with("runs[].") && key.ends_with(".id");
            let is_of_a_disk = schema == "iobound.explain/2" && key.starts_with("stacks[].disks[].");
            let is_of_credits =
                (schema.contains("replay") || key.starts_with("trace.")) && key.contains("credits[].");
            let is_of_windows = key.starts_with("volumes") || key.starts_with("watched.volumes");
            let is_of_an_interruption = key.rsplit('.').next() == Some("interrupted");
            key == "stages"
                || is_of_an_interruption
                || is_of_windows && (schema == "iobound.watch/1" || schema == "iobound.explain/2")
                || is_of_credits
                || is_of_a_prediction
                || is_of_a_disk
                || is_of_a_kept_run
                || !HAS_RUNS && key.starts_with("runs[].measured.")
        };
        let stale = own.iter().filter(|key| !shown.contains(&plain(key)) && !is_rare(&plain(key)));
        unused.extend(stale.map(|key| format!("{schema}: {key}")));
    }
    assert_none(
        undefined,
        "the struct of this document has no such key; where there is none, say in docs/definitions.md what it is",
    );
    assert_none(
        unused,
        "no document has these keys: take them out of the struct, or out of docs/definitions.md",
    );
}

/// A run with everything that a result can hold of one, as far as it can be simulated, and the rest beside.
struct Ran {
    workload: Workload,
    result: RunResult,
    prediction: Prediction,
    interval: Interval,
    prepared: [Prepared; 1],
}

impl Ran {
    fn show<T>(&self, with: impl FnOnce(&RunScreen<'_>) -> T) -> T {
        let stage = RunStage {
            workload: &self.workload,
            result: &self.result,
            prediction: Some(&self.prediction),
            ended: Ended::Failed("EIO".into()),
        };
        let stages = [stage.clone(), stage];
        let condition = Condition::parse("iops < 5").expect("a condition");
        let judged = condition.judge(&self.result).expect("there are IOPS");
        let conditions = [JudgedCondition { condition, of: Some("stage 1".into()), judged }];
        let next = ["iobound explain".into()];
        with(&RunScreen { stages: &stages, prepared: &self.prepared, next: &next, conditions: &conditions })
    }

    fn new() -> Ran {
        let catalog = Catalog::shipped();
        let mut configuration = Configuration::of("DS14");
        configuration.volumes.push(parse_spec("data=2xP30").expect("a disk"));
        let resolved = resolve(&configuration, &catalog).expect("it can be built");
        let mut open = Job::new("open");
        let rate = Rate::Ios { count: 3_000, per: Span::from_secs(1) };
        open.load = Load::Open { rate, arrivals: Arrivals::Poisson, depth: 64 };
        let mut mixed = Job::new("mixed");
        mixed.load = Load::Closed { depth: 8, cap: None };
        mixed.set_mix(4096, Percent::whole(50).expect("a share"));
        mixed.flush_every = Some(10);
        let mut workload = Workload::new(vec![open, mixed], Span::from_ms(70_500));
        workload.warmup = Span::from_secs(1);
        let (cache, age) = (CacheState::Warm, Age::Sustained);
        let question =
            Question { resolved: &resolved, workload: &workload, cache, age, counted: Counted::Lasting };
        let watch = &mut |_: &_| Flow::Continue;
        let simulated = simulate(&question, &resolved.blueprint, Effort::Full, watch).expect("it runs");
        let measured = simulated.measured;
        let prediction = predict(&question, watch).expect("it can be told");
        let mut result = RunResult::from_measured(&measured, Source::Simulated);
        result.attach_histograms(&measured);
        result.attach_latencies(&measured);
        surround(&mut result);
        let prepared = Prepared {
            target: "/mnt/a".into(),
            did: Preparing::Created,
            size: Bytes(4096),
            written: Bytes(4096),
            seconds: 1.0,
            content: Some("incompressible".into()),
        };
        Ran { workload, result, prediction, interval: measured.series[1], prepared: [prepared] }
    }
}

/// Figures that only a real machine has.
fn surround(result: &mut RunResult) {
    let word = || Some("word".to_string());
    result.id = word();
    result.engine = word();
    result.device = word();
    result.kernel = word();
    let start = result.start.get_or_insert_default();
    (start.at, start.host, start.command, start.configuration) = (word(), word(), word(), word());
    start.seed = Some(1);
    let numbers = r#"{
        "online": 1, "user_s": 1, "system_s": 1, "us_per_io": 1, "steal": 0.5, "processors": [
            {"cpu": 0, "core": 0, "socket": 0, "node": 0, "user": 0, "system": 0, "idle": 1, "steal": 0}
        ]
    }"#;
    result.cpu = Some(serde_json::from_str(numbers).expect("it is what a run cost"));
    result.devices = vec![DeviceFacts {
        name: "sda".into(),
        targets: vec!["/mnt/a".into()],
        kind: word(),
        model: word(),
        size_bytes: Some(1),
        scheduler: word(),
        read_ahead_kib: Some(1),
        queue_requests: Some(1),
        hardware_queues: Some(1),
        max_request_kib: Some(1),
        max_hardware_request_kib: Some(1),
        rotational: Some(false),
        logical_sector: Some(512),
        physical_sector: Some(512),
        write_cache: word(),
        made_of: vec!["sda1".into()],
        counters: Some(DeviceCounters {
            read_us: Some(1.0),
            write_us: Some(1.0),
            ..DeviceCounters::default()
        }),
    }];
    result.by_operation.discard = result.by_operation.flush.clone();
    result.series[0].read.as_mut().expect("it reads").errors = 1;
    several::several(result);
    for outcome in [Outcome::Ok, Outcome::Warning, Outcome::Failed] {
        result.checks.push(Check { name: "depth".into(), outcome, says: "so".into() });
    }
}

#[test]
fn every_key_of_a_run_is_defined_and_nothing_else_is() {
    let ran = Ran::new();
    let document: Value =
        serde_json::from_str(&Document::from(ran.show(run_document)).text()).expect("one JSON document");
    let mut keys = Keys::new();
    keys_of(&document, "", &mut keys);
    let entries = entries();
    let own = &entries["iobound.result/1"];
    let undefined = keys.iter().filter(|key| !own.contains(*key)).cloned().collect();
    assert_none(undefined, "the struct of this document has no such key");
    // Of latencies beyond a histogram; of a foreign result; of ten million I/Os; of a device whose queue the kernel counts; of processors of several kinds; of a run on the
    // model; of a prediction and of a replay, which other tests show.
    let rare = [
        "tool",
        "latency_us.p99_99",
        "depth.at_device",
        "cpu.processors[].efficiency_class",
        "histograms.read.saturated",
        "model",
        "predicted.",
        "replays",
    ];
    let shown: Keys = keys.iter().map(|key| of_the_whole(key)).collect();
    let stale = own
        .iter()
        .map(|key| of_the_whole(key))
        .filter(|key| !shown.contains(key) && !rare.iter().any(|rare| key.starts_with(rare)));
    assert_none(stale.collect(), "no run has these keys: take them out of the struct");
}

#[test]
fn every_key_of_an_interval_and_of_a_knee_is_defined_and_nothing_else_is() {
    let ran = Ran::new();
    let line = interval_line(1, &ran.interval, Instant::ZERO);
    let point = CurvePoint {
        depth: 1,
        threads: 1,
        outstanding: 1,
        iops: 1.0,
        throughput_bytes_per_s: 4096.0,
        mean_us: Some(1.0),
        p99_us: Some(1.0),
    };
    let curve = Curve { title: "t".into(), points: vec![point; 2], knee: Some(1), because: "b".into() };
    for text in [line, Document::from(curve_document(&curve)).text()] {
        let document: Value = serde_json::from_str(&text).expect("one JSON document");
        let mut keys = Keys::new();
        keys_of(&document, "", &mut keys);
        let schema = document["schema"].as_str().expect("a document has a schema");
        assert_eq!(&keys, &entries()[schema], "{schema}");
    }
}

/// The key of the whole result that means the same: parts of a result have the keys of the whole, operations those of all I/Os, service
/// times those of latencies.
fn of_the_whole(key: &str) -> String {
    let parts = [
        "stages[].",
        "jobs[].",
        "threads[].",
        "targets[].",
        "cells[].",
        "hosts[].",
        "read.",
        "write.",
        "flush.",
        "discard.",
    ];
    if let Some(rest) = parts.iter().find_map(|part| key.strip_prefix(part)) {
        return of_the_whole(rest);
    }
    let alike = [
        ("service_us.", "latency_us."),
        ("series[].write.", "series[].read."),
        ("histograms.write", "histograms.read"),
    ];
    let renamed = alike.iter().find_map(|(other, same)| Some(format!("{same}{}", key.strip_prefix(other)?)));
    let key = renamed.unwrap_or_else(|| key.to_string());
    match key.strip_prefix("histograms.flush").or_else(|| key.strip_prefix("histograms.discard")) {
        Some(rest) => format!("histograms.read{rest}"),
        None => key,
    }
}

#[test]
fn every_label_of_a_screen_is_defined() {
    let entries = entries();
    let labels = &entries["Labels on screens"];
    let mut undefined = BTreeSet::new();
    for command in COMMANDS.iter().filter(|command| {
        let is_screen = !command.contains("show-config") && !command.contains("--build");
        is_screen && (command.starts_with("predict") || command.starts_with("plan"))
    }) {
        for line in run(command, false).lines() {
            let Some(first) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
            if first.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let cells = cells(first);
            let is_header = ["limit", "outstanding"].contains(&cells[0]);
            // A label of nine letters fills its column: one space parts it from its text.
            let filled = first.get(..10).map(str::trim_end).filter(|word| word.len() == 9);
            let label = filled.filter(|word| !word.contains(' ')).unwrap_or(cells[0]);
            // A limit of one family of disks begins with the family's name, which is the user's.
            let label = [["data disk", "log disk"]
                .iter()
                .find(|own| label.starts_with(**own))
                .map_or(label, |own| &label[own.len() - "disk".len()..])];
            let shown = if is_header { &cells[..] } else { &label[..] };
            undefined.extend(
                shown.iter().filter(|label| !labels.contains(**label)).map(|label| label.to_string()),
            );
        }
    }
    let folder = tempfile::tempdir().expect("there is room");
    let tables = COMMANDS.iter().filter(|command| command.starts_with("lab --only")).map(ToString::to_string);
    let real = HAS_RUNS.then(|| measured_row(folder.path()));
    let wide = real.iter().map(|command| format!("{command} --wide"));
    for command in tables.chain(wide.collect::<Vec<_>>()).chain(real.clone()) {
        let screen = run(&command, false);
        let header = screen.lines().find(|line| line.starts_with("row ")).expect("the table has a header");
        let words =
            |cell: &&str| cell.split(' ').any(|word| !labels.contains(word)) && !labels.contains(*cell);
        undefined.extend(cells(header).into_iter().filter(words).map(str::to_string));
    }
    assert_none(undefined.into_iter().collect(), "say in docs/definitions.md what these labels mean");
}

#[test]
fn every_label_of_a_run_is_defined() {
    let entries = entries();
    let labels = &entries["Labels on screens"];
    let ran = Ran::new();
    let style = Style { width: Some(100), color: false, ascii: false };
    let mut live = Live::new(Plan {
        begin: Instant::ZERO,
        start: Instant::ZERO,
        end: Some(ran.interval.end),
        over: None,
    });
    live.take(&ran.interval);
    let point = CurvePoint {
        depth: 1,
        threads: 1,
        outstanding: 1,
        iops: 1.0,
        throughput_bytes_per_s: 4096.0,
        mean_us: Some(1.0),
        p99_us: None,
    };
    let curve = Curve { title: "t".into(), points: vec![point], knee: Some(0), because: "b".into() };
    let wide = Style { width: None, ..style };
    let pages = [
        ran.show(|screen| run_text(screen, style)),
        ran.show(|screen| run_text(screen, wide)),
        live.lines(style).join("\n"),
        curve_text(&curve, style),
    ];
    // A row of a table begins with the name of a part.
    let parts = |line: &str| {
        let names =
            ran.result.jobs.iter().map(|job| &job.name).chain(ran.result.targets.iter().map(|t| &t.name));
        let names = names.chain(ran.result.hosts.iter().map(|host| &host.label));
        let operations = Op::ALL.map(Op::name);
        names.map(String::as_str).chain(operations).any(|name| line == name)
    };
    let mut undefined = BTreeSet::new();
    for line in pages.iter().flat_map(|page| page.lines()) {
        let Some(first) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
        let cells = cells(first);
        let is_header = ["operation", "job", "target", "thread", "host", "outstanding"].contains(&cells[0]);
        let of_a_table = parts(cells[0]) || cells[0].starts_with(|c: char| c.is_ascii_digit());
        // A long label fills its column: what follows is one space away.
        let label: String = first.chars().take(10).collect();
        let one = label.trim();
        let shown = if is_header { cells.clone() } else { vec![one] };
        if !of_a_table && !one.starts_with("gain:") {
            undefined.extend(
                shown.iter().filter(|label| !labels.contains(**label)).map(|label| label.to_string()),
            );
        }
    }
    assert_none(undefined.into_iter().collect(), "say in docs/definitions.md what these labels mean");
}
