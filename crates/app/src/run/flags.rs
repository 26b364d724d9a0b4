//! Options of a run on real targets.

use crate::options::options;

options! {
    /// Options of a run on real targets. Each is also a variable `IOBOUND_...`; the values are read by `run::how`.
    pub struct RunFlags in "Run" {
        /// With --trace, I/Os beyond the end of a target: wrap them, or scale all offsets of the device [default: wrap]
        offsets: Option<String> = Form::One, "wrap|scale";
        /// Use the page cache [default: bypass it with O_DIRECT]
        buffered: bool = Form::Switch;
        /// Make each write durable before it completes
        write_through: bool = Form::Switch;
        /// Existing file or device that may be overwritten; must be a target; repeat for more
        overwrite: Vec<String> = Form::Many, "PATH";
        /// Show what would be written, and the time it would take, and stop
        dry_run: bool = Form::Switch;
        /// Refuse targets that would give doubtful figures, such as devices in memory or never written
        strict: bool = Form::Switch;
        /// Run although other processes use the device
        busy_ok: bool = Form::Switch;
        /// Upper limit of IOPS, whatever the workload asks for
        max_iops: Option<String> = Form::One, "N";
        /// Stop when system pressure (PSI) exceeds these percentages: memory=10%,cpu=50%,io=80% [default: memory=10%]
        max_pressure: Option<String> = Form::One, "SHARES";
        /// I/O engine: io_uring, libaio, sync [default: chosen by target]
        engine: Option<String> = Form::One, "ENGINE";
        /// Processors to which threads are bound in turn: 0-3,8
        cpus: Option<String> = Form::One, "LIST";
        /// Length of an interval of the series [default: 1s]
        interval: Option<String> = Form::One, "TIME";
        /// Stop when the result is steady (SNIA), or when the 95 % confidence interval is narrow enough: steady, ci=2%
        until: Option<String> = Form::One, "steady|ci=PERCENT";
        /// Find the lowest concurrency that reaches the highest IOPS; --depth and --threads are the bounds
        find_knee: bool = Form::Switch;
        /// Find the highest queue depth that meets this latency goal, and run with it; --depth is the upper bound: p99:5ms
        find_load: Option<String> = Form::One, "GOAL";
        /// Write offset, generation and CRC-32C into blocks, and verify them by reading back
        verify: bool = Form::Switch;
        /// Action after a failed I/O: stop, continue [default: stop]
        on_error: Option<String> = Form::One, "ACTION";
        /// Percentage of written data that compresses away
        compressible: Option<String> = Form::One, "PERCENT";
        /// Percentage of written blocks that repeat earlier blocks
        dedupe: Option<String> = Form::One, "PERCENT";
        /// Remove the files that the run created at its end
        remove: bool = Form::Switch;
        /// File or descriptor (fd:3) for one line of JSON for each interval
        ndjson: Option<String> = Form::One, "FILE";
        /// File for the series of intervals as CSV
        csv: Option<String> = Form::One, "FILE";
        /// Compare with these targets or workload options in alternating turns (ABBA), each side for --duration: '/mnt/b',
        /// '--depth 16'
        vs: Option<String> = Form::Line, "WORDS";
        /// Number of rounds of four turns, with --vs [default: 10]
        rounds: Option<String> = Form::One, "N";
        /// Condition that ends the program with exit code 1: 'iops < 50000', 'p99 > 5ms', with --vs 'p99 > +5%'; repeat for more
        fail_if: Vec<String> = Form::Many, "CONDITION";
        /// Results store, or off [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE|off";
        /// File for an HdrHistogram interval log
        hlog: Option<String> = Form::One, "FILE";
        /// File for a trace of every I/O with its latency, which --trace replays; kept in memory up to the end
        trace_out: Option<String> = Form::One, "FILE";
    }
}
