use iobound_catalog::{Assumption, Price, PropertyKind, Resolved};
use iobound_measure::result::LoopLabel;
use iobound_predict::{Binding, Knee, Prediction};
use iobound_units::{Op, format_throughput};
use iobound_workload::{Job, Load, Targets, describe};

use super::band::{band_words, latency_band_words};
use super::bound::{bound_by, ceiling_of};
use super::cluster::{cluster_lines, cluster_price};
use super::disks::disks_text;
use super::{Predicted, Stage, Wording};
use crate::limit::{binding_title, family_title, grouped, limit_figure};
use crate::number::{count_text, duration_text, money_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A limit used less than this is left to `--wide`, unless few are left.
const LITTLE: f64 = 0.05;
/// A full limit's bar, and that of a page narrower than [`NARROW`].
const BARS: [usize; 2] = [20, 8];
const NARROW: usize = 76;

fn bar(page: &Page, share: f64) -> String {
    let full = BARS[usize::from(page.width() < NARROW)];
    "#".repeat(((share * full as f64).round() as usize).min(full))
}

/// The screen of `predict`.
pub fn predict_text(predicted: &Predicted<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let several = predicted.stages.len() > 1;
    for (index, stage) in predicted.stages.iter().enumerate() {
        if several {
            page.gap();
            page.line(&format!("stage {} of {}", index + 1, predicted.stages.len()));
        }
        screen(predicted, stage, &mut page);
    }
    page.gap();
    let assumed = predicted.assumed();
    if page.is_wide() {
        page.list("assumed", &Assumption::sentences(&assumed));
    } else {
        let matters = |one: &&Assumption| matters(one.property.kind, predicted.stages);
        let shown: Vec<&Assumption> = assumed.iter().filter(matters).collect();
        let once = Assumption::said_once(shown.iter().copied());
        let mut items: Vec<String> = once.iter().map(short).collect();
        match assumed.len() - shown.len() {
            0 => {}
            1 => items.push("1 more changes the figures by less than 5 %: --wide".into()),
            left => items.push(format!("{left} more change the figures by less than 5 %: --wide")),
        }
        page.labelled("assumed", &items.join("; "));
    }
    if let Some(published) = predicted.published {
        let figures = [
            published.iops.map(|iops| format!("{} IOPS", count_text(iops))),
            published.throughput_bytes_per_s.map(format_throughput),
        ];
        let figures: Vec<String> = figures.into_iter().flatten().collect();
        let place = published.place(&predicted.stages[0].prediction.expected).name();
        page.labelled("observed", &format!("{}: {place} the band", figures.join(", ")));
    }
    if let Some(price) = predicted.price {
        page.labelled("price", &price_text(price));
        if let Some(cluster) = predicted.stages.first().and_then(|stage| stage.cluster.as_ref()) {
            page.labelled("", &cluster_price(cluster, price));
        }
    }
    page.list("notes", predicted.notes);
    page.text()
}

fn price_text(price: &Price) -> String {
    let as_of = price.as_of.as_ref().map_or(String::new(), |date| format!(", prices of {date}"));
    let sum = money_text(price.known_per_month.as_f64());
    let mut text = match price.per_month {
        Some(_) => format!("{sum} {} a month{as_of}", price.currency),
        None => format!(
            "not known: {}; the rest is {sum} {} a month{as_of}",
            price.unknown.join(", "),
            price.currency
        ),
    };
    for further in &price.by_use {
        text.push_str("; and ");
        text.push_str(further);
    }
    text
}

/// True if an assumption can change an expected figure by 5 % or more.
///
/// The published ranges of factors and slices lie within 5 %. The media's latency matters only to a direction that the
/// workload has, and only where something else than a limit binds.
fn matters(kind: PropertyKind, stages: &[Stage]) -> bool {
    let direction = match kind {
        PropertyKind::Algorithm | PropertyKind::Enforcement | PropertyKind::Merging | PropertyKind::Files => {
            return false;
        }
        PropertyKind::Other => return true,
        PropertyKind::Media(direction) => direction,
        PropertyKind::CacheMedia => None,
    };
    stages.iter().any(|stage| {
        let limited = stage.prediction.binding.iter().all(|b| matches!(b, Binding::Limit(..)));
        let has = |share: fn(f64) -> bool| stage.workload.jobs.iter().any(|job| share(job.read_fraction()));
        let used = match direction {
            Some(Op::Read) => has(|read| read > 0.0),
            Some(Op::Write) => has(|read| read < 1.0),
            _ => true,
        };
        used && !limited
    })
}

/// An assumption without its reason.
fn short(assumption: &Assumption) -> String {
    let Assumption { property, value, is_guess, .. } = assumption;
    match *is_guess && property.kind.is_media() {
        true => format!("{property} {value}, which is not measured: the band shows its effect"),
        false => format!("{property} {value}"),
    }
}

fn screen(predicted: &Predicted<'_>, stage: &Stage, page: &mut Page) {
    let prediction = &stage.prediction;
    header(predicted, stage, page);
    page.gap();
    let expected = &prediction.expected;
    let latency = prediction.latency.unwrap_or_default();
    let mean = latency.mean.map_or(String::new(), |mean| format!("mean {}", time_text(mean)));
    page.figures(
        "expected",
        &[
            format!("{} IOPS", count_text(expected.iops)),
            format_throughput(expected.throughput_bytes_per_s),
            mean,
            format!("band {}-{}", count_text(expected.low_iops), count_text(expected.high_iops)),
        ],
    );
    page.labelled("", &band_words(prediction));
    if let Some(words) = unpublished_words(predicted, prediction) {
        page.labelled("", &words);
    }
    match (prediction.ceiling.iops, prediction.ceiling.throughput_bytes_per_s) {
        (Some(iops), Some(bytes)) => page.figures(
            "ceiling",
            &[
                format!("{} IOPS", count_text(iops)),
                format_throughput(bytes),
                format!("({})", ceiling_of(predicted, prediction)),
            ],
        ),
        _ => page.labelled("ceiling", "none: no limit is reached"),
    }
    page.stressed("BOUND BY", &bound_by(predicted, stage));
    latency_lines(stage, page);
    page.gap();
    limits(predicted.resolved, prediction, page);
    page.gap();
    parts(predicted, prediction, page);
    if let Some(rate) = prediction.hit_rate {
        let text = format!("{}; {} of the reads hit", predicted.cache.name(), percent_text(rate));
        page.labelled("cache", &text);
    }
    burst(predicted, prediction, page);
    match &prediction.knee {
        Some(knee) => {
            page.labelled("knee", &knee_text(predicted, stage, knee));
            curve(knee, page);
        }
        None => page.labelled("knee", "none: no limit is reached, and IOPS grow with the depth"),
    }
    if let Some(cluster) = &stage.cluster {
        page.gap();
        cluster_lines(cluster, prediction, page);
    }
}

fn header(predicted: &Predicted<'_>, stage: &Stage, page: &mut Page) {
    let jobs = &stage.workload.jobs;
    for job in jobs {
        match jobs.as_slice() {
            [_] => page.paragraph(&describe(job)),
            _ => page.paragraph(&format!("{}: {}", job.name, describe(job))),
        }
    }
    let said: u64 = jobs.iter().map(said_outstanding).sum();
    if said != stage.prediction.outstanding {
        page.paragraph(&format!("{} outstanding in all", grouped(stage.prediction.outstanding)));
    }
    let resolved = predicted.resolved;
    let configuration = predicted.configuration;
    let striped = resolved.blueprint.volumes.iter().any(|volume| volume.columns > 1);
    let built = if configuration.separate && resolved.disks.len() > 1 {
        ", each its own volume".to_string()
    } else if striped {
        format!(", striped at {}", configuration.interleave)
    } else {
        String::new()
    };
    let disks = disks_text(&resolved.disks, true);
    page.paragraph(&format!(
        "on {} with {disks}{built}, era {}",
        resolved.vm.full_name(),
        resolved.era.name()
    ));
}

/// Outstanding I/Os in a job's description: on each of its targets.
fn said_outstanding(job: &Job) -> u64 {
    let (Load::Closed { depth, .. } | Load::Open { depth, .. }) = job.load;
    u64::from(depth) * u64::from(job.threads)
}

/// Words about a limit that binds and that no source gives.
fn unpublished_words(predicted: &Predicted<'_>, prediction: &Prediction) -> Option<String> {
    let binding = prediction.binding.iter().find(|binding| match binding {
        Binding::Limit(group, _) => predicted.resolved.is_expected_limit(group),
        _ => false,
    })?;
    Some(format!(
        "no source gives the {} of this size: the band covers those of similar sizes",
        binding_title(binding)
    ))
}

/// The latency's percentiles, its loop, and what a mean at a full limit is.
fn latency_lines(stage: &Stage, page: &mut Page) {
    let prediction = &stage.prediction;
    let Some(latency) = prediction.latency else { return };
    let mut figures: Vec<String> = [
        ("p50", latency.p50),
        ("p90", latency.p90),
        ("p95", latency.p95),
        ("p99", latency.p99),
        ("max", latency.max),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| format!("{name} {}", time_text(value))))
    .collect();
    if let Some(label) = latency.label {
        figures.push(format!("{} loop", loop_word(label)));
    }
    page.figures("latency", &figures);
    if let Some(words) = latency_band_words(&prediction.latency_bands) {
        page.labelled("", &words);
    }
    let held = prediction.binding.iter().any(|b| matches!(b, Binding::Limit(..) | Binding::CacheDirty));
    let Some(mean) = latency.mean.filter(|mean| held && *mean > 1.5 * prediction.alone.us_f64()) else {
        return;
    };
    let jobs = &stage.workload.jobs;
    let closed = jobs.iter().all(|job| matches!(job.load, Load::Closed { .. }) && job.think.is_none());
    let arithmetic = prediction.outstanding as f64 / prediction.expected.iops * 1e6;
    if closed && (mean / arithmetic - 1.0).abs() < 0.1 {
        let outstanding = grouped(prediction.outstanding);
        let iops = count_text(prediction.expected.iops);
        page.labelled("", &format!("= {outstanding} outstanding / {iops}: queueing, not the disks"));
    } else if jobs.iter().any(|job| matches!(job.load, Load::Open { .. })) {
        page.labelled("", "the rate exceeds the limits: the backlog grows, and latency with it");
    }
}

