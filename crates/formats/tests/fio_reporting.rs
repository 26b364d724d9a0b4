//! What a line asks of fio's report: read, refused by name, written as logs and as a command line.

mod common {
    pub(crate) mod made;
}

use common::made::{BEGAN_MS, made};
use iobound_formats::RanIo;
use iobound_formats::fio::{self, Action, Eta, Format, NoContext, parse_command};
use iobound_units::{Bytes, Instant, Op, Span};

const JOB: &str = "--name=a --size=1g --rw=randread --runtime=2 --time_based";

fn command(options: &str) -> fio::Command {
    parse_command(&format!("fio {options}"), &NoContext).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn an_option_that_a_run_can_not_answer_is_refused_by_name_and_mended() {
    for (options, name, help) in [
        ("--write_hist_log=x", "write_hist_log without log_hist_msec", "add log_hist_msec=1000"),
        ("--write_hist_log=x --log_hist_msec=1us", "log_hist_msec", "whole milliseconds"),
        ("--log_hist_coarseness=7", "log_hist_coarseness is 7", "0 to 6"),
        ("--log_avg_msec=500us --write_iops_log=x", "log_avg_msec", "whole milliseconds"),
        ("--log_window_value=max", "log_window_value", "leave it out"),
        ("--log_alternate_epoch_clock_id=1", "log_alternate_epoch_clock_id", "log_unix_epoch"),
        ("--block_error_percentiles=1", "block_error_percentiles", "leave it out"),
        ("--percentile_list=50:x", "percentile_list: `x`", "50:99:99.9"),
        ("--percentile_list=0", "percentile_list: `0`", "above 0"),
        ("--percentile_list=101", "percentile_list: `101`", "up to 100"),
        ("--percentile_list=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21", "21 percentiles", "20"),
        ("--unified_rw_reporting=3", "unified_rw_reporting", "none, mixed or both"),
        ("--unit_base=4", "unit_base", "8 (bytes)"),
        ("--significant_figures=11", "significant_figures", "1 to 10"),
        ("--bandwidth-log", "--bandwidth-log", "write_bw_log"),
        ("--latency-log", "--latency-log", "write_lat_log"),
        ("--idle-prof=system", "--idle-prof", "leave it out"),
        ("--debug=io", "--debug", "leave it out"),
        ("--output-format=xml", "`xml` is not a form of fio's", "json+"),
        ("--terse-version=2", "--terse-version: `2`", "3, 4 and 5"),
        ("--eta=sometimes", "`sometimes`", "--eta=auto"),
        ("--eta-newline=x", "--eta-newline", "30s"),
        ("--status-interval=0", "--status-interval: `0` is too short", "1ms"),
    ] {
        // Options of the program may stand anywhere; those of the job after its name.
        let error =
            parse_command(&format!("fio {JOB} {options}"), &NoContext).expect_err(options).to_string();
        assert!(error.contains(name) && error.contains(help), "{options}:\n{error}");
    }
}

#[test]
fn a_log_without_an_interval_has_a_line_for_each_io() {
    let mut made = made(&format!("fio {JOB} --write_bw_log=x --write_lat_log=x --write_iops_log=x"), true);
    assert!(made.command.reporting.logs_ios());
    let io = |ms: u64, op: Op, offset: u64| RanIo {
        end: Instant::ZERO + Span::from_ms(ms),
        lat: Span::from_us(105),
        slat: Span::from_us(5),
        op,
        len: 4096,
        target: 0,
        offset,
    };
    // The last one completed when the run was over, and counts nowhere.
    let ios = vec![vec![io(3, Op::Read, 0), io(7, Op::Write, 8192), io(60_000, Op::Read, 0)]];
    let text = |made: &common::made::Made, name: &str| -> String {
        let mut rans = made.rans();
        rans[0].ios = &ios;
        let logs = fio::out::logs(&rans, &made.command.jobs, &made.command.reporting).unwrap();
        logs.into_iter().find(|log| log.name == name).unwrap_or_else(|| panic!("no {name}")).text
    };
    // As fio 3.33 writes them: 4,096 B in 100 us from submission to completion are 40,960 kB/s.
    assert_eq!(text(&made, "x_lat.1.log"), "3, 105000, 0, 4096, 0\n7, 105000, 1, 4096, 0\n");
    assert_eq!(text(&made, "x_slat.1.log"), "3, 5000, 0, 4096, 0\n7, 5000, 1, 4096, 0\n");
    assert_eq!(text(&made, "x_clat.1.log"), "3, 100000, 0, 4096, 0\n7, 100000, 1, 4096, 0\n");
    assert_eq!(text(&made, "x_bw.1.log"), "3, 40960, 0, 4096, 0\n7, 40960, 1, 4096, 0\n");
    assert_eq!(text(&made, "x_iops.1.log"), "3, 1, 0, 4096, 0\n7, 1, 1, 4096, 0\n");
    made.command.reporting.jobs[0].log_offset = true;
    assert_eq!(text(&made, "x_iops.1.log"), "3, 1, 0, 4096, 0, 0\n7, 1, 1, 4096, 8192, 0\n");
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
    logged_apart(options, false)
}

fn logged_apart(options: &str, apart: bool) -> Vec<(String, String)> {
    let line = format!(
        "fio --name=a --size=1g --rw=randrw --runtime=2 --time_based --numjobs=2 --log_avg_msec=500 {options}"
    );
    let made = made(&line, apart);
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
fn latency_logs_hold_the_parts_where_submission_was_timed_apart() {
    let logs = logged_apart("--write_lat_log=x --per_job_logs=0", true);
    let first = |name: &str| {
        let log = logs.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}"));
        log.1.lines().next().unwrap().to_string()
    };
    // Of a mean of 105 µs, submission is 1 µs.
    assert_eq!(first("x_slat.log"), "500, 1000, 0, 0, 0");
    assert_eq!(first("x_clat.log"), "500, 104000, 0, 0, 0");
    assert_eq!(first("x_lat.log"), "500, 105000, 0, 0, 0");
    let without_slat = logged_apart("--write_lat_log=x --per_job_logs=0 --disable_slat=1", true);
    assert_eq!(without_slat.len(), 2);
}

#[test]
fn the_histogram_log_holds_completion_latency() {
    let line =
        "fio --name=a --size=1g --rw=randrw --runtime=2 --time_based --write_hist_log=x --log_hist_msec=500";
    let made = made(line, true);
    let logs = fio::out::logs(&made.rans(), &made.command.jobs, &made.command.reporting).unwrap();
    let row: Vec<u64> =
        logs[0].text.lines().next().unwrap().split(", ").map(|word| word.parse().unwrap()).collect();
    // Reads of 101 and 103 µs complete 100 and 102 µs after a submission of 1 µs. By `plat_val_to_idx` those are bins
    // 704 + 97 % 64 = 737 and 739; 101 and 103 µs would be 738 and 740.
    assert_eq!((row[3 + 737], row[3 + 738], row[3 + 739]), (50, 0, 50));
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
    assert_eq!(command(&format!("--parse-only {JOB}")).action, Action::ParseOnly(Vec::new()));
    // As in fio, what can be read is right; what a run would refuse is said.
    for words in ["--size=1g --zonemode=zbd", "--filename=/dev/nowhere", "--size=1g --ioengine=rbd --pool=x"]
    {
        let action = parse_command(&format!("fio --parse-only --name=a {words}"), &NoContext).unwrap().action;
        assert!(matches!(action, Action::ParseOnly(unfit) if !unfit.is_empty()), "{words}");
    }
    for words in ["--rw=sideways", "--bs=4q", "--iodept=1", "--filename=/dev/nowhere --rw=sideways"] {
        let words = format!("fio --parse-only --name=a {words}");
        assert!(parse_command(&words, &NoContext).is_err(), "{words}");
    }
}

#[test]
fn a_terse_line_is_added_to_the_text_or_to_what_is_asked_for() {
    let formats = |options: &str| command(&format!("{JOB} {options}")).reporting.formats;
    assert_eq!(formats("--append-terse"), [Format::Terse, Format::Normal]);
    assert_eq!(formats("--output-format=json --append-terse"), [Format::Terse, Format::Json]);
    assert_eq!(formats("--minimal"), [Format::Terse]);
}

#[test]
fn an_iolog_has_every_io_of_all_clones_by_time() {
    let mut made = made(&format!("fio {JOB} --write_iolog=log"), true);
    assert!(made.command.reporting.logs_ios());
    assert_eq!(fio::out::iolog_names(&made.command.reporting), ["log"]);
    let io = |us: u64, op: Op, offset: u64| RanIo {
        end: Instant::ZERO + Span::from_us(us),
        lat: Span::from_us(100),
        slat: Span::ZERO,
        op,
        len: 4096,
        target: 0,
        offset,
    };
    let ios = vec![vec![io(300, Op::Write, 8192), io(200, Op::Read, 0)]];
    // Two files of 8 KiB, end to end.
    made.stages[0].targets[0].files = vec!["x.0".into(), "x.1".into()];
    made.stages[0].targets[0].size = Bytes::kib(16);
    let mut rans = made.rans();
    rans[0].ios = &ios;
    let logs = fio::out::iologs(&rans, &made.command.reporting);
    let expected = [
        "fio version 3 iolog",
        "0 x.0 add",
        "0 x.1 add",
        "0 x.0 open",
        "0 x.1 open",
        "100 x.0 read 0 4096",
        "200 x.1 write 0 4096",
        "200 x.0 close",
        "200 x.1 close",
        "",
    ];
    assert_eq!(logs[0].text, expected.join("\n"));
}

#[test]
fn goals_that_end_a_job_are_read_as_fio_writes_them() {
    let goals = |options: &str| {
        let command = parse_command(&format!("fio {JOB} {options}"), &NoContext);
        command.map(|command| (command.reporting.jobs[0].steady, command.reporting.jobs[0].latency))
    };
    let (steady, _) = goals("--ss=iops_slope:0.1% --ss_dur=10 --ss_ramp=5").unwrap();
    let steady = steady.unwrap();
    assert_eq!((steady.of_iops, steady.by_slope, steady.limit, steady.in_percent), (true, true, 0.1, true));
    assert_eq!((steady.seconds, steady.ramp), (10, Span::from_secs(5)));
    assert_eq!(goals("--ss=bw:1m --ss_dur=10").unwrap().0.unwrap().limit, 1_048_576.0);
    assert_eq!(goals("--ss=bw:5%").unwrap().0, None);
    let (_, latency) = goals("--latency_target=5ms --latency_window=2s --latency_percentile=99.9").unwrap();
    let latency = latency.unwrap();
    assert_eq!((latency.target, latency.window), (Span::from_ms(5), Span::from_secs(2)));
    assert_eq!((latency.percent, latency.runs_on), (99.9, false));
    for (wrong, word) in [
        ("--ss=iops", "iops:10%"),
        ("--ss=lat:5% --ss_dur=5", "iops:10%"),
        ("--latency_target=5ms", "latency_window=5s"),
        ("--latency_target=5ms --latency_window=1s --latency_percentile=101", "up to 100"),
    ] {
        assert!(goals(wrong).unwrap_err().to_string().contains(word), "{wrong}");
    }
}
