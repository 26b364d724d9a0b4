//! Runs on real targets: what a file says of them, and the table with what came of them. The runs themselves are passed
//! in.

use iobound_catalog::Catalog;
use iobound_drive::Flow;
use iobound_lab::{
    Execute, Execution, Experiment, LabError, Model, PlannedRun, Reached, RealRun, Row, Verdict,
    shipped_named,
};

fn read(text: &str) -> Result<Experiment, LabError> {
    Experiment::read("mine.toml", text, &Catalog::shipped())
}

fn read_on(targets: &[&str], text: &str) -> Experiment {
    let targets: Vec<String> = targets.iter().map(ToString::to_string).collect();
    Experiment::read_on(&targets, "mine.toml", text, &Catalog::shipped()).unwrap_or_else(|e| panic!("{e}"))
}

fn shape(run: &PlannedRun) -> (&str, bool, Vec<&str>, String) {
    let targets = run.targets.iter().map(String::as_str).collect();
    (&run.name, run.on_model.is_some(), targets, run.changed().unwrap_or_default())
}

const DISK: &str = "vm = \"DS4_v2\"\ndisk = [\"P30\"]\nduration = \"1s\"\nwarmup = \"100ms\"\n";

#[test]
fn a_run_with_a_configuration_and_a_target_is_for_both() {
    let experiment = read(&format!(
        "[base]\n{DISK}target = \"/mnt/data\"\n[[run]]\nname = \"a\"\n[[run]]\nname = \"b\"\ntarget = [\"/mnt/b\", \"log=/mnt/log\"]\n"
    ))
    .unwrap();
    let rows: Vec<_> = experiment.runs.iter().map(shape).collect();
    let changed = "target /mnt/data -> /mnt/b + log=/mnt/log".to_string();
    assert_eq!(
        rows,
        [("a", true, vec!["/mnt/data"], String::new()), ("b", true, vec!["/mnt/b", "log=/mnt/log"], changed),]
    );
}

#[test]
fn a_run_without_a_configuration_is_for_its_target_alone_and_still_changes_one_thing() {
    let experiment = read(
        "[base]\ntarget = \"/mnt/data\"\nblock = \"4KiB\"\n[[sweep]]\nname = \"depth {}\"\nover = \"depth\"\nvalues = [1, 32]\n\
         [[sweep]]\nname = \"{}\"\nover = \"target\"\nvalues = [\"/mnt/a\", \"/mnt/b\"]\n",
    )
    .unwrap();
    let rows: Vec<_> = experiment.runs.iter().map(shape).collect();
    assert_eq!(
        rows,
        [
            ("depth 1", false, vec!["/mnt/data"], "depth 32 -> 1".to_string()),
            ("depth 32", false, vec!["/mnt/data"], String::new()),
            ("/mnt/a", false, vec!["/mnt/a"], "target /mnt/data -> /mnt/a".to_string()),
            ("/mnt/b", false, vec!["/mnt/b"], "target /mnt/data -> /mnt/b".to_string()),
        ]
    );
    assert!(experiment.runs.iter().all(|run| run.is_somewhere() && run.price.is_none()));
}

#[test]
fn targets_that_are_given_win_over_those_of_the_file_and_are_no_change() {
    let text = "[base]\ntarget = \"/mnt/data\"\n[[run]]\nname = \"a\"\n[[run]]\nname = \"b\"\ntarget = \"/mnt/b\"\ndepth = 1\n";
    let experiment = read_on(&["here"], text);
    let rows: Vec<_> = experiment.runs.iter().map(shape).collect();
    assert_eq!(
        rows,
        [("a", false, vec!["here"], String::new()), ("b", false, vec!["here"], "depth 32 -> 1".to_string())]
    );
    // A wrong line is wrong although it is not used: the next run without the flag would meet it.
    let wrong = text.replace("/mnt/b", "b");
    assert!(Experiment::read_on(&["here".into()], "f", &wrong, &Catalog::shipped()).is_err());
}

#[test]
fn an_experiment_that_names_no_place_at_all_is_for_targets_that_are_given() {
    let text = shipped_named("real-depth").unwrap().text;
    assert!(read(text).unwrap().runs.iter().all(|run| !run.is_somewhere()));
    let experiment = read_on(&["/mnt/data"], text);
    let rows: Vec<_> = experiment.runs.iter().map(shape).collect();
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0], ("depth 1", false, vec!["/mnt/data"], String::new()));
    assert_eq!(rows[8], ("depth 256", false, vec!["/mnt/data"], "depth 1 -> 256".to_string()));
}

