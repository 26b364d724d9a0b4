//! The answer of `plan` as a document.

use iobound_plan::{Build, Candidate, Idea, Need, Rank, Shown, VolumeNeed};
use iobound_predict::Binding;
use serde_json::{Value, json};

use super::Planned;
use super::words::{because, idea_name, nearest, specs};
use crate::document::Document;
use crate::number::{bytes_per_s, figure, figure_or_null, iops, us};

/// The version of the document.
const SCHEMA: &str = "iobound.plan/1";

/// The document of `plan`.
pub fn plan_json(planned: &Planned<'_>) -> Document {
    let plan = planned.plan;
    let places: Vec<Value> =
        planned.places.iter().map(|(region, as_of)| json!({ "region": region, "as_of": as_of })).collect();
    let frontier: Vec<Value> = plan
        .frontier
        .iter()
        .map(|point| {
            let build = point.build.as_ref();
            json!({
                "iops": point.iops,
                "month": build.and_then(|build| month(planned, build)),
                "configuration": build.map(|build| configuration(planned, build)),
            })
        })
        .collect();
    let counts: Vec<Value> =
        plan.counts.iter().map(|(rule, sizes)| json!({ "rule": rule, "sizes": sizes })).collect();
    let build: Vec<Value> =
        planned.parts().into_iter().map(|part| json!({ "tool": part.name, "commands": part.text })).collect();
    let regret: Vec<Value> = plan
        .regret
        .iter()
        .map(|design| {
            json!({
                "iops": design.iops,
                "configuration": configuration(planned, &design.build),
                "month": month(planned, &design.build),
                "worst_month": money(design.worst),
                "mean_month": money(design.mean),
            })
        })
        .collect();
    let mut document = Document::new(SCHEMA).with("need", need(planned));
    if let Some(hosts) = planned.cluster() {
        document = document.with("cluster", cluster(planned, hosts));
    }
    document
        .with("terms", planned.terms)
        .with("ranked_by", if planned.market.rank == Rank::Price { "price" } else { "size" })
        .with("places", places)
        .with("candidates", plan.candidates.iter().map(|c| candidate(planned, c)).collect::<Vec<Value>>())
        .with("ideas", plan.ideas.iter().map(|idea| idea_json(planned, idea)).collect::<Vec<Value>>())
        .with("refused", plan.refused.iter().map(|r| refused(planned, r)).collect::<Vec<Value>>())
        .with("sizes", plan.sizes)
        .with("refused_counts", counts)
        .with("next_1000_iops_month", plan.next_thousand.map_or(Value::Null, money))
        .with("frontier", frontier)
        .with("build", build)
        .with("regret", regret)
        .with("miss", miss(planned))
        .with("assumed", planned.assumed.to_vec())
        .with("notes", planned.notes.to_vec())
}

/// Keys of each host, where all others are of all hosts.
fn cluster(planned: &Planned<'_>, hosts: u64) -> Value {
    let by_hosts = planned.plan.by_hosts.iter().map(|on| {
        let month = on.build.and_then(|build| planned.market.price(&build));
        json!({
            "hosts": on.hosts,
            "month": month.map(|month| money(month.saturating_mul(on.hosts))),
            "configuration": on.build.map(|build| configuration(planned, &build)),
        })
    });
    json!({
        "hosts": hosts,
        "slow_host": figure(planned.slow_host.fraction(), 6),
        "need": needs(&planned.plan.each),
        "by_hosts": by_hosts.collect::<Vec<Value>>(),
    })
}

fn money(price: u64) -> Value {
    figure(price as f64 / 1e9, 2)
}

/// Cost of a build a month; `None` where a part of it has no known price.
fn month(planned: &Planned<'_>, build: &Build) -> Option<Value> {
    planned.month(build).map(money)
}

fn volume(need: &VolumeNeed) -> Value {
    json!({
        "iops": need.iops.get(),
        "throughput_bytes_per_s": need.throughput.get(),
        "block_bytes": need.shape.block,
        "read": figure(need.shape.read.fraction(), 6),
        "capacity_bytes": need.capacity.get(),
        "working_set_bytes": need.working_set.get(),
    })
}

fn needs(need: &Need) -> Value {
    json!({
        "data": volume(&need.data),
        "log": need.log.as_ref().map(volume),
        "temp": need.temp.as_ref().map(volume),
    })
}

fn need(planned: &Planned<'_>) -> Value {
    let need = &planned.plan.need;
    json!({
        "data": volume(&need.data),
        "log": need.log.as_ref().map(volume),
        "temp": need.temp.as_ref().map(volume),
        "latency": need.latency.map(|target| json!({
            "statistic": target.of.name(),
            "most_us": us(target.most.us_f64()),
        })),
        "headroom": figure(need.headroom.fraction(), 6),
    })
}

