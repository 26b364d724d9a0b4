//! The page of a plan.

use iobound_documents::{
    AtRateGoal, Contract, PlanCandidate, PlanConfiguration, PlanDocument, PlanIdea, PlanVolume, Quantity,
    RankedBy,
};

use super::super::chart::{Axis, Chart, Stroke};
use super::super::limiters::binding_words;
use super::super::markup::Markup;
use super::super::page::HtmlPage;
use super::super::picture::{Bar, Row, put_rows};
use super::super::table::TableOf;
use super::super::unit::{Cell, Unit};
use super::cluster;
use crate::plan::count_of;

const SCHEMA: &str = PlanDocument::ID;

pub(in super::super) fn plan(document: &PlanDocument) -> HtmlPage {
    let need = &document.need.data;
    let hosts = document.cluster.as_ref().map(|cluster| cluster.hosts as f64);
    let title = format!(
        "What to buy for {} IOPS of {}{}",
        Unit::Count.shown(need.iops as f64),
        Unit::Bytes.shown(f64::from(need.block_bytes)),
        hosts.map_or(String::new(), |hosts| format!(" on {} hosts", Unit::Count.shown(hosts)))
    );
    let places: Vec<&str> = document.places.iter().map(|place| place.region.as_str()).collect();
    let ranked = match document.ranked_by {
        RankedBy::Price => "list prices of",
        RankedBy::Size => "ranked by size, without prices,",
    };
    let subtitle = format!("{}; {ranked} {}; {}", need_words(document), places.join(", "), document.terms);
    let mut page = HtmlPage::new(SCHEMA, &title, &subtitle);
    let candidates = &document.candidates;
    page.conclude(&conclusion(candidates, document), &prices(document));
    page.section("first", &format!("The {}", best(document)), |page| first(page, candidates, document));
    if let Some(of) = &document.cluster {
        page.section("hosts", "Number of hosts", |page| cluster::planned(page, of));
    }
    page.section("price", "Price against IOPS", |page| {
        page.chart(frontier(document), "A frontier needs more than one price.");
    });
    page.section("candidates", "Candidates", |page| {
        put_candidates(page, candidates);
    });
    page.section("refused", "Cheaper configurations that fail", |page| refused(page, document));
    page.section("regret", "Overpayment in a range", |page| regret(page, document));
    page.section("build", "Build commands", |page| build(page, document));
    page.section("assumed", "Assumptions", |page| {
        for items in [&document.assumed, &document.notes] {
            page.list(&items.iter().map(String::as_str).collect::<Vec<&str>>());
        }
    });
    page
}

/// `70 % reads, 4 TiB; log 2,000 IOPS of 32 KiB, 0 % reads, 256 GiB; p99 at most 10.0 ms`: what the title leaves out.
fn need_words(document: &PlanDocument) -> String {
    let need = &document.need;
    let volume = |of: &PlanVolume| {
        format!(
            "{} reads, {}",
            Unit::Share.shown(of.read.value()),
            Unit::Bytes.shown(of.capacity_bytes as f64)
        )
    };
    let mut words = vec![volume(&need.data)];
    for (name, of) in [("log", &need.log), ("temporary", &need.temp)] {
        words.extend(of.as_ref().map(|of| {
            let (iops, block) =
                (Unit::Count.shown(of.iops as f64), Unit::Bytes.shown(f64::from(of.block_bytes)));
            format!("{name} {iops} IOPS of {block}, {}", volume(of))
        }));
    }
    words.extend(
        need.latency
            .as_ref()
            .map(|goal| format!("{} at most {}", goal.statistic, Unit::Us.shown(goal.most_us.value()))),
    );
    words.join("; ")
}

/// `cheapest`, or `smallest` without prices; where local disks cost less, what sets the others apart.
fn best(document: &PlanDocument) -> &'static str {
    let month = |of: &PlanCandidate| of.price.as_ref().map(|price| price.month.value());
    let first = document.candidates.first().and_then(month);
    let is_less = |of: &PlanCandidate| month(of).zip(first).is_some_and(|(of, first)| of < first);
    let mut others = document.candidates.iter().enumerate();
    match document.ranked_by {
        RankedBy::Size => "smallest",
        RankedBy::Price if others.any(|(place, of)| is_on_local_disks(document, place) && is_less(of)) => {
            "cheapest that keeps its data when the VM is stopped"
        }
        RankedBy::Price => "cheapest",
    }
}

