//! One line of JSON for each thing that a script may wait for: readiness, a second, the end.

use iobound_model::Dimension;
use serde_json::{Value, json};

use super::attach::{attach, uri};
use super::azure::azure_metrics;
use super::{
    Device, DeviceState, EmulatorEnd, EmulatorState, FrontState, LimitState, OpState, Served, ServedAt,
    Serving,
};
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};

/// The version of every line.
const SCHEMA: &str = "iobound.emulate/1";

/// The first line: everything is served from now on.
pub fn emulate_ready_json(serving: &Serving<'_>) -> String {
    let assumed = |it: &iobound_catalog::Assumption| format!("{}: {} ({})", it.what, it.value, it.why);
    let value = json!({
        "schema": SCHEMA,
        "event": "ready",
        "vm": serving.resolved.vm.full_name(),
        "era": serving.resolved.era.name(),
        "devices": serving.devices.iter().map(|device| device_json(device, serving.fronts)).collect::<Vec<_>>(),
        "fronts": serving.fronts.iter().map(|served| json!({
            "front": served.at.front(),
            "at": served.at.place(),
            "transport_us": served.cost.map(|cost| us(cost.us_f64())),
        })).collect::<Vec<_>>(),
        "limits": serving.blueprint.gates.iter().flat_map(|gate| {
            Dimension::ALL.into_iter().filter_map(|dimension| {
                let limit = gate.limit(dimension)?;
                Some(json!({
                    "name": format!("{}.{}", gate.name.group, dimension.name()),
                    "instance": gate.name.instance,
                    "published": limit.published,
                    "enforced": figure(limit.enforced_micro(gate.factor) as f64 / 1e6, 2),
                }))
            })
        }).collect::<Vec<_>>(),
        "backing": serving.backing,
        "memory_bytes": serving.memory.map(|memory| memory.get()),
        "subtracted_us": serving.made_up.map(|made_up| us(made_up.us_f64())),
        "short": serving.short.iter().map(|(of, by)| json!({ "of": of, "by_us": us(by.us_f64()) })).collect::<Vec<_>>(),
        "cache": serving.cache,
        "credits": serving.credits,
        "crash": serving.crash,
        "control": serving.control,
        "metrics": serving.metrics,
        "attach": attach(serving.fronts, serving.devices).into_iter().map(|attach| {
            json!({ "title": attach.title, "lines": attach.lines })
        }).collect::<Vec<_>>(),
        "assumed": serving.resolved.assumed.iter().map(assumed).collect::<Vec<_>>(),
        "notes": serving.notes,
    });
    format!("{value}\n")
}

fn device_json(device: &Device, fronts: &[Served]) -> Value {
    let places = fronts.iter().map(|served| match &served.at {
        ServedAt::Fuse(folder) => format!("{folder}/{}", device.name),
        nbd => uri(nbd, &device.name).unwrap_or_default(),
    });
    json!({
        "name": device.name,
        "kind": kind(device.is_volume),
        "size_bytes": device.size.get(),
        "disks": device.disks,
        "at": places.collect::<Vec<String>>(),
    })
}

fn kind(is_volume: bool) -> &'static str {
    if is_volume { "volume" } else { "disk" }
}

/// A line of what happened in an interval.
pub fn emulate_state_json(state: &EmulatorState) -> String {
    format!("{}\n", state_value(state, "state"))
}

/// The last line.
pub fn emulate_end_json(end: &EmulatorEnd) -> String {
    let mut value = state_value(&end.state, "end");
    value["because"] = end.because.into();
    value["lost"] = match &end.lost {
        None => Value::Null,
        Some(lost) => lost.iter().map(|(disk, bytes)| json!({ "disk": disk, "bytes": bytes })).collect(),
    };
    format!("{value}\n")
}

