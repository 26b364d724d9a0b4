//! Experiment files: what they say, and what is wrong with them.

use iobound_catalog::Catalog;
use iobound_drive::Flow;
use iobound_lab::{Execute, ExecuteError, Experiment, LabError, Model, ModelRun, PlannedRun, shipped};
use iobound_measure::Interval;
use iobound_units::Span;
use proptest::prelude::*;

const BASE: &str = r#"
[base]
vm = "DS4_v2"
disk = ["4xP30:none"]
random = true
block = "8KiB"
depth = 16
threads = 4
duration = "2s"
warmup = "100ms"
"#;

fn read(runs: &str) -> Result<Experiment, LabError> {
    Experiment::read("mine.toml", &format!("{BASE}{runs}"), &Catalog::shipped())
}

fn changed(run: &PlannedRun) -> String {
    run.changed().unwrap_or_default()
}

#[test]
fn every_shipped_experiment_can_be_run() {
    for of in shipped() {
        let experiment = Experiment::read(of.name, of.text, &Catalog::shipped());
        let experiment = experiment.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(experiment.name, of.name);
        assert!(!experiment.about.is_empty() && experiment.runs.len() > 5, "{}", of.name);
    }
    assert!(shipped().count() >= 5);
}

#[test]
fn studies_change_one_thing_at_a_time() {
    // Experiments and benchmarks of others are repeated as they were.
    for of in shipped().filter(|of| !["published", "google-defaults"].contains(&of.name)) {
        let experiment = Experiment::read(of.name, of.text, &Catalog::shipped()).unwrap();
        for run in &experiment.runs {
            assert!(run.changes.len() <= 1, "{} of {}: {}", run.name, of.name, changed(run));
        }
    }
}

#[test]
fn a_sweep_is_a_run_for_each_value_with_a_price_where_it_changes_what_is_bought() {
    let experiment = read(
        r#"
[[sweep]]
name = "depth {}"
over = "depth"
values = [1, 2, 16]

[[sweep]]
name = "x{}"
over = "disks"
values = [1, 4, 16]

[[sweep]]
name = "cache"
over = ["cache", "cache-state"]
labels = ["warm", "cold"]
values = [["readonly", "warm"], ["readonly", "cold"]]

[[sweep]]
name = "{}"
over = "vm"
values = ["DS3_v2", "DS5_v2"]
"#,
    )
    .unwrap();
    let rows: Vec<(&str, String, bool)> =
        experiment.runs.iter().map(|run| (run.name.as_str(), changed(run), run.price.is_some())).collect();
    let row = |name, changed: &str, priced| (name, changed.to_string(), priced);
    assert_eq!(
        rows,
        [
            row("depth 1", "depth 16 -> 1", false),
            row("depth 2", "depth 16 -> 2", false),
            row("depth 16", "", false),
            row("x1", "disks 4 -> 1", true),
            row("x4", "", true),
            row("x16", "disks 4 -> 16", true),
            row("cache warm", "host cache none -> readonly", false),
            row("cache cold", "host cache none -> readonly", false),
            row("DS3_v2", "VM DS4_v2 -> DS3_v2", true),
            row("DS5_v2", "VM DS4_v2 -> DS5_v2", true),
        ]
    );
    // A P30 and the VM are more than the VM alone, and known.
    let price = |name: &str| {
        let run = experiment.runs.iter().find(|run| run.name == name).unwrap();
        run.price.as_ref().unwrap().per_month.unwrap()
    };
    assert!(price("x1") < price("x4") && price("x4") < price("x16"));
}