/// `D16as_v7: 11 x ...`, `8 x D16as_v7: 11 x ...`: what is bought.
fn bought(of: &PlanCandidate) -> String {
    let vm = &of.configuration.vm;
    let vm = vm.strip_prefix("Standard_").unwrap_or(vm);
    let hosts = of.cluster.as_ref().map(|cluster| Unit::Count.shown(cluster.hosts as f64));
    let hosts = hosts.map_or(String::new(), |hosts| format!("{hosts} x "));
    format!("{hosts}{vm} with {}", disks_words(&of.configuration))
}

/// `8 x premiumv2 128GiB 3000iops and log 2 x P20`: the disks of a configuration, from their specifications.
fn disks_words(of: &PlanConfiguration) -> String {
    let named = of.disks.len() > 1;
    let words = of.disks.iter().map(|spec| {
        let (name, disks) = spec.split_once('=').unwrap_or(("", spec));
        let disks =
            disks.strip_suffix(":none").unwrap_or(disks).replace(['@', '+'], " ").replace(':', ", cache ");
        let disks = match disks.split_once('x') {
            Some((count, kind)) if count.bytes().all(|c| c.is_ascii_digit()) => format!("{count} x {kind}"),
            _ => disks,
        };
        if named && !name.is_empty() { format!("{name} {disks}") } else { disks }
    });
    words.collect::<Vec<String>>().join(" and ")
}

/// The answer in a sentence.
fn conclusion(candidates: &[PlanCandidate], document: &PlanDocument) -> String {
    let Some(of) = candidates.first() else {
        if document.interrupted {
            return "Interrupted: no configuration had passed by then.".into();
        }
        let miss = document.miss.as_ref();
        let nearest = miss.and_then(|miss| miss.nearest.as_ref());
        let reached = match (miss.and_then(|miss| miss.reached), nearest) {
            (Some(share), nearest) => format!(
                " The nearest, {}, has {} of it.",
                nearest.map_or("", |nearest| &nearest.vm),
                Unit::Share.shown(share.value())
            ),
            (None, Some(nearest)) => format!(" The nearest is {}: {}.", nearest.vm, nearest.because),
            (None, None) => String::new(),
        };
        let answer = match nearest.map(|nearest| nearest.rule.as_str()) {
            Some("latency_unknown") => "It is unknown if a configuration meets the need.",
            _ => "No available configuration meets the need.",
        };
        return format!("{answer}{reached}");
    };
    let price = of.price.as_ref().map_or_else(
        || "at a price that is not known".to_string(),
        |price| format!("for {} USD a month", Unit::Usd.shown(price.month.value())),
    );
    let delivers = of.predicted.delivers.iops.value();
    let iops = Unit::Count.shown(delivers);
    let is_so_far = document.ideas.iter().all(|idea| idea.names == ["so_far"]);
    let partial =
        if document.interrupted && is_so_far { "Interrupted: a cheaper one may pass too. " } else { "" };
    format!(
        "{partial}The {}: {}, {price}. It delivers {iops} IOPS, bound by {}.",
        best(document),
        bought(of),
        binding_words(&of.binding)
    )
}

fn first(page: &mut HtmlPage, candidates: &[PlanCandidate], document: &PlanDocument) {
    let Some(of) = candidates.first() else { return };
    let as_of = of.price.as_ref().and_then(|price| price.as_of.as_ref());
    let as_of = as_of.map_or(String::new(), |as_of| format!("a month, prices of {as_of}"));
    let delivers = of.predicted.delivers;
    page.tiles(&[
        ("USD", "candidates[].price.month", month(of), as_of),
        (
            "IOPS",
            "candidates[].predicted.delivers.iops",
            Cell::quantity(Some(delivers.iops), Unit::Count),
            "on limits as published".into(),
        ),
        (
            "throughput",
            "candidates[].predicted.delivers.throughput_bytes_per_s",
            Cell::quantity(Some(delivers.throughput_bytes_per_s), Unit::Throughput),
            String::new(),
        ),
        (
            "p99 at the asked rate",
            "candidates[].predicted.at_rate.latency_us.p99",
            p99(of),
            goal_words(of, document),
        ),
        ("bound by", "candidates[].binding", Cell::words(&binding_words(&of.binding)), String::new()),
        (
            "1,000 IOPS more",
            "next_1000_iops_month",
            Cell::quantity(document.next_1000_iops_month, Unit::Usd),
            "USD a month".into(),
        ),
    ]);
}

