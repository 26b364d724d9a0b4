//! One line of JSON for each thing that a script may wait for: readiness, a second, the end.

use iobound_catalog::Assumption;
use iobound_documents::{
    Amount, AttachPart, BytesPerSecond, CacheLine, CreditsPart, DeviceLatency, DeviceLine, DiskLine,
    EmulateDocument, EmulateEnd, EmulateReady, EmulateState, FrontLine, Iops, LatenessPart, LimitLine,
    LostPart, Microseconds, OpLine, Seconds, ServedDevice, ServedFront, ServedLimit, Share, ShortLatency,
    Version,
};
use iobound_model::{Dimension, LimiterSpec};

use super::attach::{attach, uri};
use super::azure::azure_metrics;
use super::{
    Device, DeviceState, DiskState, EmulatorEnd, EmulatorState, FrontState, HostCacheState, LimitState,
    OpState, Served, ServedAt, Serving,
};
use crate::document::line;

/// The first line: everything is served from now on.
pub fn emulate_ready_json(serving: &Serving<'_>) -> String {
    let us = |span: iobound_units::Span| Microseconds::of(span.us_f64());
    line(&EmulateDocument::Ready(Box::new(EmulateReady {
        schema: Version::default(),
        event: "ready".into(),
        vm: serving.resolved.vm.full_name(),
        era: serving.resolved.era.name().to_string(),
        devices: serving.devices.iter().map(|device| served_device(device, serving.fronts)).collect(),
        fronts: serving
            .fronts
            .iter()
            .map(|served| ServedFront {
                front: served.at.front().to_string(),
                at: served.at.place(),
                transport_us: served.cost.map(us),
            })
            .collect(),
        limits: serving.blueprint.limiters.iter().flat_map(served_limits).collect(),
        backing: serving.backing.to_string(),
        memory_bytes: serving.memory.map(|memory| memory.get()),
        subtracted_us: serving.made_up.map(us),
        short: serving.short.iter().map(|(of, by)| ShortLatency { of: of.clone(), by_us: us(*by) }).collect(),
        cache: serving.cache.clone(),
        credits: serving.credits.clone(),
        crash: serving.crash,
        control: serving.control.to_string(),
        metrics: serving.metrics.map(str::to_string),
        attach: attach(serving.fronts, serving.devices)
            .into_iter()
            .map(|attach| AttachPart { title: attach.title, lines: attach.lines })
            .collect(),
        assumed: serving.resolved.assumed.iter().map(Assumption::to_string).collect(),
        notes: serving.notes.to_vec(),
    })))
}

fn served_limits(limiter: &LimiterSpec) -> impl Iterator<Item = ServedLimit> {
    Dimension::ALL.into_iter().filter_map(|dimension| {
        let limit = limiter.limit(dimension)?;
        Some(ServedLimit {
            name: format!("{}.{}", limiter.name.group, dimension.name()),
            instance: limiter.name.instance.clone(),
            published: limit.published,
            enforced: Amount::with_decimals(limit.enforced_micro(limiter.factor) as f64 / 1e6, 2),
        })
    })
}

fn served_device(device: &Device, fronts: &[Served]) -> ServedDevice {
    let places = fronts.iter().map(|served| match &served.at {
        ServedAt::Fuse(folder) => format!("{folder}/{}", device.name),
        nbd => uri(nbd, &device.name).unwrap_or_default(),
    });
    ServedDevice {
        name: device.name.clone(),
        kind: kind(device.is_volume),
        size_bytes: device.size.get(),
        disks: device.disks,
        at: places.collect(),
    }
}

fn kind(is_volume: bool) -> String {
    if is_volume { "volume".into() } else { "disk".into() }
}

/// Activity in an interval.
pub fn emulate_state_document(state: &EmulatorState) -> EmulateState {
    state_line(state, "state")
}

/// The same as a line.
pub fn emulate_state_json(state: &EmulatorState) -> String {
    line(&EmulateDocument::State(Box::new(emulate_state_document(state))))
}

