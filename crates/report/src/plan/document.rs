//! The document of `plan`, from the answer.

use iobound_documents::{
    AtRateGoal, AtRateLatency, AtRatePart, BuildScript, BytesPerSecond, CandidateCluster, CandidateHost,
    CandidatePrediction, CandidatePrice, CeilingPart, Delivered, FrontierPoint, Iops, Microseconds,
    PlanCandidate, PlanCluster, PlanConfiguration, PlanDocument, PlanIdea, PlanLatency, PlanMiss, PlanNeed,
    PlanOnHosts, PlanPlace, PlanRefused, PlanVolume, PlanVolumes, RankedBy, RefusedCount, RefusedPrice,
    RegretBuild, SeveralVms, Share, Unreachable, Usd, Version,
};
use iobound_plan::{Build, Candidate, Idea, Rank, Shown, VolumeNeed, disk_specs};
use iobound_predict::Binding;

use super::Planned;
use super::words::{because, idea_name, nearest};

/// The document of `plan`.
pub fn plan_document(planned: &Planned<'_>) -> PlanDocument {
    let plan = planned.plan;
    let places = planned.places.iter();
    PlanDocument {
        schema: Version::default(),
        need: need(planned),
        cluster: planned.cluster().map(|hosts| cluster(planned, hosts)),
        interrupted: plan.interrupted,
        terms: planned.terms.to_string(),
        ranked_by: if planned.market.rank == Rank::Price { RankedBy::Price } else { RankedBy::Size },
        places: places
            .map(|(region, as_of)| PlanPlace { region: region.clone(), as_of: as_of.clone() })
            .collect(),
        candidates: plan.candidates.iter().map(|of| candidate(planned, of)).collect(),
        ideas: plan.ideas.iter().map(|of| idea(planned, of)).collect(),
        refused: plan.refused.iter().map(|of| refused(planned, of)).collect(),
        sizes: plan.sizes,
        refused_counts: plan
            .counts
            .iter()
            .map(|(rule, sizes)| RefusedCount { rule: (*rule).to_string(), sizes: *sizes })
            .collect(),
        next_1000_iops_month: plan.next_thousand.map(money),
        frontier: plan
            .frontier
            .iter()
            .map(|point| FrontierPoint {
                iops: point.iops,
                month: point.build.and_then(|build| month(planned, &build)),
                configuration: point.build.map(|build| configuration(planned, &build)),
            })
            .collect(),
        build: planned
            .parts()
            .into_iter()
            .map(|part| BuildScript { tool: part.name.to_string(), commands: part.text })
            .collect(),
        regret: plan
            .regret
            .iter()
            .map(|design| RegretBuild {
                iops: design.iops,
                configuration: configuration(planned, &design.build),
                month: month(planned, &design.build),
                worst_month: money(design.worst),
                mean_month: money(design.mean),
            })
            .collect(),
        trace: planned.trace.cloned(),
        miss: miss(planned),
        assumed: planned.assumed.to_vec(),
        notes: planned.notes.to_vec(),
    }
}

fn idea(planned: &Planned<'_>, idea: &Idea) -> PlanIdea {
    let first = idea.candidates.first().map(|first| &planned.plan.candidates[*first].build);
    PlanIdea {
        names: idea.kinds.iter().map(|kind| idea_name(*kind)).collect(),
        disks: first.map(|build| disk_specs(planned.market, build)),
        candidates: idea.candidates.iter().map(|place| *place as u64 + 1).collect(),
    }
}

/// Figures of one host, where all others are of all hosts.
fn cluster(planned: &Planned<'_>, hosts: u64) -> PlanCluster {
    let each = &planned.plan.each;
    let by_hosts = planned.plan.by_hosts.iter().map(|on| {
        let month = on.build.and_then(|build| planned.market.price(&build));
        PlanOnHosts {
            hosts: on.hosts,
            month: month.map(|month| money(month.saturating_mul(on.hosts))),
            configuration: on.build.map(|build| configuration(planned, &build)),
        }
    });
    PlanCluster {
        hosts,
        slow_host: Share::of(planned.slow_host.fraction()),
        need: PlanVolumes {
            data: volume(&each.data),
            log: each.log.as_ref().map(volume),
            temp: each.temp.as_ref().map(volume),
        },
        by_hosts: by_hosts.collect(),
    }
}

/// A price in billionths of a dollar, in cents.
fn money(price: u64) -> Usd {
    Usd::with_decimals(price as f64 / 1e9, 2)
}

/// Price of a build a month; `None` where a part of it has no known price.
fn month(planned: &Planned<'_>, build: &Build) -> Option<Usd> {
    planned.month(build).map(money)
}

fn volume(need: &VolumeNeed) -> PlanVolume {
    PlanVolume {
        iops: need.iops.get(),
        throughput_bytes_per_s: need.throughput.get(),
        block_bytes: need.shape.block,
        read: Share::of(need.shape.read.fraction()),
        capacity_bytes: need.capacity.get(),
        working_set_bytes: need.working_set.get(),
    }
}