/// The price of a candidate for a month.
fn month(of: &PlanCandidate) -> Cell {
    Cell::quantity(of.price.as_ref().map(|price| price.month), Unit::Usd)
}

/// Its 99th percentile at the required rate.
fn p99(of: &PlanCandidate) -> Cell {
    Cell::quantity(of.predicted.at_rate.as_ref().and_then(|at_rate| at_rate.latency_us.p99), Unit::Us)
}

fn goal(of: &PlanCandidate) -> Option<&AtRateGoal> {
    of.predicted.at_rate.as_ref()?.goal.as_ref()
}

/// `p99 up to 4.9 ms on slow disks: keeps the goal`; nothing without a goal.
fn goal_words(of: &PlanCandidate, document: &PlanDocument) -> String {
    let (Some(goal), Some(asked)) = (goal(of), &document.need.latency) else { return String::new() };
    let high = Unit::Us.shown(goal.high_us.value());
    let sure = if goal.sure { "keeps" } else { "misses" };
    format!("{} up to {high} on slow disks: {sure} the goal", asked.statistic)
}

/// The VM size of a configuration.
pub(super) fn vm_cell(of: Option<&PlanConfiguration>) -> Cell {
    of.map_or(Cell::Unknown, |of| Cell::words(&of.vm))
}

/// The disks of a configuration.
pub(super) fn disks_cell(of: Option<&PlanConfiguration>) -> Cell {
    of.map_or(Cell::Unknown, |of| Cell::words(&of.disks.join(", ")))
}

fn frontier(document: &PlanDocument) -> Chart {
    let PlanDocument { frontier: points, candidates, .. } = document;
    let table = TableOf::new(SCHEMA, "The least price at each number of IOPS", points)
        .cell("IOPS", "frontier[].iops", |point| Cell::count(Some(point.iops), Unit::Count))
        .cell("USD a month", "frontier[].month", |point| Cell::quantity(point.month, Unit::Usd))
        .cell("VM", "frontier[].configuration.vm", |point| vm_cell(point.configuration.as_ref()))
        .cell("disks", "frontier[].configuration.disks", |point| disks_cell(point.configuration.as_ref()))
        .done();
    let (x, y) = (Axis::linear("IOPS", Unit::Count), Axis::linear("USD a month", Unit::Usd));
    let mut chart = Chart::new("Price against IOPS", x, y, table);
    let mut line: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((point.iops as f64, point.month?.value()))).collect();
    line.sort_by(|one, other| one.0.total_cmp(&other.0));
    chart.line("the lowest price", 1, Stroke::Stepped, line);
    let others = candidates.iter().enumerate().filter(|(place, _)| !is_on_local_disks(document, *place));
    let mut bought: Vec<(f64, f64)> = others
        .filter_map(|(_, of)| Some((of.predicted.delivers.iops.value(), of.price.as_ref()?.month.value())))
        .collect();
    bought.sort_by(|one, other| one.0.total_cmp(&other.0));
    chart.line("candidates", 2, Stroke::Points, bought);
    chart.about = "The line is the lowest price for each number of IOPS, from a quarter of the need to four times the need. Candidates on \
                   local disks are not shown: they deliver many times the need."
        .into();
    chart
}

fn put_candidates(page: &mut HtmlPage, candidates: &[PlanCandidate]) {
    let table = TableOf::new(SCHEMA, "Candidates by idea, the cheapest first in each", candidates)
        .cell("VM", "candidates[].configuration.vm", |of| vm_cell(Some(&of.configuration)))
        .cell("disks", "candidates[].configuration.disks", |of| disks_cell(Some(&of.configuration)))
        .cell("USD a month", "candidates[].price.month", month)
        .cell("IOPS", "candidates[].predicted.delivers.iops", |of| {
            Cell::quantity(Some(of.predicted.delivers.iops), Unit::Count)
        })
        .cell("throughput", "candidates[].predicted.delivers.throughput_bytes_per_s", |of| {
            Cell::quantity(Some(of.predicted.delivers.throughput_bytes_per_s), Unit::Throughput)
        })
        .cell("bound by", "candidates[].binding", |of| Cell::words(&binding_words(&of.binding)))
        .cell("per 1,000 IOPS", "candidates[].price.per_1000_iops", |of| {
            Cell::quantity(of.price.as_ref().map(|price| price.per_1000_iops), Unit::Usd)
        })
        .cell("p99 at the rate", "candidates[].predicted.at_rate.latency_us.p99", p99)
        .cell("vCPUs", "candidates[].configuration.vcpus", |of| {
            Cell::count(of.configuration.vcpus, Unit::Count)
        })
        .cell("memory", "candidates[].configuration.memory_bytes", |of| {
            Cell::count(of.configuration.memory_bytes, Unit::Bytes)
        });
    let table = if candidates.iter().any(|of| goal(of).is_some()) {
        table
            .cell("goal on slow disks", "candidates[].predicted.at_rate.goal.high_us", |of| {
                Cell::quantity(goal(of).map(|goal| goal.high_us), Unit::Us)
            })
            .cell("sure", "candidates[].predicted.at_rate.goal.sure", |of| {
                goal(of).map_or(Cell::Unknown, |goal| Cell::words(if goal.sure { "yes" } else { "no" }))
            })
    } else {
        table
    };
    page.table(table.done());
}