fn configuration(planned: &Planned<'_>, build: &Build) -> Value {
    let vm = &planned.market.vms[build.vm];
    json!({
        "vm": vm.name,
        "cloud": vm.cloud.name(),
        "vcpus": vm.vcpus,
        "memory_bytes": vm.memory,
        "disks": specs(planned.market, build),
        "stripe_bytes": planned.plan.need.interleave().get(),
    })
}

fn candidate(planned: &Planned<'_>, candidate: &Candidate) -> Value {
    let price = &candidate.price;
    let hosts = planned.plan.hosts as f64;
    let of_all = |of_one: f64| of_one * hosts;
    let latency = candidate.simulated.as_ref().and_then(|at_rate| at_rate.latency.as_ref());
    let us_or_null = |value: Option<f64>| value.map_or(Value::Null, us);
    let at_rate = candidate.simulated.as_ref().map(|at_rate| {
        json!({
            "iops": iops(at_rate.iops * hosts),
            "latency_us": {
                "mean": us_or_null(latency.and_then(|latency| latency.mean)),
                "p50": us_or_null(latency.and_then(|latency| latency.p50)),
                "p99": us_or_null(latency.and_then(|latency| latency.p99)),
            },
        })
    });
    let mut value = json!({
        "configuration": configuration(planned, &candidate.build),
        "price": planned.market.price(&candidate.build).map(|month| json!({
            "month": money(planned.of_all(month)),
            "currency": price.currency,
            "as_of": price.as_of,
            "per_1000_iops": figure(candidate.per_thousand_iops(month), 4),
            "per_mb_per_s": figure(candidate.per_megabyte(month), 4),
        })),
        "binding": candidate.binding.first().unwrap_or(&Binding::Unknown).to_string(),
        "predicted": {
            "delivers": {
                "iops": iops(candidate.delivers.iops * hosts),
                "throughput_bytes_per_s": bytes_per_s(candidate.delivers.bytes * hosts),
            },
            "ceiling": {
                "iops": figure_or_null(candidate.ceiling.iops.map(of_all), 2),
                "throughput_bytes_per_s":
                    figure_or_null(candidate.ceiling.throughput_bytes_per_s.map(of_all), 0),
            },
            "at_rate": at_rate,
        },
        "unreachable": {
            "iops": planned.of_all(candidate.unreachable[0]),
            "throughput_bytes_per_s": planned.of_all(candidate.unreachable[1]),
        },
    });
    if let Some(hosts) = planned.cluster() {
        value["cluster"] = json!({
            "hosts": hosts,
            "host": {
                "month": planned.market.price(&candidate.build).map(money),
                "iops": iops(candidate.delivers.iops),
                "throughput_bytes_per_s": bytes_per_s(candidate.delivers.bytes),
            },
            "scan": {
                "iops": iops(of_all(candidate.delivers.iops) * planned.slow_host.fraction()),
                "throughput_bytes_per_s":
                    bytes_per_s(of_all(candidate.delivers.bytes) * planned.slow_host.fraction()),
            },
        });
    }
    value
}

/// An idea: its candidates by their number from 1, as `--build` takes them.
fn idea_json(planned: &Planned<'_>, idea: &Idea) -> Value {
    let first = idea.candidates.first().map(|first| &planned.plan.candidates[*first].build);
    json!({
        "names": idea.kinds.iter().map(|kind| idea_name(*kind)).collect::<Vec<String>>(),
        "disks": first.map(|build| specs(planned.market, build)),
        "candidates": idea.candidates.iter().map(|place| place + 1).collect::<Vec<usize>>(),
    })
}

fn refused(planned: &Planned<'_>, shown: &Shown) -> Value {
    json!({
        "vm": shown.vm,
        "configuration": shown.build.as_ref().map(|build| configuration(planned, build)),
        "price": shown
            .build
            .and_then(|build| month(planned, &build))
            .map(|month| json!({ "month": month, "currency": "USD" })),
        "rule": shown.because.name(),
        "because": because(&shown.because),
    })
}

/// Nearest candidate where nothing meets the need; null where something does.
fn miss(planned: &Planned<'_>) -> Value {
    let Some(miss) = &planned.plan.miss else {
        let nearest = nearest(planned.plan).map(|shown| refused(planned, shown));
        return nearest
            .map_or(Value::Null, |nearest| json!({ "reached": null, "nearest": nearest, "several": null }));
    };
    json!({
        "reached": figure(miss.reached as f64 / 1e6, 6),
        "nearest": miss.nearest.as_ref().map(|shown| refused(planned, shown)),
        "several": miss.several.map(|(vms, build)| json!({
            "vms": vms,
            "configuration": configuration(planned, &build),
            "month": planned.market.price(&build).map(|month| money(month.saturating_mul(vms))),
        })),
    })
}