fn need(planned: &Planned<'_>) -> PlanNeed {
    let need = &planned.plan.need;
    PlanNeed {
        data: volume(&need.data),
        log: need.log.as_ref().map(volume),
        temp: need.temp.as_ref().map(volume),
        latency: need.latency.map(|target| PlanLatency {
            statistic: target.of.name().to_string(),
            most_us: Microseconds::of(target.most.us_f64()),
        }),
        headroom: Share::of(need.headroom.fraction()),
    }
}

fn configuration(planned: &Planned<'_>, build: &Build) -> PlanConfiguration {
    let vm = &planned.market.vms[build.vm];
    PlanConfiguration {
        vm: vm.name.clone(),
        cloud: vm.cloud.name().to_string(),
        vcpus: vm.vcpus,
        memory_bytes: vm.memory,
        disks: disk_specs(planned.market, build),
        stripe_bytes: planned.plan.need.interleave().get(),
    }
}

fn delivered(iops: f64, bytes: f64) -> Delivered {
    Delivered { iops: Iops::of(iops), throughput_bytes_per_s: BytesPerSecond::of(bytes) }
}

fn candidate(planned: &Planned<'_>, candidate: &Candidate) -> PlanCandidate {
    let hosts = planned.plan.hosts as f64;
    let price = |month: u64| CandidatePrice {
        month: money(planned.of_all(month)),
        currency: candidate.price.currency.to_string(),
        as_of: candidate.price.as_of.clone(),
        per_1000_iops: Usd::with_decimals(candidate.per_thousand_iops(month), 4),
        per_mb_per_s: Usd::with_decimals(candidate.per_megabyte(month), 4),
    };
    let at_rate = candidate.simulated.as_ref().map(|at_rate| {
        let latency = at_rate.latency.as_ref();
        AtRatePart {
            iops: Iops::of(at_rate.iops * hosts),
            latency_us: AtRateLatency {
                mean: latency.and_then(|latency| latency.mean).map(Microseconds::of),
                p50: latency.and_then(|latency| latency.p50).map(Microseconds::of),
                p99: latency.and_then(|latency| latency.p99).map(Microseconds::of),
            },
            goal: candidate.goal.zip(planned.plan.need.latency).map(|(band, goal)| AtRateGoal {
                expected_us: Microseconds::of(band.expected),
                high_us: Microseconds::of(band.high),
                sure: band.is_sure(&goal),
            }),
        }
    });
    let (delivers, ceiling) = (&candidate.delivers, &candidate.ceiling);
    PlanCandidate {
        configuration: configuration(planned, &candidate.build),
        price: planned.market.price(&candidate.build).map(price),
        binding: candidate.binding.first().unwrap_or(&Binding::Unknown).to_string(),
        predicted: CandidatePrediction {
            delivers: delivered(delivers.iops * hosts, delivers.bytes * hosts),
            ceiling: CeilingPart {
                iops: ceiling.iops.map(|of_one| Iops::of(of_one * hosts)),
                throughput_bytes_per_s: ceiling
                    .throughput_bytes_per_s
                    .map(|of_one| BytesPerSecond::of(of_one * hosts)),
            },
            at_rate,
        },
        unreachable: Unreachable {
            iops: planned.of_all(candidate.unreachable[0]),
            throughput_bytes_per_s: planned.of_all(candidate.unreachable[1]),
        },
        cluster: planned.cluster().map(|of| {
            let slow = planned.slow_host.fraction();
            CandidateCluster {
                hosts: of,
                host: CandidateHost {
                    month: planned.market.price(&candidate.build).map(money),
                    iops: Iops::of(delivers.iops),
                    throughput_bytes_per_s: BytesPerSecond::of(delivers.bytes),
                },
                scan: delivered(delivers.iops * hosts * slow, delivers.bytes * hosts * slow),
            }
        }),
    }
}

fn refused(planned: &Planned<'_>, shown: &Shown) -> PlanRefused {
    let month = shown.build.and_then(|build| month(planned, &build));
    PlanRefused {
        vm: shown.vm.clone(),
        configuration: shown.build.map(|build| configuration(planned, &build)),
        price: month.map(|month| RefusedPrice { month, currency: "USD".to_string() }),
        rule: shown.because.name().to_string(),
        because: because(&shown.because, planned.trace.is_some()),
    }
}

/// Build nearest to the need if nothing meets it; `None` if something does.
fn miss(planned: &Planned<'_>) -> Option<PlanMiss> {
    let Some(miss) = &planned.plan.miss else {
        let nearest = refused(planned, nearest(planned.plan)?);
        return Some(PlanMiss { reached: None, nearest: Some(nearest), several: None });
    };
    Some(PlanMiss {
        reached: Some(Share::of(miss.reached as f64 / 1e6)),
        nearest: miss.nearest.as_ref().map(|shown| refused(planned, shown)),
        several: miss.several.map(|(vms, build)| SeveralVms {
            vms,
            configuration: configuration(planned, &build),
            month: planned.market.price(&build).map(|month| money(month.saturating_mul(vms))),
        }),
    })
}