/// True if the candidate at a place has its data on local disks.
fn is_on_local_disks(document: &PlanDocument, place: usize) -> bool {
    let of_idea = |idea: &&PlanIdea| idea.names.iter().any(|name| name == "with_local_disks");
    let mut ideas = document.ideas.iter().filter(of_idea);
    ideas.any(|idea| idea.candidates.contains(&(place as u64 + 1)))
}

/// The candidates' prices as bars.
fn prices(document: &PlanDocument) -> Markup {
    let mut rows = Vec::new();
    for (place, of) in document.candidates.iter().enumerate() {
        let Some(month) = of.price.as_ref().map(|price| price.month.value()) else { continue };
        let iops = Unit::Count.shown(of.predicted.delivers.iops.value());
        let lost = match is_on_local_disks(document, place) {
            true => "; local disks lose all data when the VM is stopped, moved or fails",
            false => "",
        };
        rows.push(Row {
            name: bought(of),
            says: format!("{iops} IOPS, bound by {}{lost}", binding_words(&of.binding)),
            figures: format!("{} USD a month", Unit::Usd.shown(month)),
            bars: vec![Bar { from: 0.0, to: month, class: "fill1" }],
            ..Row::default()
        });
    }
    let mut picture = Markup::new();
    put_rows(&rows, Unit::Usd, false, &mut picture);
    picture
}

fn refused(page: &mut HtmlPage, document: &PlanDocument) {
    let table = TableOf::new(SCHEMA, "Cheaper, and not taken", &document.refused)
        .cell("VM", "refused[].vm", |of| Cell::words(&of.vm))
        .cell("because", "refused[].because", |of| Cell::words(&of.because))
        .cell("USD a month", "refused[].price.month", |of| {
            Cell::quantity(of.price.as_ref().map(|price| price.month), Unit::Usd)
        })
        .cell("disks", "refused[].configuration.disks", |of| disks_cell(of.configuration.as_ref()))
        .done();
    if table.is_empty() {
        page.absent("Nothing is cheaper.");
    }
    page.table(table);
    let counts = TableOf::new(SCHEMA, "Rejected sizes, by reason", &document.refused_counts)
        .cell("reason", "refused_counts[].rule", |of| Cell::words(&count_of(&of.rule)))
        .cell("sizes", "refused_counts[].sizes", |of| Cell::count(Some(of.sizes), Unit::Count))
        .done();
    page.table(counts);
}

fn regret(page: &mut HtmlPage, document: &PlanDocument) {
    let table = TableOf::new(
        SCHEMA,
        "Of a range, what each build costs more than the best at each point",
        &document.regret,
    )
    .cell("VM", "regret[].configuration.vm", |of| vm_cell(Some(&of.configuration)))
    .cell("disks", "regret[].configuration.disks", |of| disks_cell(Some(&of.configuration)))
    .cell("IOPS", "regret[].iops", |of| Cell::count(Some(of.iops), Unit::Count))
    .cell("USD a month", "regret[].month", |of| Cell::quantity(of.month, Unit::Usd))
    .cell("at worst", "regret[].worst_month", |of| Cell::quantity(Some(of.worst_month), Unit::Usd))
    .cell("on average", "regret[].mean_month", |of| Cell::quantity(Some(of.mean_month), Unit::Usd))
    .done();
    page.table(table);
}

fn build(page: &mut HtmlPage, document: &PlanDocument) {
    for of in &document.build {
        page.put(|out| {
            out.line("h3", &[], &of.tool);
            out.element("pre", &[("tabindex", "0")], |out| out.line("code", &[], &of.commands));
        });
    }
}
