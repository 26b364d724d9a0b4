//! Measured figures compared with the expected ones, and the limit of the result.

use iobound_measure::result::HostLimit;
use iobound_predict::{Binding, LimiterUse, Prediction};

use super::RunStage;
use crate::limit::{binding_title, family_title, grouped};
use crate::number::{count_text, duration_text, percent_text, rounded, time_text};
use crate::page::Page;

/// A limit that is this full binds.
const FULL: f64 = 0.98;
/// More than this is more than the limit lets through, and not its scatter.
const BEYOND: f64 = 1.05;

impl RunStage<'_> {
    /// Measured ÷ expected IOPS; of throughput where a job is buffered, because the prediction counts the page cache's I/Os.
    /// `None` without a prediction. The configuration is that of each host.
    pub(super) fn measured_to_predicted(&self) -> Option<f64> {
        let expected = &self.prediction?.expected;
        let (measured, expected) = if self.workload.jobs.iter().any(|job| job.buffered) {
            (self.result.total.throughput_bytes_per_s, expected.throughput_bytes_per_s)
        } else {
            (self.result.total.iops, expected.iops)
        };
        let expected = expected * self.hosts();
        measured.filter(|_| expected > 0.0).map(|measured| measured / expected)
    }

    /// Number of machines the figures that are of.
    fn hosts(&self) -> f64 {
        self.result.hosts.len().max(1) as f64
    }
}

/// The expected figure with its band, the measured one as a share of it, and what binds.
pub(super) fn predicted(stage: &RunStage<'_>, page: &mut Page) {
    let Some(prediction) = stage.prediction else { return };
    let (expected, hosts) = (&prediction.expected, stage.hosts());
    let buffered = stage.workload.jobs.iter().any(|job| job.buffered);
    let of = if buffered { "IOPS of the page cache" } else { "IOPS" };
    let mut figures = vec![
        format!("{} {of}", count_text(expected.iops * hosts)),
        format!("band {}-{}", count_text(expected.low_iops * hosts), count_text(expected.high_iops * hosts)),
    ];
    let ratio = stage.measured_to_predicted();
    figures.extend(ratio.map(|ratio| format!("measured/predicted {:.2}", rounded(ratio, 2))));
    figures.extend(
        (hosts > 1.0)
            .then(|| format!("{} hosts of {} each", grouped(hosts as u64), count_text(expected.iops))),
    );
    page.figures("predicted", &figures);
    page.labelled("", &crate::predict::band::band_words(prediction));
    if let Some(ratio) = ratio {
        let mean = stage.result.total.latency_us.and_then(|latency| latency.mean);
        page.stressed("BOUND BY", &bound_by(prediction, ratio * expected.iops, mean).says);
    }
}

/// Limit of one machine, from its IOPS, its mean latency in µs and the expected figure.
pub(crate) fn bound_by(prediction: &Prediction, iops: f64, mean_us: Option<f64>) -> HostLimit {
    let expected = prediction.expected.iops;
    let ratio = if expected > 0.0 { iops / expected } else { 0.0 };
    let bound = |by: &str, says: String| HostLimit { by: by.to_string(), says };
    // Every I/O passes the same limits as in the simulation: their use grows with IOPS.
    let used = |limiter: &LimiterUse| limiter.share * ratio;
    let fullest = prediction.limiters.iter().max_by(|one, other| one.share.total_cmp(&other.share));
    if let Some(limiter) = fullest.filter(|limiter| used(limiter) >= FULL) {
        let title = limiter_title(limiter);
        let share = percent_text(used(limiter));
        // More than the limit is what credits allow, if they allow as much.
        let burst = prediction.burst.as_ref().filter(|burst| iops <= BEYOND * burst.iops);
        return match (used(limiter) > BEYOND, burst) {
            (true, Some(burst)) => {
                let lasts =
                    burst.seconds.map_or(String::new(), |seconds| format!(" for {}", duration_text(seconds)));
                let says = format!(
                    "burst credits of {title}: {share} of its enforced limit; full credits allow {} IOPS{lasts}",
                    count_text(burst.iops)
                );
                bound(&limiter.name, says)
            }
            (true, None) => bound(
                "unknown",
                format!("unexplained: more than {title} allows ({share} of its enforced limit)"),
            ),
            (false, _) => bound(&limiter.name, format!("{title}: {share} of its enforced limit")),
        };
    }
    let inside = (prediction.expected.low_iops..=prediction.expected.high_iops).contains(&iops);
    if inside && let Some(binding) = prediction.binding.first() {
        let by = binding.to_string();
        match binding {
            Binding::QueueDepth => {
                let mean = mean_us.map_or(String::new(), |mean| format!(" / {}", time_text(mean)));
                let outstanding = grouped(prediction.outstanding);
                return bound(&by, format!("queue depth: {outstanding}{mean}{}", uses(prediction, ratio)));
            }
            Binding::Rate | Binding::CacheDirty => {
                return bound(&by, format!("{}{}", binding_title(binding), uses(prediction, ratio)));
            }
            // A limit whose band reaches this far down, though its enforced figure is not reached.
            Binding::Limit(..) => {
                let title = binding_title(binding);
                return bound(&by, format!("{title}: inside the band{}", uses(prediction, ratio)));
            }
            Binding::Client | Binding::Unknown => {}
        }
    }
    let says = match uses(prediction, ratio) {
        none if none.is_empty() => "unexplained: no limit is known".into(),
        uses => format!("unexplained: no known limit is full{uses}"),
    };
    bound("unknown", says)
}

/// ` (VM uncached IOPS 87 %, disks IOPS 89 % of the enforced limits)`: the fullest three.
fn uses(prediction: &Prediction, ratio: f64) -> String {
    let mut limiters: Vec<&LimiterUse> = prediction.limiters.iter().collect();
    limiters.sort_by(|one, other| other.share.total_cmp(&one.share));
    let words: Vec<String> = limiters
        .iter()
        .take(3)
        .map(|limiter| format!("{} {}", limiter_title(limiter), percent_text(limiter.share * ratio)))
        .collect();
    if words.is_empty() { String::new() } else { format!(" ({} of the enforced limit)", words.join(", ")) }
}

fn limiter_title(limiter: &LimiterUse) -> String {
    let title = family_title(&limiter.name, limiter.of.as_deref(), limiter.count);
    if limiter.name.ends_with(".throughput") { format!("{title} throughput") } else { title }
}