#[test]
fn keys_are_laid_over_foreign_words_and_presets() {
    let experiment = read(
        r#"
[[run]]
name = "line"
diskspd = "-b4K -d5 -o8 -t4 -si -c10G x.dat"

[[run]]
name = "deeper"
from = "line"
depth = 64

[[run]]
name = "random"
from = "line"
random = true

[[run]]
name = "written"
from = "line"
read = "0%"

[[run]]
name = "fio"
fio = "fio --name=a --rw=randread --bs=4k --size=1g --iodepth=16 --ioengine=libaio --direct=1 --time_based --runtime=5"

[[run]]
name = "iometer"
iometer = "4096,100,67,100,0,1,0,0"
duration = "5s"

[[run]]
name = "preset"
preset = "sqlserver-oltp"
"#,
    )
    .unwrap();
    let find = |name: &str| experiment.runs.iter().find(|run| run.name == name).unwrap();
    assert_eq!(changed(find("deeper")), "depth 8 -> 64");
    assert_eq!(changed(find("random")), "access shared sequential -> random");
    assert_eq!(changed(find("written")), "read 100% -> 0%");
    let lines = |name: &str| iobound_workload::describe(&find(name).workload.jobs[0]);
    assert_eq!(lines("line"), "4 KiB shared-sequential read, 4 x 8 = 32 outstanding");
    assert_eq!(lines("fio"), "4 KiB random read, 16 outstanding");
    assert_eq!(lines("iometer"), "4 KiB random 67 % read / 33 % write, 1 outstanding");
    assert_eq!(find("preset").workload.jobs.len(), 2);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_how_to_mend_it() {
    for (runs, parts) in [
        (
            "[[run]]\nname = \"a\"\ndepht = 3\n",
            ["mine.toml:13:1: unknown key `depht`: did you mean depth", "13 | depht = 3"],
        ),
        ("[[run]]\nname = \"a\"\ndepth = \"many\"\n", ["mine.toml:13:9:", "`depth`"]),
        ("[[run]]\nname = \"a\"\nvm = \"DS41\"\n", ["mine.toml:13:6:", "DS41"]),
        ("[[run]]\nname = \"a\"\ndisk = [\"10xQ30\"]\n", ["mine.toml:13:8:", "Q30"]),
        ("[[run]]\nname = \"a\"\ndisks = 99\n", ["mine.toml:13:9:", "its maximum is 32"]),
        ("[[run]]\nname = \"a\"\nera = \"1999\"\n", ["mine.toml:13:7:", "2016"]),
        ("[[run]]\nname = \"a\"\nfrom = \"b\"\n", ["mine.toml:13:8:", "no run `b` is above"]),
        (
            "[[run]]\nname = \"a\"\ntarget = \"data\"\n",
            ["mine.toml:13:10:", "`data` is not an absolute path: write the whole path"],
        ),
        ("[[run]]\nname = \"a\"\ndiskspd = \"-b4K -zz x\"\n", ["mine.toml:13:11:", "DiskSpd"]),
        (
            "[[run]]\nname = \"a\"\ndiskspd = \"-b4K x\"\npreset = \"kafka\"\n",
            ["mine.toml:", "each is a whole workload"],
        ),
        ("[[run]]\nname = \"a\"\npreset = \"kafak\"\n", ["mine.toml:13:10:", "kafka"]),
        ("[[run]]\nname = \"a\"\nsize = \"99TiB\"\n", ["mine.toml:12:8:", "99"]),
        ("[[run]]\nname = \"a\"\npublished = { ipos = 3 }\n", ["mine.toml:13:15:", "no key `ipos`"]),
        (
            "[[run]]\nname = \"a\"\npublished = { iops = 3 }\nexpect-no-figure = \"none\"\n",
            ["mine.toml:13:", "give only one of them"],
        ),
        ("[[run]]\nname = \"a\"\n[[run]]\nname = \"a\"\n", ["mine.toml:14:8:", "two runs are named `a`"]),
        ("[[run]]\ndepth = 3\n", ["mine.toml:11:", "has no name"]),
        (
            "[[sweep]]\nname = \"a\"\nover = \"depht\"\nvalues = [1]\n",
            ["mine.toml:13:8:", "did you mean depth"],
        ),
        ("[[sweep]]\nname = \"a\"\nover = \"depth\"\n", ["mine.toml:11:", "values = [1, 2, 4]"]),
        (
            "[[sweep]]\nname = \"a\"\nover = [\"depth\", \"threads\"]\nvalues = [1]\n",
            ["mine.toml:14:11:", "a list of 2"],
        ),
        ("[[sweep]]\nname = \"a\"\nover = \"depth\"\nvalues = [1, \"x\"]\n", ["mine.toml:14:14:", "`depth`"]),
        ("[experiment]\ncurrency = \"EUR\"\n[[run]]\nname = \"a\"\n", ["mine.toml:12:12:", "USD"]),
        ("[experiment]\nregion = \"mars\"\n[[run]]\nname = \"a\"\n", ["mine.toml:12:10:", "mars"]),
        ("[rum]\nname = \"a\"\n", ["mine.toml:11:2:", "[[run]]"]),
        ("[[run]\n", ["mine.toml:11:", "this is not TOML"]),
        ("", ["mine.toml:1:1:", "the file has no runs"]),
    ] {
        let message = read(runs).expect_err(runs).to_string();
        for part in parts {
            assert!(message.contains(part), "{runs}\nhas no `{part}`:\n{message}");
        }
    }
}

#[test]
fn all_problems_are_found_before_anything_runs_and_a_followers_only_once() {
    let error = read(
        "[[run]]\nname = \"a\"\nvm = \"DS41\"\n[[run]]\nname = \"b\"\nfrom = \"a\"\n[[run]]\nname = \"c\"\nblock = \"8QB\"\n",
    )
    .unwrap_err();
    let lines: Vec<usize> =
        error.problems.iter().map(|problem| problem.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [13, 19], "{error}");
}

#[test]
fn a_mix_that_is_written_out_is_not_silently_replaced_by_half() {
    let mixed = "[[run]]\nname = \"a\"\nmix = [\"60 read 4KiB\", \"40 write 64KiB\"]\n";
    let half = format!("{mixed}[[run]]\nname = \"b\"\nfrom = \"a\"\nmix = [\"1 read 4KiB\"]\n");
    assert!(read(&half).is_ok());
    let preset = "[[run]]\nname = \"a\"\npreset = \"crdb-tpcc\"\n[[run]]\nname = \"b\"\nfrom = \"a\"\nblock = \"8KiB\"\n";
    assert!(read(preset).unwrap_err().to_string().contains("give `read` as well"));
}

#[test]
fn the_same_file_and_seed_give_the_same_figures() {
    let experiment = || {
        read("[[run]]\nname = \"a\"\ncache = \"readonly\"\ncache-state = \"cold\"\nsize = \"10GiB\"\n")
            .unwrap()
    };
    let run = |seed| {
        let run = experiment().runs.remove(0).with(seed, None);
        let execution = Model.execute(&run, &mut |_| Flow::Continue).unwrap();
        let ModelRun { prediction, simulated } = execution.modelled.unwrap();
        (simulated, prediction.expected)
    };
    assert_eq!(run(None), run(None));
    assert_ne!(run(Some(1)).0.latency, run(Some(2)).0.latency);
}

#[test]
fn a_run_that_is_stopped_says_so() {
    let run = read("[[run]]\nname = \"a\"\n").unwrap().runs.remove(0);
    // The run itself has intervals of a second; those of its prediction are shorter, and it has no part figures.
    let second = |interval: &Interval| interval.length() >= Span::from_secs(1);
    let mut stop_the_run = |interval: &Interval| if second(interval) { Flow::Stop } else { Flow::Continue };
    let execution = Model.execute(&run, &mut stop_the_run).unwrap();
    let simulated = execution.modelled.unwrap().simulated;
    assert!(!simulated.complete);
    assert!(simulated.seconds < 1.5);
    assert_eq!(Model.execute(&run, &mut |_| Flow::Stop).unwrap_err(), ExecuteError::Interrupted);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "(\\PC|\n){0,200}") {
        let _ = Experiment::read("f", &text, &Catalog::shipped());
    }

    #[test]
    fn no_value_makes_it_panic(key in "[a-z-]{2,12}", value in "[ -~]{0,24}") {
        let value = value.replace(['"', '\\'], "");
        let _ = read(&format!("[[run]]\nname = \"a\"\n{key} = \"{value}\"\n"));
    }
}
