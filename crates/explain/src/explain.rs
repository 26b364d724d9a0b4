use iobound_catalog::{Catalog, Resolved};
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::Dimension;
use iobound_predict::PredictError;
use iobound_units::Op;

use crate::against_model::{expect_of_queue, lower_refuted};
use crate::case::{Case, Level};
use crate::change;
use crate::dominated::drop_dominated;
use crate::finding::{Confidence, Finding, best_first, merge_same_limit};
use crate::measure_next::measure_next;
use crate::remedy::{Change, Effect, Remedy, assumed, judge};
use crate::rules::{RULES, contradiction, figure, unexplained};
use crate::setup::{Look, Setup, held_findings, with_exceeded};
use crate::tell_apart::tell_apart;
use crate::usage::{Usage, has_cache};
use crate::want::Want;

/// The remedies of so many findings are predicted: what comes later is not what binds.
const PREDICTED: usize = 3;

/// The answer: what was found, and what was not.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Best first; of [`explain`] never empty.
    pub findings: Vec<Finding>,
    /// Next measurement: where nothing is more than possible, the cheapest measurement that would decide; else where the
    /// first two findings can't be told apart, what tells them apart.
    pub tell_apart: Option<String>,
    /// Limits not reached left.
    pub ruled_out: Vec<RuledOut>,
    /// Changes that meet the goal, if one is given.
    pub wish: Option<Wish>,
    /// The assumptions, and what was worked out.
    pub assumed: Vec<String>,
}

/// A limit with room left.
#[derive(Clone, Debug, PartialEq)]
pub struct RuledOut {
    /// `disk.throughput`.
    pub limit: String,
    /// The most that is used of it ÷ what is enforced.
    pub used: f64,
    /// Reason why it is not the one.
    pub because: String,
}

/// Needs of a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// The goal.
    pub want: Want,
    /// The changes that meet it, in words, of all findings whose changes were predicted.
    pub met_by: Vec<String>,
    /// Best combination of changes that was found, if no single one meets it. Its outcome says whether it does.
    pub otherwise: Option<Remedy>,
}

/// Findings of the rules in a case, best first and never empty; their remedies are not predicted yet.
pub fn findings(case: &Case<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().filter_map(|rule| rule.loaded?(case)).collect();
    // Nothing that rests on figures which exclude each other is certain.
    if let Some(contradiction) = contradiction::of_case(case) {
        let others = findings.iter_mut().filter(|finding| finding.rule != "contradiction");
        others.for_each(|finding| finding.cap(contradiction.most));
    }
    best_first(&mut findings);
    let mut findings = merge_same_limit(findings);
    if findings.is_empty() {
        findings.push(unexplained::say(case));
    }
    if let (Some(stretch), Some(first)) = (case.observed.stretch, findings.first_mut()) {
        first.evidence.insert(0, stretch.says());
    }
    match held_findings(&case.observed.held) {
        held if held.is_empty() => findings,
        held => with_exceeded(findings, held),
    }
}

/// Findings of the rules in a setup without a load, best first; nothing where nothing looks wrong. Without `resolved` only what needs no
/// limits is looked at.
pub fn setup_findings(setup: &Setup, resolved: Option<&Resolved>, catalog: &Catalog) -> Vec<Finding> {
    let look = Look { setup, resolved, catalog };
    let unloaded = RULES.iter().filter_map(|rule| rule.unloaded);
    let mut findings: Vec<Finding> = unloaded.filter_map(|judge| judge(&look)).collect();
    best_first(&mut findings);
    findings
}

/// Predictions that were made: the same change is offered by several findings.
#[derive(Default)]
struct Predicted {
    made: Vec<Remedy>,
}

