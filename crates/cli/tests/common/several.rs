//! A result of several machines with everything that one can have.

use iobound_measure::RunResult;
use iobound_measure::result::fleet::{MissingRank, PerHost, RanksDone, Straggler};
use iobound_measure::result::{Check, Fleet, HostLimit, HostResult, Outcome};

/// Parts that only a run on several machines has.
pub(crate) fn several(result: &mut RunResult) {
    let done = Some(RanksDone { iops: 1.0, throughput_bytes_per_s: 1.0, seconds: 1.0 });
    let host = HostResult {
        label: "db0".into(),
        host: "db0".into(),
        total: result.total.clone(),
        depth: result.depth,
        start_offset_ms: Some(0.1),
        ended: "failed".into(),
        error: Some("EIO".into()),
        bound: Some(HostLimit { by: "device".into(), says: "busy".into() }),
        engine: result.engine.clone(),
        kernel: result.kernel.clone(),
        files: vec!["/mnt/a".into()],
        cpu: result.cpu.clone(),
        devices: result.devices.clone(),
        checks: vec![Check { name: "steal".into(), outcome: Outcome::Warning, says: "so".into() }],
        ..HostResult::default()
    };
    result.hosts = vec![host.clone(), HostResult { rank: 1, label: "db1".into(), ..host }];
    result.fleet = Some(Fleet {
        launcher: "slurm".into(),
        ranks: 3,
        reported: 2,
        missing: vec![MissingRank { rank: 2, host: Some("db2".into()), why: "gone".into() }],
        first_done: done,
        last_done: done,
        per_host: PerHost::of(&result.hosts),
        stragglers: vec![Straggler { rank: 1, host: "db1".into(), of_median: 0.5 }],
        start_skew_ms: Some(0.1),
        start_skew_uncertainty_ms: Some(0.1),
        clock: "so".into(),
    });
}
