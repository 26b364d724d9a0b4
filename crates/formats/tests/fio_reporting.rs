//! What a line asks of fio's report: read, refused by name, written as logs and as a command line.

mod common {
    pub(crate) mod made;
}

use common::made::{BEGAN_MS, made};
use iobound_formats::fio::{self, Action, Eta, Format, NoContext, parse_command};
use iobound_units::Span;

const JOB: &str = "--name=a --size=1g --rw=randread --runtime=2 --time_based";

fn command(options: &str) -> fio::Command {
    parse_command(&format!("fio {options}"), &NoContext).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn an_option_that_a_run_can_not_answer_is_refused_by_name_and_mended() {
    for (options, name, mend) in [
        ("--write_hist_log=x", "write_hist_log without log_hist_msec", "add log_hist_msec=1000"),
        ("--write_hist_log=x --log_hist_msec=1us", "log_hist_msec", "whole milliseconds"),
        ("--log_hist_coarseness=7", "log_hist_coarseness is 7", "0 to 6"),
        ("--write_bw_log=x", "write_bw_log without log_avg_msec", "add log_avg_msec=1000"),
        ("--write_lat_log", "write_lat_log without log_avg_msec", "add log_avg_msec=1000"),
        ("--write_iops_log=x --log_avg_msec=0", "write_iops_log without log_avg_msec", "log_avg_msec=1000"),
        ("--log_avg_msec=500us --write_iops_log=x", "log_avg_msec", "whole milliseconds"),
        ("--log_offset=1", "log_offset", "leave it out"),
        ("--log_window_value=max", "log_window_value", "leave it out"),
        ("--log_alternate_epoch_clock_id=1", "log_alternate_epoch_clock_id", "log_unix_epoch"),
        ("--log_compression=64k", "log_compression", "leave it out"),
        ("--write_iolog=x", "write_iolog", "leave it out"),
        ("--block_error_percentiles=1", "block_error_percentiles", "leave it out"),
        ("--percentile_list=50:x", "percentile_list: `x`", "50:99:99.9"),
        ("--percentile_list=0", "percentile_list: `0`", "above 0"),
        ("--percentile_list=101", "percentile_list: `101`", "up to 100"),
        ("--percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21", "21 percentiles", "20"),
        ("--unified_rw_reporting=3", "unified_rw_reporting", "none, mixed or both"),
        ("--unit_base=4", "unit_base", "8 (bytes)"),
        ("--significant_figures=11", "significant_figures", "1 to 10"),
        ("--status-interval=1", "--status-interval", "leave it out"),
        ("--bandwidth-log", "--bandwidth-log", "write_bw_log"),
        ("--latency-log", "--latency-log", "write_lat_log"),
        ("--idle-prof=system", "--idle-prof", "leave it out"),
        ("--debug=io", "--debug", "leave it out"),
        ("--output-format=xml", "`xml` is no form of fio's", "json+"),
        ("--terse-version=2", "--terse-version: `2`", "3, 4 and 5"),
        ("--eta=sometimes", "`sometimes`", "--eta=auto"),
        ("--eta-newline=x", "--eta-newline", "30s"),
    ] {
        // Options of the program may stand anywhere; those of the job after its name.
        let error =
            parse_command(&format!("fio {JOB} {options}"), &NoContext).expect_err(options).to_string();
        assert!(error.contains(name) && error.contains(mend), "{options}:\n{error}");
    }
}

#[test]
fn harmless_values_of_refused_options_are_taken() {
    command(&format!("{JOB} --log_hist_msec=0 --log_offset=0 --log_window_value=avg --error_dump=0"));
}

#[test]
fn options_of_the_report_are_read_and_need_no_note() {
    let options = "--output=o.json --output-format=json,normal --eta=never --aux-path=/logs --percentile_list=99.9:50 \
        --lat_percentiles=1 --kb_base=1000 --unit_base=1 --group_reporting --description=why --disable_slat=1 \
        --write_bw_log=x --log_avg_msec=200 --per_job_logs=0 --log_unix_epoch=1";
    let command = command(&format!("{JOB} {options}"));
    let Action::Run(foreign) = &command.action else { panic!("it is to be run") };
    let about: Vec<&str> = foreign.notes.iter().map(|note| note.about.as_str()).collect();
    assert!(!about.iter().any(|about| about.contains("log") || about.contains("percentile")), "{about:?}");
    let reporting = &command.reporting;
    assert_eq!(reporting.formats, [Format::Json, Format::Normal]);
    assert_eq!(
        (reporting.output.as_deref(), reporting.log_directory.as_deref()),
        (Some("o.json"), Some("/logs"))
    );
    assert_eq!(reporting.eta, Eta::Never);
    assert_eq!(reporting.interval(), Span::from_ms(200));
    let job = &reporting.jobs[0];
    assert_eq!((&job.percentiles[..], job.percentile_decimals), (&[50.0, 99.9][..], 1));
    assert!(job.lat_percentiles && job.group_reporting && job.bits && job.disable_slat && job.log_unix_epoch);
    assert!(!job.per_job_logs && !job.slat_percentiles && !job.disable_lat);
    assert_eq!((job.kb_base, job.description.as_deref()), (1_000, Some("why")));
    assert_eq!((job.bw_log.as_deref(), job.log_every), (Some("x"), Some(Span::from_ms(200))));
}

#[test]
fn the_same_options_are_notes_where_no_report_of_fios_is_made() {
    let foreign = fio::parse_line(&format!("fio {JOB} --write_bw_log=x --output=o"), &NoContext).unwrap();
    let about: Vec<&str> = foreign.notes.iter().map(|note| note.about.as_str()).collect();
    assert!(about.contains(&"write_bw_log=x") && about.contains(&"--output=o"), "{about:?}");
}

#[test]
fn without_anything_asked_the_report_is_fios_default() {
    let reporting = command(JOB).reporting;
    assert_eq!(
        (reporting.formats, reporting.terse_version, reporting.eta),
        (vec![Format::Normal], 3, Eta::Auto)
    );
    assert_eq!(reporting.jobs[0].percentiles.len(), 17);
    assert_eq!(reporting.jobs[0].bw_sample, Span::from_ms(500));
}

#[test]
fn the_series_is_as_fine_as_logs_and_samples_need() {
    for (options, ms) in [
        ("", 500),
        ("--bwavgtime=250", 250),
        ("--bwavgtime=2000", 500),
        ("--write_bw_log=x --log_avg_msec=1000", 500),
        ("--write_bw_log=x --log_avg_msec=700", 350),
        ("--write_bw_log=x --log_avg_msec=300 --iopsavgtime=200", 150),
        ("--write_hist_log=x --log_hist_msec=900", 450),
        // Without a log, the time of its lines is nobody's.
        ("--log_avg_msec=7", 500),
    ] {
        assert_eq!(command(&format!("{JOB} {options}")).reporting.interval(), Span::from_ms(ms), "{options}");
    }
}

/// Two clones that read and write, a line every half second.
fn logged(options: &str) -> Vec<(String, String)> {
    let line = format!(
        "fio --name=a --size=1g --rw=randrw --runtime=2 --time_based --numjobs=2 --log_avg_msec=500 {options}"
    );
    let made = made(&line, false);
    let logs = fio::out::logs(&made.rans(), &made.command.jobs, &made.command.reporting).unwrap();
    logs.into_iter().map(|log| (log.name, log.text)).collect()
}

#[test]
fn every_clone_has_its_log_named_as_fio_names_it() {
    let names =
        |options: &str| -> Vec<String> { logged(options).into_iter().map(|(name, _)| name).collect() };
    assert_eq!(
        names("--write_bw_log=x --write_iops_log"),
        ["a_iops.1.log", "a_iops.2.log", "x_bw.1.log", "x_bw.2.log"]
    );
    assert_eq!(names("--write_lat_log=x --disable_clat=1"), ["x_lat.1.log", "x_lat.2.log"]);
    assert_eq!(names("--write_lat_log=x --per_job_logs=0"), ["x_clat.log", "x_lat.log"]);
}

#[test]
fn a_line_of_a_log_is_time_value_direction_block_size_priority() {
    let logs = logged("--write_bw_log=x --write_iops_log=x --write_lat_log=x");
    let text =
        |name: &str| logs.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str()).unwrap();
    let lines = |name: &str| text(name).lines().map(str::to_string).collect::<Vec<_>>();
    // Half of 1,000 I/Os of 4 KiB a second in each direction: 500 IOPS, 2,000 KiB/s.
    assert_eq!(lines("x_bw.1.log").len(), 8);
    assert_eq!(lines("x_bw.1.log")[..3], ["500, 2000, 0, 0, 0", "500, 2000, 1, 0, 0", "1000, 2000, 0, 0, 0"]);
    assert_eq!(lines("x_iops.2.log")[7], "2000, 500, 1, 0, 0");
    // Reads are 101, 103, ... 109 µs; latencies are in ns.
    assert_eq!(lines("x_lat.1.log")[0], "500, 105000, 0, 0, 0");
    assert_eq!(text("x_clat.1.log"), text("x_lat.1.log"));
}