impl Predicted {
    fn of(
        &mut self,
        case: &Case<'_>,
        remedy: &mut Remedy,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<(), PredictError> {
        if let Some(same) = self.made.iter().find(|made| made.changes == remedy.changes) {
            remedy.outcome.clone_from(&same.outcome);
            return Ok(());
        }
        judge(case, remedy, watch)?;
        self.made.push(remedy.clone());
        Ok(())
    }

    /// Says of more disks that they give no more, and why: it is the first thing that people buy. `None` of any other change, or if
    /// they give more.
    fn in_vain(&self, changes: &[Change]) -> Option<String> {
        let [Change::Disks(_)] = changes else { return None };
        let remedy = self.made.iter().find(|made| made.changes == changes && made.is_waste())?;
        let binding = remedy.outcome.as_ref()?.binding.first().filter(|name| *name != "queue_depth")?;
        Some(format!("{} would give no more, because {binding} binds", remedy.says()))
    }

    /// Each remedy with its outcome. If the depth binds after it, the remedy with the depth that reaches the limits follows;
    /// it replaces the remedy if the depth is an assumption and a rate was observed.
    fn all(
        &mut self,
        case: &Case<'_>,
        remedies: Vec<Remedy>,
        watch: &mut dyn FnMut(&Interval) -> Flow,
    ) -> Result<Vec<Remedy>, PredictError> {
        let total = &case.observed.total;
        let mut predicted: Vec<Remedy> = Vec::new();
        for mut remedy in remedies {
            self.of(case, &mut remedy, watch)?;
            let is_known = case.outstanding().is_some();
            let has_rate = total.iops.or(total.throughput_bytes_per_s).is_some();
            let deeper = remedy.deepened().filter(|remedy| is_known || has_rate && remedy.is_change());
            if deeper.is_none() || is_known {
                predicted.push(remedy);
            }
            if let Some(mut deeper) = deeper {
                self.of(case, &mut deeper, watch)?;
                predicted.push(deeper);
            }
        }
        predicted.retain(|remedy| !remedy.is_waste());
        let mut seen: Vec<Vec<Change>> = Vec::new();
        predicted.retain(|remedy| {
            let is_new = !seen.contains(&remedy.changes);
            seen.push(remedy.changes.clone());
            is_new && remedy.outcome.is_some()
        });
        // Changes that meet the goal come first, changes that make it worse last. Of the others, the one that gains most for its
        // price comes first, or the rule's order if a price is unknown.
        let effect = |remedy: &Remedy| {
            let outcome = remedy.outcome.as_ref();
            let meets = outcome.is_some_and(|outcome| outcome.meets_want == Some(true));
            (!meets, outcome.and_then(|outcome| outcome.effect).unwrap_or(Effect::Better))
        };
        let prices: Option<Vec<(Vec<Change>, f64)>> = predicted
            .iter()
            .map(|remedy| Some((remedy.changes.clone(), remedy.price_of_gain(case)?)))
            .collect();
        let prices = prices.unwrap_or_default();
        let price = |remedy: &Remedy| {
            prices.iter().find(|(changes, _)| *changes == remedy.changes).map_or(0.0, |(_, price)| *price)
        };
        predicted.sort_by(|one, other| {
            effect(one).cmp(&effect(other)).then_with(|| price(one).total_cmp(&price(other)))
        });
        Ok(predicted)
    }
}

/// Effect of one change, or of all at once, on the goal.
fn wish_of(
    case: &Case<'_>,
    findings: &[Finding],
    predicted: &mut Predicted,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<Wish>, PredictError> {
    let Some(want) = case.want else { return Ok(None) };
    let meets =
        |remedy: &Remedy| remedy.outcome.as_ref().is_some_and(|outcome| outcome.meets_want == Some(true));
    let mut met_by: Vec<String> = Vec::new();
    for remedy in findings.iter().flat_map(|finding| &finding.remedies).filter(|remedy| meets(remedy)) {
        if !met_by.contains(&remedy.says()) {
            met_by.push(remedy.says());
        }
    }
    if !met_by.is_empty() {
        return Ok(Some(Wish { want, met_by, otherwise: None }));
    }
    let together = predicted.all(case, change::all_at_once(case), watch)?;
    let best = together.iter().find(|remedy| meets(remedy));
    let best = best.or_else(|| {
        together.iter().max_by(|one, other| nearness(want, one).total_cmp(&nearness(want, other)))
    });
    Ok(Some(Wish { want, met_by, otherwise: best.cloned() }))
}

/// Nearness of a change to a goal that it misses, more is nearer: IOPS, or less latency where only latency is wished for.
fn nearness(want: Want, remedy: &Remedy) -> f64 {
    let Some(outcome) = &remedy.outcome else { return f64::NEG_INFINITY };
    match want.latency_us.stated() {
        Some((_, of)) if want.iops.is_none() && want.throughput_bytes_per_s.is_none() => {
            -of(outcome.latency_us).unwrap_or(f64::INFINITY)
        }
        _ => outcome.iops,
    }
}

/// Reason why a limit with room is not the one.
fn because(case: &Case<'_>, usage: &Usage) -> String {
    let of_group = |group: &str| usage.group.starts_with(group);
    // What passes is a range because of a host cache, or because only one direction passes and the mix is unknown.
    let passes = match has_cache(case.resolved) {
        true => "cache hits do not pass it",
        false => "not every I/O passes it, and the mix is unknown (read=)",
    };
    if !case.is_certain(usage) && usage.used < usage.used_high {
        return passes.into();
    }
    match usage.dimension {
        _ if case.has_credits(usage) => "of the burst limit, which credits allow".into(),
        _ if case.share(usage) > 1.0 => format!("it would be exceeded, but {passes}"),
        _ if of_group("disk") && usage.count > 1 => "would grow with the disks".into(),
        Dimension::Ios if case.level_of(&usage.group, Dimension::Bytes) >= Level::Nearly => {
            "larger blocks reach the throughput first".into()
        }
        Dimension::Bytes if case.level_of(&usage.group, Dimension::Ios) >= Level::Nearly => {
            "smaller blocks reach the IOPS first".into()
        }
        _ => "has room".into(),
    }
}

/// Adds to the first finding what is left once credits are spent, if the observed rate rests on credits and the finding does not
/// say so itself.
fn say_sustained(case: &Case<'_>, findings: &mut [Finding]) {
    let (Some(usage), Some(first)) = (case.lifted(), findings.first_mut()) else { return };
    if first.rule != "burst-measured" && first.limit.as_ref() != Some(&usage.name()) {
        let sustained = figure(usage.published, usage.dimension);
        first.claim.push_str(&format!("; without burst credits {} sustains {sustained}", usage.name()));
    }
}

/// Explains a case. `watch` sees every interval of the simulations that predict the remedies, and may end them.
///
/// # Errors
/// Returns [`PredictError::Interrupted`] if `watch` ends a simulation.
pub fn explain(
    case: &Case<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Explanation, PredictError> {
    let mut findings = findings(case);
    let mut predicted = Predicted::default();
    let mut done: Vec<&'static str> = Vec::new();
    loop {
        let mut is_refuted = false;
        for finding in findings.iter_mut().take(PREDICTED) {
            if done.contains(&finding.rule) {
                continue;
            }
            done.push(finding.rule);
            let remedies = std::mem::take(&mut finding.remedies);
            let offered: Vec<Vec<Change>> = remedies.iter().map(|remedy| remedy.changes.clone()).collect();
            finding.remedies = predicted.all(case, remedies, watch)?;
            finding.evidence.extend(offered.iter().filter_map(|changes| predicted.in_vain(changes)));
            is_refuted |= lower_refuted(finding);
            expect_of_queue(case, finding, watch)?;
        }
        if !is_refuted {
            break;
        }
        best_first(&mut findings);
    }
    drop_dominated(&mut findings);
    say_sustained(case, &mut findings);
    let wish = wish_of(case, &findings, &mut predicted, watch)?;
    let below = case.usages.iter().filter(|usage| case.level(usage) == Level::Below);
    let ruled_out = below
        .map(|usage| RuledOut {
            limit: usage.name(),
            used: case.share_in_force(usage),
            because: because(case, usage),
        })
        .collect();
    let mut said = assumed(case);
    said.extend(case.taken_for.map(|op| {
        let word = if op == Op::Read { "reads" } else { "writes" };
        format!("assumed that all I/Os are {word}, which reach their limits first: limits differ by direction, and the mix is unknown (set read=70%)")
    }));
    said.extend(case.with_os.then(|| {
        "assumed that the operating system's disk did part of the I/O: the data disks' limits are lower than the measured rate (os: iops=100 sets its part)".to_string()
    }));
    let latency = case.observed.total.latency_us;
    if latency.typical().is_none()
        && let Some((name, of)) = latency.stated()
        && let Some(us) = of(latency)
    {
        said.push(format!(
            "{name} {:.1} ms is compared with stalls of flushes only, because limits and media are means (latency= gives the mean)",
            us / 1e3
        ));
    }
    said.extend(case.resolved.left_out.iter().map(|limit| {
        format!("left out {limit}: no source gives this limit, and it may be the one that binds")
    }));
    said.extend(case.observed.derived.iter().cloned());
    let decides = match findings.first() {
        Some(first) if first.confidence == Confidence::Possible => measure_next(case),
        _ => None,
    };
    let tell_apart = match findings.as_slice() {
        _ if decides.is_some() => decides,
        [first, second, ..]
            if first.confidence == second.confidence || first.confidence < Confidence::Strong =>
        {
            tell_apart(first.rule, second.rule)
        }
        _ => None,
    };
    Ok(Explanation { findings, tell_apart, ruled_out, wish, assumed: said })
}