/// The word for a loop.
pub(super) fn loop_word(label: LoopLabel) -> &'static str {
    match label {
        LoopLabel::Closed => "closed",
        LoopLabel::Open => "open",
        LoopLabel::Mixed => "mixed",
    }
}

fn limits(resolved: &Resolved, prediction: &Prediction, page: &mut Page) {
    let mut limiters: Vec<_> = prediction.limiters.iter().collect();
    limiters.sort_by(|one, other| other.share.total_cmp(&one.share));
    if !page.is_wide() {
        let shown = limiters.iter().filter(|limiter| limiter.share >= LITTLE).count().max(2);
        limiters.truncate(shown);
    }
    if limiters.is_empty() {
        return;
    }
    let mut columns: Vec<Column> = vec![Column::words("limit")];
    let bursts = limiters.iter().any(|limiter| limiter.burst.is_some());
    let figures = ["published", "burst", "enforced", "used"].into_iter();
    columns.extend(figures.filter(|name| bursts || *name != "burst").map(Column::figures));
    columns.push(Column::words(""));
    if page.is_wide() {
        columns.extend([Column::figures("used"), Column::figures("held an I/O")]);
    }
    let mut table = Table::new(columns);
    for limiter in &limiters {
        let published = limit_figure(limiter.limit, limiter.dimension);
        let group = limiter.name.rsplit_once('.').map_or(limiter.name.as_str(), |(group, _)| group);
        let mut cells = vec![
            family_title(&limiter.name, limiter.of.as_deref(), limiter.count),
            if resolved.is_expected_limit(group) { format!("assumed {published}") } else { published },
        ];
        if bursts {
            cells.push(limiter.burst.map_or(String::new(), |burst| limit_figure(burst, limiter.dimension)));
        }
        cells.extend([
            limit_figure(limiter.enforced, limiter.dimension),
            percent_text(limiter.share),
            bar(page, limiter.share),
        ]);
        if page.is_wide() {
            cells.push(limit_figure(limiter.used, limiter.dimension));
            cells.push(time_text(limiter.held_us));
        }
        table.row(cells);
    }
    table.put(page);
    let left = prediction.limiters.len() - limiters.len();
    if left > 0 {
        let limits = if left == 1 { "limit is" } else { "limits are" };
        page.line(&format!("  {left} more {limits} used less than {}: --wide", percent_text(LITTLE)));
    }
}