#[test]
fn a_line_of_the_histogram_log_is_time_direction_block_size_and_fios_bins() {
    let line = "fio --name=a --size=1g --rw=randrw --runtime=2 --time_based --numjobs=2 --write_hist_log=x";
    for (coarseness, expected) in [(0, 50), (3, 150), (6, 250)] {
        let made = made(&format!("{line} --log_hist_msec=500 --log_hist_coarseness={coarseness}"), false);
        let logs = fio::out::logs(&made.rans(), &made.command.jobs, &made.command.reporting).unwrap();
        let names: Vec<&str> = logs.iter().map(|log| log.name.as_str()).collect();
        assert_eq!(names, ["x_clat_hist.1.log", "x_clat_hist.2.log"]);
        let rows: Vec<Vec<u64>> = logs[0]
            .text
            .lines()
            .map(|line| line.split(", ").map(|word| word.parse().unwrap()).collect())
            .collect();
        // Four half seconds in two directions; 1,859, 235 and 32 words a line are what fio 3.33 writes.
        assert_eq!(rows.len(), 8);
        assert!(rows.iter().all(|row| row.len() == 3 + (1856 >> coarseness)));
        assert_eq!(rows[0][..3], [500, 0, 4096]);
        assert_eq!(rows[1][..3], [500, 1, 4096]);
        // 500 I/Os a second in each direction.
        assert!(rows.iter().all(|row| row[3..].iter().sum::<u64>() == 250), "{coarseness}");
        // Reads are 101, 103, ... 109 µs, 50 of each. `plat_val_to_idx` of fio's stat.c: above 2^16 ns ten bits are
        // dropped, so that they lie in (10 + 1) * 64 + (98, 100, ... 106) % 64.
        let column = 3 + (738 >> coarseness);
        assert_eq!(rows[0][column], expected, "{coarseness}");
    }
}

