//! A job in one line of words: block size, access, direction and what is outstanding, which every printed figure
//! needs beside it.

use iobound_units::{Bandwidth, Bytes, Counted, Grouped, Op, Percent, Rate, Span};

use crate::{
    Access, Arrivals, CapOf, Distribution, Job, Load, ReadBack, Share, Spread, Targets, Think, ZoneRange,
};

/// The job in words: `4 KiB shared-sequential read, 4 x 8 = 32 outstanding`.
pub fn describe(job: &Job) -> String {
    let mut words = format!("{} {} {}", block_words(job), access_words(job), op_words(job));
    words.push_str(", ");
    words.push_str(&load_words(job));
    if let Targets::Named(names) = &job.targets
        && names.len() > 1
    {
        let how = if job.spread == Spread::Dealt { "dealt over" } else { "on each of" };
        words.push_str(&format!(" {how} {} targets", names.len()));
    }
    let flush = job.flush_range.map_or("flush".to_string(), |steps| format!("sync_file_range ({steps})"));
    match job.flush_every {
        None => {}
        Some(1) => words.push_str(&format!(", a {flush} after each write")),
        Some(every) => words.push_str(&format!(", a {flush} every {} writes", Grouped(every))),
    }
    if let Some(ReadBack { every, batch }) = job.read_back_after {
        let (every, batch) = (u64::from(every), u64::from(batch));
        words.push_str(&format!(", {} read back every {}", Grouped(batch), Counted(every, "write")));
    }
    if job.flush_at_end && job.writes() {
        words.push_str(", a flush at the end");
    }
    if job.durable && job.mix.iter().any(|share| share.op == Op::Write) {
        words.push_str(", write-through");
    }
    if let Some(Think { burst, time, .. }) = job.think {
        match burst {
            1 => words.push_str(&format!(", {time} pause after each I/O")),
            _ => words.push_str(&format!(", {time} pause every {} I/Os", Grouped(burst))),
        }
    }
    words
}

/// The I/Os of a job that stands for a trace, in words: `8 KiB 75 % read / 25 % write, at most 1,024 outstanding`. Offsets and
/// times are those of the trace.
pub fn describe_trace(job: &Job) -> String {
    let (Load::Open { depth, .. } | Load::Closed { depth, .. }) = job.load;
    let most = u64::from(job.threads) * u64::from(depth);
    format!("{} {}, at most {} outstanding", block_words(job), op_words(job), Grouped(most))
}

/// The shares that are ever drawn and move data.
fn shares(job: &Job) -> impl Iterator<Item = &Share> {
    job.mix.iter().filter(|share| share.weight > 0 && share.op != Op::Flush)
}

fn block_words(job: &Job) -> String {
    let blocks = || shares(job).map(|share| u64::from(share.block));
    match (blocks().min(), blocks().max()) {
        (Some(least), Some(most)) if least < most => {
            // To a whole sector, so that it prints shortly.
            let mean = Bytes(job.mean_block() as u64 / 512 * 512);
            format!("{}-{} (mean {mean})", Bytes(least), Bytes(most))
        }
        (least, _) => Bytes(least.unwrap_or(0)).to_string(),
    }
}

fn op_words(job: &Job) -> String {
    let total: u64 = job.mix.iter().map(|share| u64::from(share.weight)).sum();
    let weight = |op: Op| job.mix.iter().filter(|s| s.op == op).map(|s| u64::from(s.weight)).sum::<u64>();
    let words: Vec<String> = Op::ALL
        .into_iter()
        .filter(|op| weight(*op) > 0)
        .map(|op| match weight(op) {
            all if all == total => op.name().to_string(),
            part => {
                // Rounded to a hundredth of a percent, which is what Percent prints.
                let ppm = (u128::from(part) * 10_000 + u128::from(total) / 2) / u128::from(total) * 100;
                let share = Percent::from_ppm(ppm as u32).unwrap_or(Percent::HUNDRED);
                format!("{share} {}", op.name())
            }
        })
        .collect();
    words.join(" / ")
}

fn access_words(job: &Job) -> String {
    let words = order_words(job);
    match job.access.strided {
        None => words,
        Some(zones) => {
            format!("{words} in zones of {}, {} in each, {} apart,", zones.range, zones.size, zones.skip)
        }
    }
}

fn order_words(job: &Job) -> String {
    let sequential = match job.access {
        Access { shared: true, .. } => "shared-sequential",
        Access { backward: Some(_), .. } => "backward sequential",
        _ => "sequential",
    };
    let stride = job.access.stride.map_or(String::new(), |stride| format!(" every {stride}"));
    if !job.any_random() {
        return format!("{sequential}{stride}");
    }
    let random = format!("{}random", distribution_words(&job.access.distribution));
    if !job.any_sequential() {
        return random;
    }
    if shares(job).any(|share| share.random.is_some_and(|random| random != job.access.random)) {
        return format!("{random} and {sequential}{stride}");
    }
    format!("{} {random}, {} {sequential}{stride}", job.access.random, job.access.random.complement())
}

fn distribution_words(distribution: &Distribution) -> String {
    match distribution {
        Distribution::Uniform => String::new(),
        Distribution::Zipf { theta } => format!("Zipf {} ", theta.as_f64()),
        Distribution::Pareto { power } => format!("Pareto {} ", power.as_f64()),
        Distribution::Normal { deviation } => format!("normal {} ", deviation.as_f64()),
        Distribution::Zones(zones) => {
            let zones: Vec<String> = zones
                .iter()
                .map(|zone| match zone.range {
                    ZoneRange::Share(share) => format!("{}/{}", zone.ios, share).replace(" %", ""),
                    ZoneRange::Bytes(size) => format!("{}/{size}", zone.ios).replace(" %", ""),
                    ZoneRange::Rest => format!("{}/rest", zone.ios).replace(" %", ""),
                })
                .collect();
            format!("hot {} ", zones.join(","))
        }
    }
}

