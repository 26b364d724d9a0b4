//! A limit that was found, simulated: the model under the same load must complete as many I/Os at the same times.

use iobound_model::{Algorithm, Blueprint, Charge, Latency, Limit, LimiterId, LimiterName, LimiterSpec};
use iobound_units::{Bytes, Ppm, Span};

use crate::answer::{Counts, Enforcement};
use crate::cumulative::Cumulative;
use crate::model_disk::ModelDisk;
use crate::step::{Disk, Mix, Step};
use crate::wanted::Wanted;

/// Time that is compared, in seconds.
const COMPARED: f64 = 1.0;

/// Largest difference between the completions that were measured and those of the model in the first second of load after a rest,
/// as a share of a second's limit. `None` where there is nothing to compare, or where several targets were loaded.
pub(crate) fn misfit(
    wanted: &Wanted,
    per_second: f64,
    enforcement: Enforcement,
    latency: f64,
    depth: u32,
    measured: &Cumulative,
) -> Option<f64> {
    if wanted.targets.len() != 1 || per_second < 1.0 || measured.length() < COMPARED {
        return None;
    }
    let span = |seconds: f64| Span::from_ns((seconds * 1e9).round().max(1.0) as u64);
    let algorithm = match enforcement {
        Enforcement::Slice { length, .. } => Algorithm::Slice { length: span(length.value) },
        Enforcement::Bucket { depth } => Algorithm::Bucket { depth: span(depth.value.max(0.001)) },
        Enforcement::Unresolved => return None,
    };
    let limit = Some(Limit::published(per_second.round() as u64));
    let media = Latency { mean: span(latency), floor: Ppm(800_000), per_kib: Span::ZERO };
    let mut blueprint = Blueprint::striped("model", 1, Bytes::gib(64), media);
    blueprint.limiters.push(LimiterSpec {
        name: LimiterName::only("limit"),
        ios: limit.filter(|_| wanted.counts == Counts::Ios),
        bytes: limit.filter(|_| wanted.counts == Counts::Bytes),
        charge: Charge::Each,
        algorithm,
        factor: Ppm::ONE,
        credits: None,
    });
    blueprint.disks[0].max_transfer = Bytes::mib(1);
    (blueprint.disks[0].routes.read, blueprint.disks[0].routes.write) =
        (vec![LimiterId(0)], vec![LimiterId(0)]);
    let mut model = ModelDisk::new(&blueprint, 0).ok()?;
    // A model that begins has what a rest leaves: a full bucket, and the quota that an idle slice carries over.
    model.rest(Span::from_secs(1));
    let step = Step { targets: vec![0], mix: Mix::Reads, region: None, ..wanted.step(depth, span(COMPARED)) };
    let workload = step.workload(model.targets(), 0);
    let simulated = wanted.cumulative(&model.run(&workload).ok()?, measured.interval);
    let differences = measured.sums.iter().zip(&simulated.sums).map(|(one, other)| (one - other).abs());
    Some(differences.fold(0.0, f64::max) / per_second)
}
