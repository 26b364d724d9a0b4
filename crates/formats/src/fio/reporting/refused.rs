//! Report options of fio that a run here cannot provide, by name.

/// Options that a run can't answer, unless their value is one of these: what is missing, and the fix.
pub(super) const OPTIONS: &[(&str, &[&str], &str, &str)] = &[
    ("log_window_value", &["avg", "average", "0"], "only averages of an interval are logged", "leave it out"),
    ("log_prio", &["0"], "priorities are not kept", "leave it out"),
    ("log_issue_time", &["0"], "a line of a log is an interval and has no time of issue", "leave it out"),
    ("log_store_compressed", &["0"], "logs are written as text", "leave it out"),
    ("log_alternate_epoch", &["0"], "other clocks than that of 1970 are not read", "use log_unix_epoch=1"),
    (
        "log_alternate_epoch_clock_id",
        &["0"],
        "other clocks than that of 1970 are not read",
        "use log_unix_epoch=1",
    ),
    ("job_start_clock_id", &["0"], "other clocks than that of 1970 are not read", "leave it out"),
    ("block_error_percentiles", &["0"], "errors are counted, not traced to blocks", "leave it out"),
    ("error_dump", &["0"], "errors are counted, not listed", "leave it out"),
];

/// The same for options of the program.
pub(super) const PROGRAM: &[(&str, &str, &str)] = &[
    (
        "bandwidth-log",
        "a log of all jobs together is not supported",
        "use --write_bw_log with --log_avg_msec",
    ),
    (
        "latency-log",
        "the log needs the interval that a line covers",
        "use --write_lat_log with --log_avg_msec",
    ),
    (
        "debug",
        "of fio's traces only `random`, the seeds, is printed",
        "leave it out, or write --debug=random",
    ),
    ("idle-prof", "idle time is not measured by running idle threads", "leave it out"),
];