/// The volumes' own figures where there are several, and the disks' on a wide page.
fn parts(predicted: &Predicted<'_>, prediction: &Prediction, page: &mut Page) {
    let figures = |parts: &[iobound_predict::PartUse]| -> Vec<String> {
        parts
            .iter()
            .map(|part| {
                let throughput = format_throughput(part.throughput_bytes_per_s);
                format!("{} {} IOPS {throughput}", part.name, count_text(part.iops))
            })
            .collect()
    };
    if prediction.volumes.len() > 1 {
        page.figures("volumes", &figures(&prediction.volumes));
    }
    let same = predicted.resolved.blueprint.volumes.iter().all(|volume| volume.disks.len() == 1);
    if page.is_wide() && !same {
        page.figures("disks", &figures(&prediction.disks));
    }
}

fn burst(predicted: &Predicted<'_>, prediction: &Prediction, page: &mut Page) {
    match &prediction.burst {
        Some(burst) => {
            let lasts = match burst.seconds {
                Some(seconds) => format!("for {} from full credits", duration_text(seconds)),
                None => "sustained: its credits are not used up".into(),
            };
            let iops = format!("{} IOPS", count_text(burst.iops));
            page.figures("burst", &[iops, format_throughput(burst.throughput_bytes_per_s), lasts]);
        }
        None if predicted.resolved.blueprint.has_credits() => {
            page.labelled("burst", "none: credits have no effect on this workload");
        }
        None => {}
    }
}