/// The caps of a closed loop: `capped at 700 IOPS`, `writes capped at 200 IOPS`.
fn cap_words(job: &Job, cap: Rate) -> String {
    let plural = |op: Op| match op {
        Op::Flush => "flushes".to_string(),
        Op::Read | Op::Write | Op::Discard => format!("{}s", op.name()),
    };
    match job.cap_of {
        None => format!("capped at {}", rate_words(cap)),
        Some(CapOf::One(op)) => format!("{} capped at {}", plural(op), rate_words(cap)),
        Some(CapOf::Each) => {
            let part = |(op, part, whole): (Op, u32, u32)| {
                let of = |count: u64| {
                    (u128::from(count) * u128::from(part) + u128::from(whole) / 2) / u128::from(whole)
                };
                let own = match cap {
                    Rate::Ios { count, per } => Rate::Ios { count: of(count) as u64, per },
                    Rate::Bytes { count, per } => Rate::Bytes { count: of(count) as u64, per },
                };
                format!("{} capped at {}", plural(op), rate_words(own))
            };
            job.parts_of(cap).into_iter().map(part).collect::<Vec<_>>().join(", ")
        }
    }
}

fn load_words(job: &Job) -> String {
    let outstanding = |depth: u32| match (job.threads, depth) {
        (1, depth) => format!("{} outstanding", Grouped(u64::from(depth))),
        (threads, depth) => {
            let product = u64::from(threads) * u64::from(depth);
            format!("{threads} x {depth} = {} outstanding", Grouped(product))
        }
    };
    match job.load {
        Load::Closed { depth, cap: None } => outstanding(depth),
        Load::Closed { depth, cap: Some(cap) } => {
            let whose = if job.threads > 1 { " a thread" } else { "" };
            format!("{}, {}{whose}", outstanding(depth), cap_words(job, cap))
        }
        Load::Open { rate, arrivals, depth } => {
            let how = if arrivals == Arrivals::Poisson { "Poisson arrivals" } else { "fixed arrivals" };
            format!("open loop of {} ({how}), at most {}", rate_words(rate), outstanding(depth))
        }
    }
}

fn rate_words(rate: Rate) -> String {
    const SECOND: Span = Span::from_secs(1);
    match rate {
        Rate::Ios { count, per: SECOND } => format!("{} IOPS", Grouped(count)),
        Rate::Ios { count, per } => format!("{:.2} IOPS", count as f64 / per.secs_f64()),
        Rate::Bytes { count, per } => Bandwidth((count as f64 / per.secs_f64()) as u64).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Region, preset};
    use iobound_units::Ppm;

    #[test]
    fn a_job_is_one_line_that_says_block_access_direction_and_depth() {
        let mut job = Job::new("data");
        assert_eq!(describe(&job), "4 KiB random read, 1 outstanding");
        job.threads = 4;
        job.load = Load::Closed { depth: 8, cap: None };
        job.access = Access { shared: true, ..Access::sequential() };
        job.region = Region { size: Some(Bytes::mib(50_000)), ..Region::default() };
        assert_eq!(describe(&job), "4 KiB shared-sequential read, 4 x 8 = 32 outstanding");
        job.access =
            Access { distribution: Distribution::Zipf { theta: Ppm(1_200_000) }, ..Access::random() };
        job.set_mix(8_192, Percent::whole(70).unwrap());
        let rate = Rate::Ios { count: 5_000, per: Span::from_secs(1) };
        job.load = Load::Open { rate, arrivals: Arrivals::Poisson, depth: 64 };
        assert_eq!(
            describe(&job),
            "8 KiB Zipf 1.2 random 70 % read / 30 % write, open loop of 5,000 IOPS (Poisson arrivals), at most 4 x 64 = 256 outstanding"
        );
    }

    #[test]
    fn a_trace_has_its_own_offsets_and_times() {
        let mut job = Job::new("monday.trace");
        job.set_mix(8_192, Percent::whole(75).unwrap());
        let rate = Rate::Ios { count: 3_000, per: Span::from_secs(10) };
        job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 1_024 };
        assert_eq!(describe_trace(&job), "8 KiB 75 % read / 25 % write, at most 1,024 outstanding");
    }

    #[test]
    fn presets_read_well() {
        let lines = |name: &str| preset(name).unwrap().workload.jobs.iter().map(describe).collect::<Vec<_>>();
        assert_eq!(
            lines("sqlserver-oltp"),
            [
                "8 KiB hot 95/5,4/10 random 70 % read / 30 % write, 4 x 32 = 128 outstanding, capped at 1,500 IOPS a thread, write-through",
                "32 KiB sequential write, 1 outstanding, capped at 300 IOPS, write-through"
            ]
        );
        assert_eq!(
            lines("etcd-wal"),
            ["2 KiB-8 KiB (mean 4.50 KiB) sequential write, 1 outstanding, a flush after each write"]
        );
        assert_eq!(
            lines("spc1-like"),
            ["4 KiB 60 % random, 40 % sequential 40 % read / 60 % write, 32 outstanding"]
        );
    }
}
