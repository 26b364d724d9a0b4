//! The document of `predict`, and the figures of a prediction in other documents.

use iobound_catalog::{Assumption, Configuration, Price, Resolved};
use iobound_documents::{
    Amount, BurstPart, BytesPerSecond, CeilingPart, ComparedWithBand, ConfigurationPart, DiskPart,
    ExpectedPart, Iops, JobPart, KneePart, KneePoint, LimitUnit, LimiterPart, Microseconds, PredictDocument,
    PredictKeys, PredictedCeiling, PredictedLatency, PredictionPart, PricePart, Seconds, Share, StagePart,
    Usd, Version, VolumePart, WorkloadPart,
};
use iobound_measure::result::Latency;
use iobound_model::Dimension;
use iobound_predict::{Age, Binding, Burst, Knee, LimiterUse, PartUse, Prediction};
use iobound_workload::{Workload, describe};

use super::band::{basis_part, latency_bands_part};
use super::cluster::cluster_part;
use super::{Predicted, Stage};

/// The document of `predict`. Its figures are those of the first stage; `stages` has all of them where there are
/// several.
pub fn predict_document(predicted: &Predicted<'_>) -> PredictDocument {
    let published = predicted.published.map(|published| ComparedWithBand {
        iops: published.iops.map(Iops::of),
        throughput_bytes_per_s: published.throughput_bytes_per_s.map(BytesPerSecond::of),
        verdict: published.place(&predicted.stages[0].prediction.expected).name().to_string(),
    });
    let stages = predicted.stages.iter().map(|stage| stage_part(predicted, stage));
    PredictDocument {
        schema: Version::default(),
        keys: predict_keys(predicted),
        published,
        price: predicted.price.map(price_part),
        stages: (predicted.stages.len() > 1).then(|| stages.collect()),
    }
}

/// The keys of the first stage, with its configuration and its assumptions.
pub(crate) fn predict_keys(predicted: &Predicted<'_>) -> PredictKeys {
    let assumed = predicted.assumed();
    PredictKeys {
        configuration: configuration_part(predicted),
        stage: stage_part(predicted, &predicted.stages[0]),
        assumed: assumed.iter().map(Assumption::to_string).collect(),
        notes: predicted.notes.to_vec(),
    }
}

fn price_part(price: &Price) -> PricePart {
    let money = |usd: iobound_catalog::Usd| Usd::with_decimals(usd.as_f64(), 2);
    PricePart {
        month: price.per_month.map(money),
        known_month: money(price.known_per_month),
        currency: price.currency.to_string(),
        as_of: price.as_of.clone(),
        unknown: price.unknown.clone(),
        by_use: price.by_use.clone(),
    }
}

fn stage_part(predicted: &Predicted<'_>, stage: &Stage) -> StagePart {
    let mut prediction = prediction_part(&stage.prediction);
    put_facts(predicted.resolved, &mut prediction);
    StagePart {
        workload: workload_part(&stage.workload),
        prediction,
        cluster: stage.cluster.as_ref().map(|cluster| cluster_part(cluster, predicted.price)),
    }
}

/// Puts sizes and settings beside the figures of volumes and disks.
fn put_facts(resolved: &Resolved, prediction: &mut PredictionPart) {
    for (volume, spec) in prediction.volumes.iter_mut().zip(&resolved.blueprint.volumes) {
        volume.size_bytes = Some(spec.size.get());
        volume.disks = Some(spec.disks.len() as u64);
    }
    for (disk, spec) in prediction.disks.iter_mut().zip(&resolved.disks) {
        disk.disk = Some(spec.described.clone());
        disk.era = Some(spec.era.name().to_string());
        disk.cache = Some(spec.cache.name().to_string());
        disk.size_bytes = Some(spec.size.get());
    }
}

/// The figures of a prediction, without sizes and settings of its volumes and disks.
pub(crate) fn prediction_part(prediction: &Prediction) -> PredictionPart {
    let expected = &prediction.expected;
    let ceiling = &prediction.ceiling;
    PredictionPart {
        ceiling: PredictedCeiling {
            rate: CeilingPart {
                iops: ceiling.iops.map(Iops::of),
                throughput_bytes_per_s: ceiling.throughput_bytes_per_s.map(BytesPerSecond::of),
            },
            bindings: names(&prediction.ceiling_binding),
        },
        expected: ExpectedPart {
            iops: Iops::of(expected.iops),
            low_iops: Iops::of(expected.low_iops),
            high_iops: Iops::of(expected.high_iops),
            throughput_bytes_per_s: BytesPerSecond::of(expected.throughput_bytes_per_s),
            band: basis_part(prediction),
        },
        latency_us: prediction.latency.as_ref().map(latency_part),
        latency_bands_us: latency_bands_part(&prediction.latency_bands),
        binding: prediction.binding.first().map(ToString::to_string),
        bindings: names(&prediction.binding),
        limits: prediction.limiters.iter().map(limiter_part).collect(),
        burst: prediction.burst.as_ref().map(burst_part),
        knee: prediction.knee.as_ref().map(knee_part),
        outstanding: prediction.outstanding,
        latency_alone_us: Microseconds::of(prediction.alone.us_f64()),
        hit_rate: prediction.hit_rate.map(Share::of),
        volumes: prediction.volumes.iter().map(volume_part).collect(),
        disks: prediction.disks.iter().map(disk_part).collect(),
    }
}

