//! A probe's answer for a person.

use iobound_probe::{Counts, Ending, Enforcement, Estimate, FoundLimit, TargetAnswer};
use iobound_units::{Bytes, format_throughput};

use super::ProbeScreen;
use super::document::charge_text;
use crate::number::{count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};

/// The screen of a probe.
pub fn probe_text(screen: &ProbeScreen<'_>, style: Style) -> String {
    let answer = screen.answer;
    let mut page = Page::new(style);
    let several = answer.targets.len() > 1;
    for (at, target) in answer.targets.iter().enumerate() {
        page.gap();
        page.labelled("target", &format!("{}, {}", target.name, Bytes(target.size)));
        let own: Vec<&FoundLimit> = answer.limits.iter().filter(|limit| limit.targets == [at]).collect();
        for limit in &own {
            put_limit(&mut page, limit, "");
        }
        if own.is_empty() {
            page.stressed("limit", &no_limit_text(target));
        }
        put_target(&mut page, target);
    }
    for limit in answer.limits.iter().filter(|limit| limit.targets.len() > 1) {
        let names: Vec<&str> = limit.targets.iter().map(|at| answer.targets[*at].name.as_str()).collect();
        page.gap();
        put_limit(&mut page, limit, &format!(", shared by {}", names.join(", ")));
    }
    page.gap();
    for (n, offer) in screen.offers.iter().enumerate() {
        let mut text = format!("{}: {}", offer.name, offer.because);
        if let Some(by) = &offer.told_apart_by {
            text.push_str(&format!("; what tells it from the first: {by}"));
        }
        page.labelled(if n == 0 { "matches" } else { "or" }, &text);
    }
    if screen.offers.is_empty() && !answer.limits.is_empty() && !several {
        page.labelled("matches", "no offer of the catalogue has these limits");
    }
    for text in &answer.not_reached {
        page.labelled("not reached", text);
    }
    if let Some(noise) = answer.noise {
        page.labelled(
            "noise",
            &format!(
                "the latency at the end is {} {} that at the start; it varies by {} between intervals of 100 ms",
                percent_text(noise.drift.abs()),
                if noise.drift < 0.0 { "below" } else { "above" },
                percent_text(noise.variation)
            ),
        );
    }
    page.labelled(
        "cost",
        &format!(
            "{}, {} I/Os, {} read, {} written",
            duration_text(answer.cost.time.secs_f64()),
            count_text(answer.cost.ios as f64),
            Bytes(answer.cost.read),
            Bytes(answer.cost.written)
        ),
    );
    if let Some(writes) = screen.device_writes {
        let (bytes, devices) = (Bytes(writes.bytes), writes.devices.join(", "));
        let text = match writes.bytes {
            0 => format!("the kernel counted no writes to {devices}"),
            _ if answer.cost.written > 0 => format!("the kernel counted {bytes} of writes to {devices}"),
            _ => format!("the kernel counted {bytes} of writes to {devices}, by other processes"),
        };
        page.labelled("devices", &text);
    }
    if !answer.open.is_empty() {
        let more = answer.budget_for_open.map_or_else(String::new, |budget| {
            format!("; a --budget of {}s measures them as well", budget.ns() / 1_000_000_000)
        });
        page.labelled("open", &format!("{}{more}", answer.open.join("; ")));
    }
    match &answer.ending {
        Ending::Complete => page.labelled("ended", "every figure is as precise as required"),
        Ending::Budget => page.labelled("ended", "the budget holds no further experiment"),
        Ending::Starved => page.labelled(
            "ended",
            &format!(
                "the client got {} of the processor time it wanted in an experiment, so that its \
                 figures are not given; keep other work off this machine, and probe again",
                percent_text(answer.starved.unwrap_or(0.0))
            ),
        ),
        Ending::Stopped => page.labelled("ended", "interrupted: this is what was known by then"),
        Ending::Failed(why) => page.labelled("ended", &format!("the disk failed: {why}")),
    }
    page.text()
}

/// Text for a target of which no limit was found. If a ramp did not end, there may be one.
fn no_limit_text(target: &TargetAnswer) -> String {
    let ios = rate_text(Counts::Ios, target.reached_iops);
    let bytes = rate_text(Counts::Bytes, target.reached_bytes);
    match target.ramps_ended {
        [true, true] => format!("none found up to {ios} and {bytes}"),
        [true, false] => format!("none found up to {ios}; throughput not measured"),
        [false, true] => format!("none found up to {bytes}; IOPS not measured"),
        [false, false] if target.reached_iops > 0.0 => {
            format!("not measured; {ios} and {bytes} were reached")
        }
        [false, false] => "not measured".into(),
    }
}