#[test]
fn times_of_a_log_can_count_from_1970() {
    let logs = logged("--write_bw_log=x --log_unix_epoch=1");
    assert!(logs[0].1.starts_with(&format!("{}, 2000, 0", BEGAN_MS + 500)), "{}", logs[0].1);
}

#[test]
fn a_log_that_does_not_fit_the_series_is_refused_with_what_would() {
    let mut made = made(&format!("fio {JOB} --write_bw_log=x --log_avg_msec=500"), false);
    made.command.reporting.jobs[0].log_every = Some(Span::from_ms(700));
    let error =
        fio::out::logs(&made.rans(), &made.command.jobs, &made.command.reporting).unwrap_err().to_string();
    assert!(error.contains("multiple of 500 ms"), "{error}");
    let mut made = common::made::made(&format!("fio {JOB} --write_bw_log=x --log_avg_msec=500"), false);
    made.stages[0].threads[0].measured.series_left_out = 3;
    let error =
        fio::out::logs(&made.rans(), &made.command.jobs, &made.command.reporting).unwrap_err().to_string();
    assert!(error.contains("3 intervals") && error.contains("larger log_avg_msec"), "{error}");
}

struct OneFile(&'static str);

impl fio::Context for OneFile {
    fn file(&self, name: &str) -> Option<String> {
        (name == "x.fio").then(|| self.0.to_string())
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

#[track_caller]
fn shown(file: &'static str) -> String {
    let command = parse_command("fio --showcmd x.fio", &OneFile(file)).unwrap();
    assert_eq!(command.action, Action::ShowCommand);
    fio::show_command(&command.jobs)
}

#[test]
fn a_job_file_is_said_as_a_command_line() {
    // As fio 3.33 --showcmd says the same file.
    let file = "[global]\nsize=8m\nruntime=2\ntime_based\nbs=4k\n[a]\nrw=randrw\nrwmixread=70\nnumjobs=2\n[b]\nstonewall\nrw=randwrite\n";
    assert_eq!(
        shown(file),
        "fio --size=8m --runtime=2 --time_based --bs=4k --name=a --rw=randrw --rwmixread=70 --numjobs=2 --name=b \
         --stonewall --rw=randwrite"
    );
}

#[test]
fn what_is_said_as_a_command_line_means_the_same() {
    for file in [
        "[global]\nbs=4k\nsize=1g\n[a]\nrw=read\ndescription=it's a test\n[global]\nbs=8k\n[b]\nrw=write\nstonewall\n",
        "[a]\nsize=1g\nfilename=/mnt/a b\nruntime=5\ntime_based\n[a]\nsize=2g\nbssplit=4k/50:8k/50\n",
    ] {
        let of_file = fio::parse_job_file(file, "x.fio", &NoContext).unwrap();
        let of_line = fio::parse_line(&shown(file), &NoContext).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(of_line.workload, of_file.workload, "{}", shown(file));
    }
}

#[test]
fn a_line_that_is_only_to_be_read_is_checked_and_not_run() {
    assert_eq!(command(&format!("--parse-only {JOB}")).action, Action::ParseOnly);
    assert!(parse_command("fio --parse-only --name=a --size=1g --zonemode=zbd", &NoContext).is_err());
}
