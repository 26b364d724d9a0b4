use iobound_catalog::{Configuration, Price, Resolved, Usd};
use iobound_model::Dimension;
use iobound_predict::{Age, GateUse, PartUse, Prediction};
use iobound_workload::{Workload, describe};
use serde_json::{Map, Value, json};

use super::band::{basis_json, latency_bands_json};
use super::cluster::cluster_json;
use super::{Predicted, Stage};
use crate::document::Document;
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};

/// The version of the document.
const SCHEMA: &str = "iobound.predict/1";

/// The document of `predict`. Its figures are those of the first stage; `stages` has all of them where there are
/// several.
pub fn predict_json(predicted: &Predicted<'_>) -> Document {
    let first = &predicted.stages[0];
    let assumed: Vec<Value> = predicted
        .assumed()
        .iter()
        .map(|[what, value, why]| Value::from(format!("{what}: {value} ({why})")))
        .collect();
    let mut document = Document::new(SCHEMA)
        .with("configuration", configuration(predicted))
        .with("workload", workload_json(&first.workload))
        .with_all(prediction_json(&first.prediction))
        .with("volumes", volumes(predicted.resolved, &first.prediction))
        .with("disks", disks(predicted.resolved, &first.prediction));
    if let Some(cluster) = &first.cluster {
        document = document.with("cluster", cluster_json(cluster, predicted.price));
    }
    document = document.with("assumed", assumed).with("notes", predicted.notes.to_vec());
    if let Some(published) = predicted.published {
        let value = json!({
            "iops": published.iops.map(iops),
            "throughput_bytes_per_s": published.throughput_bytes_per_s.map(bytes_per_s),
            "verdict": published.place(&first.prediction.expected).name(),
        });
        document = document.with("published", value);
    }
    if let Some(price) = predicted.price {
        document = document.with("price", price_json(price));
    }
    if predicted.stages.len() > 1 {
        let stages: Vec<Value> = predicted.stages.iter().map(|stage| stage_json(predicted, stage)).collect();
        document = document.with("stages", stages);
    }
    document
}

fn price_json(price: &Price) -> Value {
    let money = |usd: Usd| figure(usd.as_f64(), 2);
    json!({
        "month": price.per_month.map(money),
        "known_month": money(price.known_per_month),
        "currency": price.currency,
        "as_of": price.as_of,
        "unknown": price.unknown,
        "by_use": price.by_use,
    })
}

fn stage_json(predicted: &Predicted<'_>, stage: &Stage) -> Value {
    let mut map = Map::new();
    map.insert("workload".into(), workload_json(&stage.workload));
    map.extend(prediction_json(&stage.prediction));
    map.insert("volumes".into(), volumes(predicted.resolved, &stage.prediction));
    map.insert("disks".into(), disks(predicted.resolved, &stage.prediction));
    if let Some(cluster) = &stage.cluster {
        map.insert("cluster".into(), cluster_json(cluster, predicted.price));
    }
    Value::Object(map)
}