fn state_value(state: &EmulatorState, event: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "event": event,
        "at_s": figure(state.at_s, 3),
        "interval_s": figure(state.interval_s, 3),
        "devices": state.devices.iter().map(device_state).collect::<Vec<_>>(),
        "limits": state.limits.iter().map(limit_state).collect::<Vec<_>>(),
        "disks": state.disks.iter().map(|disk| json!({
            "name": disk.name,
            "disk": disk.is,
            "cache": disk.cache,
            "iops": iops(disk.iops),
            "throughput_bytes_per_s": bytes_per_s(disk.throughput_bytes_per_s),
            "ios": disk.ios,
            "bytes": disk.bytes,
        })).collect::<Vec<_>>(),
        "caches": state.caches.iter().map(|cache| json!({
            "hit_rate": figure_or_null(cache.hit_rate, 6),
            "hits": cache.hits,
            "misses": cache.misses,
            "dirty_bytes": cache.dirty_bytes,
            "held_ms_per_s": figure(cache.held_ms_per_s, 3),
            "written_back_bytes": cache.written_back_bytes,
        })).collect::<Vec<_>>(),
        "fronts": state.fronts.iter().map(front_state).collect::<Vec<_>>(),
        "held_bytes": state.held_bytes,
        "memory_bytes": state.memory_bytes,
        "under_way": state.under_way,
        "faults": state.faults,
    })
}

fn device_state(device: &DeviceState) -> Value {
    json!({
        "name": device.name,
        "kind": kind(device.is_volume),
        "iops": iops(device.iops()),
        "throughput_bytes_per_s": bytes_per_s(device.throughput_bytes_per_s()),
        "latency_us": device.percentiles_us.map(|[p50, p99, max]| json!({
            "mean": figure_or_null(device.mean_us(), 3), "p50": us(p50), "p99": us(p99), "max": us(max),
        })),
        "read": op_state(&device.read),
        "write": op_state(&device.write),
        "others": device.other_ios,
        "errors": device.errors,
    })
}

fn op_state(op: &OpState) -> Value {
    json!({
        "iops": iops(op.iops),
        "throughput_bytes_per_s": bytes_per_s(op.throughput_bytes_per_s),
        "mean_us": figure_or_null(op.mean_us, 3),
        "ios": op.ios,
        "bytes": op.bytes,
    })
}

fn limit_state(limit: &LimitState) -> Value {
    let azure: serde_json::Map<String, Value> =
        azure_metrics(limit).into_iter().map(|metric| (metric.name, figure(metric.value, 2))).collect();
    json!({
        "name": limit.name(),
        "instance": limit.instance,
        "published": figure(limit.published, 2),
        "enforced": figure(limit.enforced, 2),
        "used": figure(limit.used, 2),
        "share": figure(limit.share(), 6),
        "held_ms_per_s": figure(limit.held_ms_per_s, 3),
        "held_s": figure(limit.held_total_s, 6),
        "waiting": limit.waiting,
        "credits": limit.credits.map(|(left, capacity)| json!({ "left": left, "capacity": capacity })),
        "azure": azure,
    })
}

fn front_state(front: &FrontState) -> Value {
    let times = |times: Option<[f64; 3]>| {
        times.map(|[p50, p99, max]| json!({ "p50": us(p50), "p99": us(p99), "max": us(max) }))
    };
    json!({
        "front": front.name,
        "late_us": times(front.late_us),
        "late_total_us": times(front.late_total_us),
        "replies": front.replies,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::tests::state;

    #[test]
    fn a_state_is_one_line_with_azures_names_beside() {
        let line = emulate_state_json(&state());
        assert_eq!(line.matches('\n').count(), 1);
        let value: Value = serde_json::from_str(&line).expect("it is JSON");
        assert_eq!(value["devices"][0]["iops"], 30_000);
        assert_eq!(value["limits"][0]["azure"]["Data Disk IOPS Consumed Percentage"], 50);
        assert_eq!(value["fronts"][0]["late_us"]["p99"], 80);
        let end =
            EmulatorEnd { state: state(), because: "Ctrl-C", lost: Some(vec![("data.0".into(), 4096)]) };
        let value: Value = serde_json::from_str(&emulate_end_json(&end)).expect("it is JSON");
        assert_eq!((&value["event"], &value["lost"][0]["bytes"]), (&"end".into(), &4096.into()));
    }
}