fn knee_text(predicted: &Predicted<'_>, stage: &Stage, knee: &Knee) -> String {
    let prediction = &stage.prediction;
    let how = match (knee_words(predicted, stage, knee), knee.threads) {
        (Some(words), _) => words,
        (None, 1) => format!("--depth {}", knee.depth),
        (None, queues) => format!("{} on each of {queues} queues", grouped(knee.depth)),
    };
    // The settings of the knee: the same depth on each queue.
    let reached = knee.depth * knee.threads;
    let outstanding = grouped(reached);
    let iops = count_text(knee.iops);
    let beyond = if prediction.outstanding > reached {
        let times = prediction.outstanding as f64 / reached as f64;
        match times {
            times if times >= 2.0 => format!("; here are {} x as many", count_text(times.round())),
            _ => String::new(),
        }
    } else {
        String::new()
    };
    format!("{outstanding} outstanding ({how}): {iops}; with more, only latency grows{beyond}")
}

/// The knee's depth in the words of the tool whose line it was: only where one job's threads are its queues.
fn knee_words(predicted: &Predicted<'_>, stage: &Stage, knee: &Knee) -> Option<String> {
    let [job] = stage.workload.jobs.as_slice() else { return None };
    if u64::from(job.threads) != knee.threads {
        return None;
    }
    let single = predicted.resolved.blueprint.volumes.len() == 1
        || matches!(&job.targets, Targets::Named(names) if names.len() == 1);
    if !single {
        return None;
    }
    let (depth, threads) = (knee.depth, knee.threads);
    match predicted.wording {
        Wording::Native => Some(format!("--depth {depth} --threads {threads}")),
        Wording::DiskSpd => Some(format!("-o{depth} -t{threads}")),
        Wording::Fio => Some(format!("--iodepth={depth} --numjobs={threads}")),
        Wording::Plain => None,
    }
}

/// The search for the knee, where there was one.
fn curve(knee: &Knee, page: &mut Page) {
    if knee.curve.is_empty() {
        return;
    }
    page.gap();
    let most = knee.curve.iter().map(|(_, iops, _)| *iops).fold(1.0, f64::max);
    let mut table = Table::new(vec![
        Column::figures("outstanding"),
        Column::figures("IOPS"),
        Column::figures("mean"),
        Column::words(""),
    ]);
    for (outstanding, iops, mean) in &knee.curve {
        let mut bar = bar(page, iops / most);
        if *outstanding == knee.outstanding {
            bar.push_str("  knee");
        }
        table.row(vec![grouped(*outstanding), count_text(*iops), time_text(mean.us_f64()), bar]);
    }
    table.put(page);
}