/// The figures of a prediction under the keys that every document uses for them.
pub fn prediction_json(prediction: &Prediction) -> Map<String, Value> {
    let expected = &prediction.expected;
    let ceiling = &prediction.ceiling;
    let names = |bindings: &[iobound_predict::Binding]| -> Vec<Value> {
        bindings.iter().map(|binding| binding.to_string().into()).collect()
    };
    let value = json!({
        "ceiling": {
            "iops": figure_or_null(ceiling.iops, 2),
            "throughput_bytes_per_s": figure_or_null(ceiling.throughput_bytes_per_s, 0),
            "bindings": names(&prediction.ceiling_binding),
        },
        "expected": {
            "iops": iops(expected.iops),
            "low_iops": iops(expected.low_iops),
            "high_iops": iops(expected.high_iops),
            "throughput_bytes_per_s": bytes_per_s(expected.throughput_bytes_per_s),
            "band": basis_json(prediction),
        },
        "latency_us": latency(prediction),
        "latency_bands_us": latency_bands_json(&prediction.latency_bands),
        "binding": prediction.binding.first().map(ToString::to_string),
        "bindings": names(&prediction.binding),
        "gates": prediction.gates.iter().map(gate).collect::<Vec<Value>>(),
        "burst": prediction.burst.as_ref().map(|burst| json!({
            "iops": iops(burst.iops),
            "throughput_bytes_per_s": bytes_per_s(burst.throughput_bytes_per_s),
            "seconds": figure_or_null(burst.seconds, 3),
        })),
        "knee": prediction.knee.as_ref().map(|knee| {
            let mut value = json!({
                "depth": knee.depth,
                "threads": knee.threads,
                "outstanding": knee.outstanding,
                "iops": iops(knee.iops),
            });
            if !knee.curve.is_empty() {
                let points = knee.curve.iter().map(|(outstanding, rate, mean)| {
                    json!({ "outstanding": outstanding, "iops": iops(*rate), "latency_us": us(mean.us_f64()) })
                });
                value["curve"] = points.collect();
            }
            value
        }),
        "outstanding": prediction.outstanding,
        "latency_alone_us": us(prediction.alone.us_f64()),
        "hit_rate": figure_or_null(prediction.hit_rate, 6),
        "volumes": prediction.volumes.iter().map(part).collect::<Vec<Value>>(),
        "disks": prediction.disks.iter().map(part).collect::<Vec<Value>>(),
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn latency(prediction: &Prediction) -> Value {
    let Some(latency) = prediction.latency else { return Value::Null };
    let figures = [
        ("mean", latency.mean),
        ("p50", latency.p50),
        ("p90", latency.p90),
        ("p95", latency.p95),
        ("p99", latency.p99),
        ("max", latency.max),
        ("min", latency.min),
        ("stdev", latency.stdev),
    ];
    let mut map: Map<String, Value> =
        figures.into_iter().map(|(name, value)| (name.to_string(), figure_or_null(value, 3))).collect();
    if let Some(label) = latency.label {
        map.insert("loop".into(), super::text::loop_word(label).into());
    }
    Value::Object(map)
}

fn gate(gate: &GateUse) -> Value {
    let (unit, decimals) = match gate.dimension {
        Dimension::Ios => ("iops", 2),
        Dimension::Bytes => ("bytes_per_s", 0),
    };
    json!({
        "name": gate.name,
        "of": gate.of,
        "count": gate.count,
        "unit": unit,
        "limit": figure(gate.limit, decimals),
        "burst": figure_or_null(gate.burst, decimals),
        "enforced": figure(gate.enforced, decimals),
        "used": figure(gate.used, decimals),
        "share": figure(gate.share, 4),
        "held_us": us(gate.held_us),
    })
}

fn part(part: &PartUse) -> Value {
    json!({
        "name": part.name,
        "iops": iops(part.iops),
        "throughput_bytes_per_s": bytes_per_s(part.throughput_bytes_per_s),
    })
}

fn volumes(resolved: &Resolved, prediction: &Prediction) -> Value {
    let volumes = prediction.volumes.iter().zip(&resolved.blueprint.volumes);
    volumes
        .map(|(volume, spec)| {
            let mut value = part(volume);
            value["size_bytes"] = spec.size.get().into();
            value["disks"] = spec.disks.len().into();
            value
        })
        .collect()
}

fn disks(resolved: &Resolved, prediction: &Prediction) -> Value {
    let disks = prediction.disks.iter().zip(&resolved.disks);
    disks
        .map(|(disk, spec)| {
            let mut value = part(disk);
            value["disk"] = spec.described.clone().into();
            value["era"] = spec.era.name().into();
            value["cache"] = spec.cache.name().into();
            value["size_bytes"] = spec.size.get().into();
            value
        })
        .collect()
}

fn configuration(predicted: &Predicted<'_>) -> Value {
    let Configuration { interleave, columns, separate, partition_offset, .. } = predicted.configuration;
    let resolved = predicted.resolved;
    let disks: Vec<&str> =
        predicted.configuration.volumes.iter().map(|volume| volume.text.as_str()).collect();
    json!({
        "vm": resolved.vm.full_name(),
        "cloud": resolved.vm.cloud.name(),
        "era": resolved.era.name(),
        "disks": disks,
        "os_disk": predicted.configuration.os_disk.as_ref().map(|disk| disk.text.as_str()),
        "stripe_bytes": interleave.get(),
        "columns": columns,
        "separate": separate,
        "partition_offset_bytes": partition_offset.get(),
        "cache_state": predicted.cache.name(),
        "at_seconds": match predicted.age {
            Age::Sustained => Value::Null,
            Age::At(span) => figure(span.secs_f64(), 3),
        },
    })
}

pub(crate) fn workload_json(workload: &Workload) -> Value {
    let jobs: Vec<Value> =
        workload.jobs.iter().map(|job| json!({ "name": job.name, "description": describe(job) })).collect();
    json!({ "jobs": jobs, "seed": workload.seed, "toml": workload.to_toml() })
}
