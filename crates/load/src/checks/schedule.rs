//! True if the client kept its own times: when an open loop's I/Os went out, and when the run was warm.

use iobound_measure::percentile::supported;
use iobound_measure::result::{Check, Outcome as Verdict};
use iobound_measure::steady::settled;
use iobound_measure::{Interval, Phase};

use super::{Seen, check, relief};

/// Lateness may be this share of the latency that it is part of.
const SHARE: f64 = 0.05;
/// And no longer than this on average, in ns: the best that a sleeping thread can be counted on for.
const LONGEST: f64 = 100e3;
/// Of fewer I/Os, one that was late is most of it.
const FEWEST: u64 = 100;

/// In an open loop, how late I/Os went out where the target was not the cause.
pub(super) fn schedule(seen: &Seen) -> Option<Check> {
    const NAME: &str = "schedule";
    let late = seen.outcome.lateness.as_ref().filter(|late| late.count() >= FEWEST)?;
    let mean = late.moments().mean_ns()?;
    let open = seen.outcome.total.jobs.iter().zip(&seen.outcome.total.layout.jobs);
    let of_open = open.filter(|(_, layout)| layout.is_open()).flat_map(|(job, _)| &job.by_op);
    let (count, sum) = of_open.fold((0_u64, 0.0), |(count, sum), op| {
        (count + op.response.count(), sum + op.response.moments().sum_ns() as f64)
    });
    let latency = if count == 0 { 0.0 } else { sum / count as f64 };
    let of_latency = if latency > 0.0 { mean / latency } else { 0.0 };
    let p99 = supported(99.0, late.count())
        .then(|| format!(", the latest 1 % {:.1} µs", late.percentile_ns(99.0) as f64 / 1e3));
    let says = format!(
        "I/Os were submitted {:.1} µs after their intended time on average{}: {:.1} % of their latency",
        mean / 1e3,
        p99.unwrap_or_default(),
        of_latency * 100.0
    );
    Some(if of_latency <= SHARE && mean <= LONGEST {
        check(NAME, Verdict::Ok, says)
    } else {
        let relief = relief(seen, "use more --threads or a lower --rate");
        let says = format!(
            "{says}: the client was late, not the target; {relief}, and keep other work off its processors"
        );
        check(NAME, Verdict::Warning, says)
    })
}

/// Share by which figures before the steady state may differ from those after it.
const COLD: f64 = 0.05;

/// True if the run was still warming up when counting began.
pub(super) fn warm_up(seen: &Seen) -> Option<Check> {
    const NAME: &str = "warm-up";
    let total = &seen.outcome.total;
    let settled = settled(&total.series)?;
    let iops = |keep: &dyn Fn(&Interval) -> bool| {
        let kept = total.series.iter().filter(|interval| interval.phase == Phase::Counted && keep(interval));
        let (count, seconds) = kept.fold((0, 0.0), |(count, seconds), interval| {
            (count + interval.count(), seconds + interval.length().secs_f64())
        });
        (seconds > 0.0).then(|| count as f64 / seconds)
    };
    let after = iops(&|interval| interval.start >= settled)?;
    let begin = total.layout.begin;
    let cold = iops(&|interval| interval.start < settled).filter(|cold| (cold - after).abs() > COLD * after);
    Some(match cold {
        None => check(NAME, Verdict::Ok, "the run was steady when the measurement began"),
        Some(cold) => {
            let says = format!(
                "the run became steady {:.0} s after its start (MSER-5), after the measurement began: {cold:.0} IOPS \
                 until then, {after:.0} from then on; use a --warmup of that length",
                settled.since(begin).secs_f64()
            );
            check(NAME, Verdict::Warning, says)
        }
    })
}