fn rate_text(counts: Counts, value: f64) -> String {
    match counts {
        Counts::Ios => format!("{} IOPS", count_text(value)),
        Counts::Bytes => format_throughput(value),
    }
}

/// The range of a figure: a 95 % interval if it was repeated, else the margin of its experiment.
fn between_text(estimate: &Estimate, text: impl Fn(f64) -> String) -> String {
    format!("{} to {}", text(estimate.low), text(estimate.high))
}

/// A figure with its range, or the lower bound that it is.
fn bounded_text(estimate: &Estimate, text: impl Fn(f64) -> String) -> String {
    match estimate.is_at_least() {
        true => format!("at least {}", text(estimate.low)),
        false => format!("{} ({})", text(estimate.value), between_text(estimate, text)),
    }
}

fn put_limit(page: &mut Page, limit: &FoundLimit, shared: &str) {
    let rate = |value: f64| rate_text(limit.counts, value);
    let seconds = |value: f64| time_text(value * 1e6);
    let mut text = format!(
        "{} of {}{shared} ({})",
        rate(limit.per_second.value),
        limit.scope.name(),
        between_text(&limit.per_second, rate),
    );
    match limit.enforcement {
        Enforcement::Slice { length, .. } => text.push_str(&format!(
            ", in slices of {} ({})",
            seconds(length.value),
            between_text(&length, seconds)
        )),
        Enforcement::Bucket { depth } if depth.low <= 0.0 => {
            text.push_str(&format!(", a token bucket of less than {}", seconds(depth.high)));
        }
        Enforcement::Bucket { depth } => text.push_str(&format!(
            ", a token bucket of {} ({})",
            seconds(depth.value),
            between_text(&depth, seconds)
        )),
        Enforcement::Unresolved => text.push_str(", neither slices nor a token bucket seen"),
    }
    page.stressed("limit", &text);
    if let Some(burst) = limit.burst {
        let size = |value: f64| match limit.counts {
            Counts::Ios => format!("{} I/Os", count_text(value)),
            Counts::Bytes => Bytes(value as u64).to_string(),
        };
        let full = if burst.size.is_at_least() { "" } else { " when full" };
        page.labelled(
            "burst",
            &format!(
                "{}, with credits of {}{full}",
                bounded_text(&burst.per_second, rate),
                bounded_text(&burst.size, size)
            ),
        );
    }
    page.labelled("evidence", &evidence_text(limit));
}

/// Evidence for a limit, in a line; the page of `--html` has the curves.
fn evidence_text(limit: &FoundLimit) -> String {
    let mut parts = Vec::new();
    match limit.evidence.ramp.as_slice() {
        [.., knee, twice] => parts.push(format!(
            "the rate is flat from queue depth {} to {}, measured three times",
            knee.depth, twice.depth
        )),
        _ if limit.targets.len() > 1 => {
            parts.push("the targets together reach less than the sum of what each reaches alone".into());
        }
        _ => {}
    }
    parts.push(format!("loaded for {}", duration_text(limit.watched.secs_f64())));
    if let Some(misfit) = limit.evidence.misfit {
        parts.push(format!(
            "a simulated limit like it differs by {} of a second's I/Os at most",
            percent_text(misfit)
        ));
    }
    parts.join("; ")
}

fn put_target(page: &mut Page, target: &TargetAnswer) {
    if let Some(accounting) = target.accounting {
        page.labelled("charge", &charge_text(accounting));
    }
    if let Some(size) = target.merges_up_to {
        page.labelled("merging", &format!("sequential reads count as one up to about {size}"));
    }
    let figures: Vec<String> = target
        .latencies
        .iter()
        .map(|latency| {
            format!(
                "{} {} {} ± {}",
                if latency.is_write { "write" } else { "read" },
                Bytes(u64::from(latency.block)),
                time_text(latency.mean.value * 1e6),
                percent_text(latency.mean.share())
            )
        })
        .collect();
    page.figures("latency", &figures);
    if let Some(cache) = target.cache {
        let size = match cache.size {
            Some(size) => format!(
                "{} ({} to {})",
                Bytes(size.value as u64),
                Bytes(size.low as u64),
                Bytes(size.high as u64)
            ),
            None => format!("{} or more", Bytes(cache.at_least)),
        };
        page.labelled(
            "cache",
            &format!(
                "{size}, hits in {} ± {}",
                time_text(cache.hit.value * 1e6),
                percent_text(cache.hit.share())
            ),
        );
    }
}
