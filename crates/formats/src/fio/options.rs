//! Every option of a job, with its kind of value and what becomes of it here.
//! Names from `options.c` and HOWTO of fio 3.42.

use super::units::Bare;

/// An option of fio's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FioOption {
    /// Its name.
    pub name: &'static str,
    /// Its other name; empty where there is none.
    pub alias: &'static str,
    /// Type of its value.
    pub kind: ValueKind,
    /// The outcome of it.
    pub effect: Effect,
}

/// Type of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Anything; read where it is used.
    Text,
    /// As [`ValueKind::Text`], and it may stand alone: `write_bw_log` names its files after the job then.
    Optional,
    /// Set by its name alone; a number may follow.
    Flag,
    /// 0 or 1.
    Truth,
    /// A whole number, with a suffix as in sizes (`10k` is 10,240); with commas one each for reads, writes, trims.
    Number,
    /// A whole number that may be negative.
    Signed,
    /// A size, `20%` or `3z`.
    Size,
    /// A time.
    Time(Bare),
}

/// The outcome of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is in the workload, or `convert` says what became of it.
    Carried,
    /// It leaves the I/O as it is; this is said.
    Idle(&'static str),
    /// It changes what is reported or how the run is carried out, and not what I/O is asked for: [`super::Reporting`] or
    /// [`super::Conduct`] reads it. Where that is not made, this is said.
    Reported(&'static str),
    /// It would change the I/O and can't be carried, unless its value is one of these.
    Refused(&'static [&'static str], &'static str),
}

use Effect::{Carried, Idle, Refused, Reported};
use ValueKind::{Flag, Number, Optional, Signed, Size, Text, Time, Truth};

const fn option(name: &'static str, alias: &'static str, kind: ValueKind, effect: Effect) -> FioOption {
    FioOption { name, alias, kind, effect }
}

const SECONDS: ValueKind = Time(Bare::Seconds);
const MICROSECONDS: ValueKind = Time(Bare::Microseconds);
const OFF: &[&str] = &["0", "none", "off", "false"];

const REPORT: Effect = Reported("what fio reports: no effect here");
const LOG: Effect = Reported("this log is not written here; the result keeps the figures of each interval");
const MEASURE: Effect = Reported("what fio measures: no effect here, latency is always measured");
const CLOCK: Effect = Idle("how fio reads its clock: no effect here");
const PROCESS: Effect = Idle("how fio's processes run: no effect here");
const BOUND: Effect = Reported("use --cpus to place threads here");
const LAYOUT: Effect = Idle("how fio lays its files out: no effect on the I/O that is measured");
const ENGINE: Effect = Idle("how fio's engine submits: no effect here");
const BATCH: Effect = Idle("here each completion issues the next I/O, without batches of this size");
const VERIFY: Effect = Reported("written data is not verified here: only the measured I/O runs");
const STAMPS: Effect =
    Idle("verified blocks carry a stamp in each sector of 512 B here, whatever the layout of fio's headers");
const STATE: Effect = Idle("no state file of a verification is written or read here");
const IN_ORDER: Effect = Idle("blocks are read back in the order in which they were written here");
const DATA: Effect = Idle("written blocks are incompressible and do not repeat here");
const ZONED: Effect = Refused(OFF, "zoned devices are not supported");
const REPLAY: Effect =
    Refused(&[], "merging blktrace files is not supported here; `iobound trace merge` merges");
const SEARCH: Effect =
    Reported("fio would search the depth that meets this latency; here the requested depth is used");
const MIXED_IN: Effect = Refused(OFF, "it adds I/O of another kind, which is not supported");

/// Every option of a job.
#[rustfmt::skip]
pub static OPTIONS: &[FioOption] = &[
    // What it runs on.
    option("name", "", Text, Carried),
    option("description", "", Text, Reported("a description: no effect")),
    option("filename", "", Text, Carried),
    option("directory", "", Text, Carried),
    option("filename_format", "", Text, Carried),
    option("unique_filename", "", Truth, LAYOUT),
    option("opendir", "", Text, Refused(&[], "I/O on every file below a directory is not supported")),
    option("lockfile", "", Text, Refused(&["none"], "locking files is not supported")),
    option("size", "", Size, Carried),
    option("io_size", "io_limit", Size, Carried),
    option("filesize", "", Text, Carried),
    option("fill_device", "fill_fs", Truth, Refused(OFF, "filling the whole device is not supported")),
    option("file_append", "", Truth, Refused(OFF, "appending to files is not supported")),
    option("offset", "", Size, Carried),
    option("offset_align", "", Number, Carried),
    option("offset_increment", "", Size, Carried),
    option("number_ios", "", Number, Carried),
    option("nrfiles", "nr_files", Number, Carried),
    option("openfiles", "", Number, LAYOUT),
    option("file_service_type", "", Text, Carried),
    option("fallocate", "", Text, LAYOUT),
    option("fadvise_hint", "fadvise", Text, LAYOUT),
    option("overwrite", "", Truth, LAYOUT),
    option("unlink", "", Truth, Carried),
    option("unlink_each_loop", "", Truth, LAYOUT),
    option("create_serialize", "", Truth, LAYOUT),
    option("create_fsync", "", Truth, LAYOUT),
    option("create_on_open", "", Truth, LAYOUT),
    option("create_only", "", Truth, Refused(OFF, "it only lays files out: there is no I/O to run")),
    option("allow_file_create", "", Truth, Carried),
    option("allow_mounted_write", "", Truth, Idle("iobound has its own rules for overwriting")),
    option("pre_read", "", Truth, LAYOUT),
    option("invalidate", "", Truth, LAYOUT),
    option("readonly", "", Flag, Carried),
    // How it issues.
    option("ioengine", "", Text, Carried),
    option("iodepth", "", Number, Carried),
    option("iodepth_batch", "iodepth_batch_submit", Number, BATCH),
    option("iodepth_batch_complete_min", "iodepth_batch_complete", Number, BATCH),
    option("iodepth_batch_complete_max", "", Number, BATCH),
    option("iodepth_low", "", Number, BATCH),
    option("serialize_overlap", "", Truth, Idle("overlapping I/Os are not delayed here")),
    option("io_submit_mode", "", Text, ENGINE),
    option("direct", "", Truth, Carried),
    option("buffered", "", Truth, Carried),
    option("atomic", "", Truth, Carried),
    option("sync", "", Text, Carried),
    option("fsync", "", Number, Carried),
    option("fdatasync", "", Number, Carried),
    option("sync_file_range", "", Text, Carried),
    option("write_barrier", "", Number, Refused(OFF, "barriers are not supported; use fsync")),
    option("end_fsync", "", Truth, Carried),
    option("fsync_on_close", "", Truth, Carried),
    option("fixedbufs", "", Flag, ENGINE),
    option("registerfiles", "", Flag, ENGINE),
    option("sqthread_poll", "", Flag, ENGINE),
    option("sqthread_poll_cpu", "", Number, ENGINE),
    option("hipri", "", Flag, ENGINE),
    option("hipri_percentage", "", Number, ENGINE),
    option("nonvectored", "", Flag, ENGINE),
    option("force_async", "", Number, ENGINE),
    option("nowait", "", Truth, ENGINE),
    option("uncached", "", Truth, Refused(OFF, "uncached buffered I/O is not supported; use direct=1")),
    option("userspace_reap", "", Flag, ENGINE),
    option("libaio_vectored", "", Truth, ENGINE),
    option("cmdprio_percentage", "", Number, PROCESS),
    option("cmdprio_class", "", Number, PROCESS),
    option("cmdprio_hint", "", Number, PROCESS),
    option("cmdprio", "", Number, PROCESS),
    option("cmdprio_bssplit", "", Text, PROCESS),
    option("cmd_type", "", Text, ENGINE),
    option("mem", "iomem", Text, ENGINE),
    option("iomem_align", "mem_align", Number, ENGINE),
    option("hugepage-size", "", Number, ENGINE),
    option("ioscheduler", "", Text, Idle("the kernel's scheduler is not changed")),
    // The pattern.
    option("rw", "readwrite", Text, Carried),
    option("rw_sequencer", "", Text, Refused(&["sequential"], "an identical sequence of offsets is not supported")),
    option("rwmixread", "", Number, Carried),
    option("rwmixwrite", "", Number, Carried),
    option("rwmixcycle", "", Number, Idle("has had no effect since fio 1.26")),
    option("bs", "blocksize", Text, Carried),
    option("bsrange", "blocksize_range", Text, Carried),
    option("bssplit", "", Text, Carried),
    option("bs_unaligned", "blocksize_unaligned", Flag, Refused(OFF, "unaligned block sizes are not supported")),
    option("bs_is_seq_rand", "", Truth, Refused(OFF, "separate block sizes for sequential and random I/O are not supported")),
    option("blockalign", "ba", Number, Carried),
    option("percentage_random", "", Number, Carried),
    option("random_distribution", "", Text, Carried),
    option("norandommap", "", Flag, Carried),
    option("softrandommap", "", Truth, Idle("the map of blocks always fits in memory here")),
    option("random_generator", "", Text, Carried),
    option("randrepeat", "", Truth, Carried),
    option("allrandrepeat", "", Truth, Carried),
    option("randseed", "", Number, Carried),
    option("use_os_rand", "", Text, Idle("has no effect in fio either")),
    option("zonemode", "", Text, Refused(&["none", "strided"], "zoned devices are not supported")),
    option("zonesize", "", Size, Carried),
    option("zonerange", "", Size, Carried),
    option("zoneskip", "", Size, Carried),
    option("zonecapacity", "", Size, ZONED),
    option("read_beyond_wp", "", Truth, ZONED),
    option("max_open_zones", "", Number, ZONED),
    option("job_max_open_zones", "", Number, ZONED),
    option("ignore_zone_limits", "", Truth, ZONED),
    option("zone_reset_threshold", "", Text, ZONED),
    option("zone_reset_frequency", "", Text, ZONED),
    option("fdp", "", Truth, Refused(OFF, "data placement is not supported")),
    option("fdp_pli", "", Text, Refused(&[], "data placement is not supported")),
    option("plids", "", Text, Refused(&[], "data placement is not supported")),
    option("dataplacement", "", Text, Refused(&["none"], "data placement is not supported")),
    // What is written.
    option("refill_buffers", "", Flag, DATA),
    option("scramble_buffers", "", Truth, DATA),
    option("zero_buffers", "", Flag, Carried),
    option("buffer_pattern", "", Text, Carried),
    option("buffer_compress_percentage", "", Number, Carried),
    option("buffer_compress_chunk", "", Number, DATA),
    option("dedupe_percentage", "", Number, Reported("written blocks do not repeat here: use --dedupe")),
    option("dedupe_mode", "", Text, Reported("only with dedupe_percentage")),
    option("dedupe_working_set_percentage", "", Number, DATA),
    option("dedupe_global", "", Truth, DATA),
    // When.
    option("runtime", "timeout", SECONDS, Carried),
    option("time_based", "", Flag, Carried),
    option("ramp_time", "", SECONDS, Carried),
    option("startdelay", "start_delay", Text, Carried),
    option("loops", "", Number, Carried),
    option("stonewall", "wait_for_previous", Flag, Carried),
    option("wait_for", "", Text, Carried),
    option("exitall", "", Flag, Carried),
    option("exit_what", "", Text, PROCESS),
    option("exitall_on_error", "", Flag, Idle("an I/O error ends the whole run here")),
    option("thinktime", "", MICROSECONDS, Carried),
    option("thinktime_spin", "", MICROSECONDS, Idle("the pause is not spent computing here")),
    option("thinktime_blocks", "", Number, Carried),
    option("thinktime_blocks_type", "", Text, Carried),
    option("thinktime_iotime", "", MICROSECONDS, Refused(&["0"], "pauses after a time of I/O are not supported; use thinktime_blocks")),
    option("thinkcycles", "", Number, PROCESS),
    option("rate", "", Text, Carried),
    option("rate_iops", "", Text, Carried),
    option("rate_min", "ratemin", Text, Idle("fio would end the job below this rate; here it continues")),
    option("rate_iops_min", "", Text, Idle("fio would end the job below this rate; here it continues")),
    option("rate_process", "", Text, Carried),
    option("rate_cycle", "ratecycle", Number, Idle("only for fio's minimum rate")),
    option("rate_ignore_thinktime", "", Truth, Idle("the pauses are not caught up here")),
    option("latency_target", "", MICROSECONDS, SEARCH),
    option("latency_window", "", MICROSECONDS, Reported("only with latency_target")),
    option("latency_percentile", "", Text, Reported("only with latency_target")),
    option("latency_run", "", Truth, Reported("only with latency_target")),
    option("max_latency", "", Text, Reported("fio would end the job at an I/O slower than this; here it continues")),
    option("steadystate", "ss", Text, Reported("fio would end the job when this is steady; here it runs for its full time")),
    option("steadystate_duration", "ss_dur", SECONDS, Reported("only with steadystate")),
    option("steadystate_ramp_time", "ss_ramp", SECONDS, Reported("only with steadystate")),
    option("steadystate_check_interval", "ss_interval", SECONDS, Idle("only with steadystate")),
    option("flow", "", Signed, Carried),
    option("flow_id", "", Number, Carried),
    option("flow_watermark", "", Number, Idle("has had no effect since fio 3.21")),
    option("flow_sleep", "", Number, Carried),
    // Processes.
    option("numjobs", "", Number, Carried),
    option("thread", "threads", Flag, PROCESS),
    option("group_reporting", "", Flag, REPORT),
    option("new_group", "", Flag, REPORT),
    option("cpus_allowed", "", Text, BOUND),
    option("cpus_allowed_policy", "", Text, BOUND),
    option("cpumask", "", Number, BOUND),
    option("log_compression_cpus", "", Text, Idle("only with log_compression")),
    option("numa_cpu_nodes", "", Text, PROCESS),
    option("numa_mem_policy", "", Text, PROCESS),
    option("nice", "", Signed, PROCESS),
    option("prio", "", Number, PROCESS),
    option("prioclass", "", Number, PROCESS),
    option("priohint", "", Number, PROCESS),
    option("uid", "", Number, PROCESS),
    option("gid", "", Number, PROCESS),
    option("lockmem", "", Size, PROCESS),
    option("cgroup", "", Text, Idle("no control group is made here")),
    option("cgroup_weight", "", Number, Idle("no control group is made here")),
    option("cgroup_nodelete", "", Truth, Idle("no control group is made here")),
    option("cpuload", "", Number, Refused(OFF, "a job that only computes is not supported")),
    option("cpuchunks", "", MICROSECONDS, PROCESS),
    option("exec_prerun", "", Text, Idle("commands of a job file are never run here")),
    option("exec_postrun", "", Text, Idle("commands of a job file are never run here")),
    // Verification.
    option("verify", "", Text, VERIFY),
    option("do_verify", "", Truth, VERIFY),
    option("verify_fatal", "", Truth, VERIFY),
    option("verify_dump", "", Truth, Idle("the first wrong block of each thread is shown here, and no block is dumped")),
    option("verify_async", "", Number, Idle("the thread that reads a block verifies it here")),
    option("verify_async_cpus", "", Text, Idle("the thread that reads a block verifies it here")),
    option("verify_pattern", "", Text, VERIFY),
    option("verify_pattern_interval", "", Truth, STAMPS),
    option("verify_interval", "", Number, STAMPS),
    option("verify_offset", "", Number, STAMPS),
    option("verify_state_load", "", Truth, STATE),
    option("verify_state_save", "", Truth, STATE),
    option("verify_write_sequence", "", Truth, STAMPS),
    option("verify_header_seed", "", Truth, STAMPS),
    option("verifysort", "", Truth, IN_ORDER),
    option("verifysort_nr", "", Number, IN_ORDER),
    option("experimental_verify", "", Truth, IN_ORDER),
    option("verify_only", "", Flag, Refused(OFF, "verifying the data of an earlier run is not supported")),
    option("verify_backlog", "", Number, Carried),
    option("verify_backlog_batch", "", Number, Carried),
    option("trim_percentage", "", Number, MIXED_IN),
    option("trim_verify_zero", "", Truth, Idle("trimmed blocks are not verified here")),
    option("trim_backlog", "", Number, MIXED_IN),
    option("trim_backlog_batch", "", Number, MIXED_IN),
    // Reports.
    option("write_bw_log", "", Optional, LOG),
    option("write_lat_log", "", Optional, LOG),
    option("write_iops_log", "", Optional, LOG),
    option("write_hist_log", "", Optional, LOG),
    option("log_entries", "", Number, LOG),
    option("log_avg_msec", "", Time(Bare::Milliseconds), LOG),
    option("log_hist_msec", "", Time(Bare::Milliseconds), LOG),
    option("log_hist_coarseness", "", Number, LOG),
    option("log_window_value", "log_max_value", Text, LOG),
    option("log_offset", "", Truth, LOG),
    option("log_prio", "", Truth, LOG),
    option("log_issue_time", "", Truth, LOG),
    option("log_compression", "", Number, Idle("fio compresses its logs in memory: the files are the same")),
    option("log_store_compressed", "", Truth, LOG),
    option("log_unix_epoch", "", Truth, LOG),
    option("log_alternate_epoch", "", Truth, LOG),
    option("log_alternate_epoch_clock_id", "", Number, LOG),
    option("per_job_logs", "", Truth, LOG),
    option("bwavgtime", "", Time(Bare::Milliseconds), REPORT),
    option("iopsavgtime", "", Time(Bare::Milliseconds), REPORT),
    option("percentile_list", "", Text, REPORT),
    option("clat_percentiles", "", Truth, REPORT),
    option("lat_percentiles", "", Truth, REPORT),
    option("slat_percentiles", "", Truth, REPORT),
    option("block_error_percentiles", "", Truth, REPORT),
    option("significant_figures", "", Number, REPORT),
    option("unified_rw_reporting", "", Text, REPORT),
    option("disk_util", "", Truth, REPORT),
    option("stats", "", Truth, REPORT),
    option("kb_base", "", Number, Carried),
    option("unit_base", "", Number, REPORT),
    option("gtod_reduce", "", Truth, MEASURE),
    option("gtod_cpu", "", Number, CLOCK),
    option("disable_lat", "", Truth, MEASURE),
    option("disable_clat", "", Truth, MEASURE),
    option("disable_slat", "", Truth, MEASURE),
    option("disable_bw_measurement", "disable_bw", Truth, MEASURE),
    option("clocksource", "clock_type", Text, CLOCK),
    option("job_start_clock_id", "", Number, REPORT),
    option("continue_on_error", "", Text, Idle("an I/O error ends the run here")),
    option("ignore_error", "", Text, Idle("an I/O error ends the run here")),
    option("error_dump", "", Truth, REPORT),
    // Recording and replay.
    option("write_iolog", "", Text, Reported("the I/Os are not recorded here")),
    option("read_iolog", "", Text, Carried),
    option("read_iolog_chunked", "", Truth, Idle("the log is always read in parts")),
    option("replay_no_stall", "", Truth, Carried),
    option("replay_redirect", "", Text, Carried),
    option("replay_scale", "", Number, Carried),
    option("replay_align", "", Number, Carried),
    option("replay_time_scale", "", Number, Carried),
    option("replay_skip", "", Text, Carried),
    option("merge_blktrace_file", "", Text, REPLAY),
    option("merge_blktrace_scalars", "", Text, REPLAY),
    option("merge_blktrace_iters", "", Text, REPLAY),
];