#[test]
fn a_run_with_neither_beside_others_that_have_one_is_a_mistake() {
    let elsewhere = "[[run]]\nname = \"a\"\ntarget = \"/mnt/a\"\n[[run]]\nname = \"b\"\n";
    let error = read(elsewhere).unwrap_err().to_string();
    assert!(error.contains("mine.toml:5:8") && error.contains("`b` has no configuration"), "{error}");
    assert!(error.contains("or target = \"/mnt/data\""), "{error}");
    assert!(read_on(&["/mnt/c"], elsewhere).runs.iter().all(PlannedRun::is_somewhere));
    // Half a configuration says something that would have no effect.
    let half = "[base]\ntarget = \"/mnt/a\"\nera = \"2016\"\n[[run]]\nname = \"a\"\n";
    let error = read(half).unwrap_err().to_string();
    assert!(error.contains("add vm = \"DS14\""), "{error}");
}

#[test]
fn a_run_that_gets_a_configuration_changes_just_that() {
    let experiment = read(&format!(
        "[base]\ntarget = \"/mnt/a\"\n[[run]]\nname = \"a\"\nduration = \"1s\"\n[[run]]\nname = \"b\"\nfrom = \"a\"\n{DISK}"
    ));
    let experiment = experiment.unwrap();
    assert_eq!(experiment.runs[1].changes[0].to_string(), "configuration DS4_v2 P30");
}

/// A disk that gives so many I/Os of 4 KiB a second.
struct Disk(f64);

impl Execute for Disk {
    fn execute(
        &self,
        run: &PlannedRun,
        watch: &mut dyn FnMut(&iobound_measure::Interval) -> Flow,
    ) -> Result<Execution, iobound_lab::ExecuteError> {
        let reached = Reached {
            iops: self.0,
            throughput_bytes_per_s: self.0 * 4096.0,
            latency: None,
            per_second: None,
            hit_rate: None,
            binding: Vec::new(),
            seconds: 1.0,
            late: None,
            complete: true,
            id: None,
        };
        let measured = Some(RealRun { reached, checks: Vec::new() });
        Ok(Execution { measured, ..Model.execute(run, watch)? })
    }
}

fn row(text: &str, disk: f64) -> Row {
    let run = read(text).unwrap().runs.remove(0);
    let execution = Disk(disk).execute(&run, &mut |_| Flow::Continue).unwrap();
    Row::of(run, execution)
}

#[test]
fn what_is_measured_stands_as_a_share_of_what_was_expected() {
    let row = row(
        &format!("[base]\n{DISK}target = \"/mnt/a\"\n[[run]]\nname = \"a\"\nblock = \"4KiB\"\n"),
        2_550.0,
    );
    // A P30 is 5,000 IOPS, of which 1.02 times are enforced: 32 outstanding reach that.
    let ratio = row.measured_to_predicted().unwrap();
    assert!((ratio - 0.5).abs() < 0.01, "{ratio}");
    assert_eq!(row.verdict, Verdict::NoFigure);
}

#[test]
fn without_a_configuration_there_is_nothing_to_explain_a_publication_with() {
    let row = row(
        "[[run]]\nname = \"a\"\ntarget = \"/mnt/a\"\npublished = { iops = 3000, source = \"s\" }\n",
        2_550.0,
    );
    assert!(row.execution.modelled.is_none() && row.band.is_none());
    assert_eq!((row.verdict, row.measured_to_predicted()), (Verdict::NoFigure, None));
    assert_eq!(row.block(), 4096.0);
}

#[test]
fn the_seed_and_the_duration_that_are_asked_for_are_those_of_the_real_run_too() {
    let text = format!("[base]\n{DISK}target = \"/mnt/a\"\n[[run]]\nname = \"a\"\n");
    let run = read(&text).unwrap().runs.remove(0).with(Some(7), Some(iobound_units::Span::from_secs(3)));
    let on_model = &run.on_model.as_ref().unwrap().workload;
    for workload in [on_model, &run.workload] {
        assert_eq!((workload.seed, workload.duration), (7, iobound_units::Span::from_secs(3)));
    }
}