/// The last line.
pub fn emulate_end_json(end: &EmulatorEnd) -> String {
    let lost = |(disk, bytes): &(String, u64)| LostPart { disk: disk.clone(), bytes: *bytes };
    line(&EmulateDocument::End(Box::new(EmulateEnd {
        state: state_line(&end.state, "end"),
        because: end.because.to_string(),
        lost: end.lost.as_ref().map(|disks| disks.iter().map(lost).collect()),
    })))
}

fn state_line(state: &EmulatorState, event: &str) -> EmulateState {
    EmulateState {
        schema: Version::default(),
        event: event.to_string(),
        at_s: Seconds::with_decimals(state.at_s, 3),
        interval_s: Seconds::with_decimals(state.interval_s, 3),
        devices: state.devices.iter().map(device_line).collect(),
        limits: state.limits.iter().map(limit_line).collect(),
        disks: state.disks.iter().map(disk_line).collect(),
        caches: state.caches.iter().map(cache_line).collect(),
        fronts: state.fronts.iter().map(front_line).collect(),
        held_bytes: state.held_bytes,
        memory_bytes: state.memory_bytes,
        under_way: state.under_way as u64,
        faults: state.faults.clone(),
    }
}

fn device_line(device: &DeviceState) -> DeviceLine {
    DeviceLine {
        name: device.name.clone(),
        kind: kind(device.is_volume),
        iops: Iops::of(device.iops()),
        throughput_bytes_per_s: BytesPerSecond::of(device.throughput_bytes_per_s()),
        latency_us: device.percentiles_us.map(|times| {
            let [p50, p99, max] = times.map(Microseconds::of);
            DeviceLatency { mean: device.mean_us().map(Microseconds::of), p50, p99, max }
        }),
        read: op_line(&device.read),
        write: op_line(&device.write),
        others: device.other_ios,
        errors: device.errors,
    }
}

fn op_line(op: &OpState) -> OpLine {
    OpLine {
        iops: Iops::of(op.iops),
        throughput_bytes_per_s: BytesPerSecond::of(op.throughput_bytes_per_s),
        mean_us: op.mean_us.map(Microseconds::of),
        ios: op.ios,
        bytes: op.bytes,
    }
}

fn disk_line(disk: &DiskState) -> DiskLine {
    DiskLine {
        name: disk.name.clone(),
        disk: disk.is.clone(),
        cache: disk.cache.to_string(),
        iops: Iops::of(disk.iops),
        throughput_bytes_per_s: BytesPerSecond::of(disk.throughput_bytes_per_s),
        ios: disk.ios,
        bytes: disk.bytes,
    }
}

fn cache_line(cache: &HostCacheState) -> CacheLine {
    CacheLine {
        hit_rate: cache.hit_rate.map(Share::of),
        hits: cache.hits,
        misses: cache.misses,
        dirty_bytes: cache.dirty_bytes,
        held_ms_per_s: Amount::with_decimals(cache.held_ms_per_s, 3),
        written_back_bytes: cache.written_back_bytes,
    }
}

fn limit_line(limit: &LimitState) -> LimitLine {
    let amount = |value: f64| Amount::with_decimals(value, 2);
    LimitLine {
        name: limit.name(),
        instance: limit.instance.clone(),
        published: amount(limit.published),
        enforced: amount(limit.enforced),
        used: amount(limit.used),
        share: Share::of(limit.share()),
        held_ms_per_s: Amount::with_decimals(limit.held_ms_per_s, 3),
        held_s: Seconds::of(limit.held_total_s),
        waiting: limit.waiting,
        credits: limit.credits.map(|(left, capacity)| CreditsPart { left, capacity }),
        azure: azure_metrics(limit).into_iter().map(|metric| (metric.name, amount(metric.value))).collect(),
    }
}

fn front_line(front: &FrontState) -> FrontLine {
    let lateness = |times: [f64; 3]| {
        let [p50, p99, max] = times.map(Microseconds::of);
        LatenessPart { p50, p99, max }
    };
    FrontLine {
        front: front.name.clone(),
        late_us: front.late_us.map(lateness),
        late_total_us: front.late_total_us.map(lateness),
        replies: front.replies,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

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