fn names(bindings: &[Binding]) -> Vec<String> {
    bindings.iter().map(ToString::to_string).collect()
}

fn latency_part(latency: &Latency) -> PredictedLatency {
    let us = |value: Option<f64>| value.map(Microseconds::of);
    PredictedLatency {
        mean: us(latency.mean),
        p50: us(latency.p50),
        p90: us(latency.p90),
        p95: us(latency.p95),
        p99: us(latency.p99),
        max: us(latency.max),
        min: us(latency.min),
        stdev: us(latency.stdev),
        label: latency.label,
    }
}

pub(crate) fn limiter_part(limiter: &LimiterUse) -> LimiterPart {
    let (unit, decimals) = match limiter.dimension {
        Dimension::Ios => (LimitUnit::Iops, 2),
        Dimension::Bytes => (LimitUnit::BytesPerS, 0),
    };
    let amount = |value: f64| Amount::with_decimals(value, decimals);
    LimiterPart {
        name: limiter.name.clone(),
        of: limiter.of.clone(),
        count: limiter.count as u64,
        unit,
        limit: amount(limiter.limit),
        burst: limiter.burst.map(amount),
        enforced: amount(limiter.enforced),
        used: amount(limiter.used),
        share: Share::with_decimals(limiter.share, 4),
        held_us: Microseconds::of(limiter.held_us),
    }
}

fn burst_part(burst: &Burst) -> BurstPart {
    BurstPart {
        iops: Iops::of(burst.iops),
        throughput_bytes_per_s: BytesPerSecond::of(burst.throughput_bytes_per_s),
        seconds: burst.seconds.map(|seconds| Seconds::with_decimals(seconds, 3)),
    }
}

fn knee_part(knee: &Knee) -> KneePart {
    let points = knee.curve.iter().map(|(outstanding, iops, mean)| KneePoint {
        outstanding: *outstanding,
        iops: Iops::of(*iops),
        latency_us: Microseconds::of(mean.us_f64()),
    });
    KneePart {
        depth: knee.depth,
        threads: knee.threads,
        outstanding: knee.outstanding,
        iops: Iops::of(knee.iops),
        curve: (!knee.curve.is_empty()).then(|| points.collect()),
    }
}

fn volume_part(of: &PartUse) -> VolumePart {
    VolumePart {
        name: of.name.clone(),
        iops: Iops::of(of.iops),
        throughput_bytes_per_s: BytesPerSecond::of(of.throughput_bytes_per_s),
        size_bytes: None,
        disks: None,
    }
}

fn disk_part(of: &PartUse) -> DiskPart {
    DiskPart {
        name: of.name.clone(),
        iops: Iops::of(of.iops),
        throughput_bytes_per_s: BytesPerSecond::of(of.throughput_bytes_per_s),
        disk: None,
        era: None,
        cache: None,
        size_bytes: None,
    }
}

fn configuration_part(predicted: &Predicted<'_>) -> ConfigurationPart {
    let Configuration { interleave, columns, separate, partition_offset, volumes, os_disk, .. } =
        predicted.configuration;
    let resolved = predicted.resolved;
    ConfigurationPart {
        vm: resolved.vm.full_name(),
        cloud: resolved.vm.cloud.name().to_string(),
        era: resolved.era.name().to_string(),
        disks: volumes.iter().map(|volume| volume.text.clone()).collect(),
        os_disk: os_disk.as_ref().map(|disk| disk.text.clone()),
        stripe_bytes: interleave.get(),
        columns: columns.map(u64::from),
        separate: *separate,
        partition_offset_bytes: partition_offset.get(),
        cache_state: predicted.cache.name().to_string(),
        at_seconds: match predicted.age {
            Age::Sustained => None,
            Age::At(span) => Some(Seconds::with_decimals(span.secs_f64(), 3)),
        },
    }
}

pub(crate) fn workload_part(workload: &Workload) -> WorkloadPart {
    let job = |job: &iobound_workload::Job| JobPart { name: job.name.clone(), description: describe(job) };
    WorkloadPart {
        jobs: workload.jobs.iter().map(job).collect(),
        seed: workload.seed,
        toml: workload.to_toml(),
    }
}
