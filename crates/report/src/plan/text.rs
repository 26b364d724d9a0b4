//! The answer of `plan` on one screen.

use iobound_plan::{
    Build, Candidate, Design, GoalBand, Idea, LatencyTarget, Miss, Need, Rank, Shown, Statistic, VolumeNeed,
};
use iobound_predict::Binding;
use iobound_units::{Bytes, Percent, format_throughput};

use super::Planned;
use super::trace::put_trace;
use super::words::{because, checked, count_of, disks, idea_text, nearest, vm_name};
use crate::limit::{binding_words, grouped};
use crate::number::{count_text, money_text, percent_text, rounded, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// No more refused configurations are named, two of each reason.
const NAMED: usize = 6;

fn dollars(price: u64) -> String {
    let usd = price as f64 / 1e9;
    // Cents say nothing about a VM's month.
    if usd >= 100.0 { count_text(usd) } else { money_text(usd) }
}

/// A price, or a word if it is unknown.
fn price_text(month: Option<u64>) -> String {
    month.map_or("unknown".into(), dollars)
}

/// The vCPUs of a size, whether they can be used or not.
fn vcpus_text(planned: &Planned<'_>, name: &str) -> String {
    let vm = planned.market.vms.iter().find(|vm| vm.name == name);
    vm.and_then(|vm| vm.whole).map_or("-".into(), |count| planned.of_all(count).to_string())
}

/// The answer as text.
pub fn plan_text(planned: &Planned<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    if let Some((number, candidate)) = planned.chosen() {
        // Text to copy, without wrapping.
        page.line(&format!("# candidate {number}: {}", chosen_text(planned, candidate)));
        for part in planned.parts() {
            page.gap();
            page.line(&format!("# {}", part.name));
            part.text.lines().for_each(|line| page.line(line));
        }
        return page.text();
    }
    page.paragraph(&need_text(&planned.plan.need));
    if let Some(hosts) = planned.cluster() {
        page.paragraph(&split_text(planned, hosts));
    }
    let places: Vec<String> = planned.places.iter().map(|(place, _)| place.clone()).collect();
    let dates: Vec<&str> = planned.places.iter().filter_map(|(_, date)| date.as_deref()).collect();
    let dated =
        dates.iter().min().map_or("of no known date".to_string(), |date| format!("of {date} and later"));
    let ranked = match planned.market.rank {
        Rank::Price => format!("USD a month, list prices {dated}"),
        Rank::Size => "ranked by size, without prices".to_string(),
    };
    page.paragraph(&format!("{}   {}   {ranked}", planned.terms, places.join(", ")));
    let (has_none, is_search_cut) = (planned.plan.candidates.is_empty(), planned.plan.is_search_cut);
    let stopped = match (planned.plan.interrupted, is_search_cut) {
        (false, _) => None,
        (true, false) => Some("interrupted after the search: prices of other rates or replays are missing"),
        (true, true) if has_none => Some("interrupted: no candidate had passed by then"),
        (true, true) => Some("interrupted: these candidates had passed by then; a cheaper one may pass too"),
    };
    if let Some(stopped) = stopped {
        page.labelled("stopped", stopped);
    }
    if !has_none {
        ideas(planned, &mut page);
    } else if !is_search_cut {
        page.gap();
        missed(planned, &mut page);
    }
    refused(planned, &mut page);
    if let Some(trace) = planned.trace {
        put_trace(trace, planned.plan, &mut page);
    }
    page.gap();
    beyond(planned, &mut page);
    page.list("assumed", planned.assumed);
    page.list("notes", planned.notes);
    page.text()
}

fn volume_text(need: &VolumeNeed) -> String {
    let moved = need.iops.get() as f64 * f64::from(need.shape.block);
    let throughput = if need.throughput.get() as f64 > moved {
        format!(" and {} in larger ones", format_throughput(need.throughput.get() as f64))
    } else {
        String::new()
    };
    format!(
        "{} IOPS of {} = {}{throughput}, {} reads, {}",
        count_text(need.iops.get() as f64),
        Bytes(u64::from(need.shape.block)),
        format_throughput(moved),
        need.shape.read,
        need.capacity
    )
}

/// `on 8 hosts, each 6,250 IOPS of 8 KiB = ...`.
fn split_text(planned: &Planned<'_>, hosts: u64) -> String {
    let each = Need { latency: None, headroom: Percent::ZERO, ..planned.plan.each };
    let all = if hosts == 1 { "on 1 host".into() } else { format!("on {} equal hosts", grouped(hosts)) };
    let mut text = format!("{all}, each {}", need_text(&each));
    if planned.slow_host < Percent::HUNDRED {
        text.push_str(&format!(
            "; enough for a scan that waits for a host with {} of its limits",
            planned.slow_host
        ));
    }
    text
}

/// `8 x F16as_v6` of several hosts.
fn hosts_of(planned: &Planned<'_>, name: &str) -> String {
    let name = vm_name(name);
    planned.cluster().map_or(name.to_string(), |hosts| format!("{} x {name}", grouped(hosts)))
}

fn need_text(need: &Need) -> String {
    let mut text = volume_text(&need.data);
    if let Some(log) = &need.log {
        text.push_str(&format!("; log {}", volume_text(log)));
    }
    if let Some(temp) = &need.temp {
        text.push_str(&format!("; temporary {}", volume_text(temp)));
    }
    if let Some(target) = need.latency {
        text.push_str(&format!("; {} at most {}", target.of.name(), time_text(target.most.us_f64())));
    }
    if need.headroom.ppm() > 0 {
        text.push_str(&format!("; {} of every limit left free", need.headroom));
    }
    text
}

fn binding_text(candidate: &Candidate) -> String {
    binding_words(&candidate.binding.first().unwrap_or(&Binding::Unknown).to_string())
}

/// The ideas one below the other, each with the VM sizes that carry it.
fn ideas(planned: &Planned<'_>, page: &mut Page) {
    let timed = planned.plan.candidates.iter().any(|candidate| p99(candidate).is_some());
    let by_price = planned.market.rank == Rank::Price;
    let mut rows: Vec<[String; CELLS]> =
        planned.plan.candidates.iter().map(|of| candidate_row(planned, of)).collect();
    for column in 0..CELLS {
        // The ideas are tables of their own, with columns of one width.
        let width = rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        rows.iter_mut().for_each(|row| {
            row[column] = match column {
                VM | BOUND_BY => format!("{:<width$}", row[column]),
                _ => format!("{:>width$}", row[column]),
            };
        });
    }
    let goal =
        planned.plan.need.latency.filter(|_| planned.plan.candidates.iter().any(|of| of.goal.is_some()));
    let has_more = planned.plan.need.log.is_some() || planned.plan.need.temp.is_some();
    let columns = |sized: bool| {
        let mut columns = vec![Column::figures(if by_price { "price" } else { "vCPU" }), Column::words("VM")];
        columns.extend((sized && by_price).then(|| Column::figures("vCPU")));
        columns.extend(sized.then(|| Column::figures("memory")));
        columns.push(Column::figures(if has_more { "data IOPS" } else { "IOPS" }));
        columns.extend(timed.then(|| Column::figures("p99")));
        columns.extend(goal.map(|goal| Column::figures(&up_to(&goal))));
        columns.extend(by_price.then(|| Column::figures("USD/1,000 IOPS")));
        columns.push(Column::words("bound by"));
        columns
    };
    let table_of = |idea: &Idea, sized: bool| {
        let mut table = Table::new(columns(sized));
        for candidate in &idea.candidates {
            let [first, vm, vcpus, memory, iops, p99, high, per_thousand, bound_by] =
                rows[*candidate].clone();
            let mut row = vec![format!("{} {first}", candidate + 1), vm];
            row.extend((sized && by_price).then_some(vcpus));
            row.extend(sized.then_some(memory));
            row.push(iops);
            row.extend(timed.then_some(p99));
            row.extend(goal.map(|_| high));
            row.extend(by_price.then_some(per_thousand));
            row.push(bound_by);
            table.row(row);
        }
        table
    };
    // The VM's own figures where there is room for them.
    let fits = |idea: &Idea| table_of(idea, true).fits(page.width());
    let sized = page.is_wide() || planned.plan.ideas.iter().all(fits);
    let mut left = 0;
    for (place, idea) in planned.plan.ideas.iter().enumerate() {
        let Some(first) = idea.candidates.first().map(|first| &planned.plan.candidates[*first]) else {
            continue;
        };
        let table = table_of(idea, sized);
        page.gap();
        let rank = planned.market.rank;
        page.labelled("idea", &format!("{}: {}", idea_text(idea, rank), disks(planned.market, &first.build)));
        for line in table.lines(page.width()).iter().skip(usize::from(place > 0)) {
            page.line(line);
        }
        left = left.max(table.left_out(page.width()));
    }
    page.left_out(left);
    page.gap();
    if timed {
        let of = volumes_text(&planned.plan.need);
        page.labelled("p99", &format!("at the requested rate{of}, reads and writes together; as the model expects: slower disks take longer"));
    }
    if let Some(goal) = goal {
        page.labelled("goal", &goal_text(planned, &goal));
    }
    if let Some(first) = planned.plan.candidates.first() {
        about_first(planned, first, page);
    }
}

/// Cells of a candidate; the two of words among them.
const CELLS: usize = 9;
const VM: usize = 1;
const BOUND_BY: usize = 8;

/// Price, VM size, its vCPUs and memory, IOPS, p99, the upper end of the goal's band, the price of a thousand IOPS, and what binds.
fn candidate_row(planned: &Planned<'_>, candidate: &Candidate) -> [String; CELLS] {
    let vm = &planned.market.vms[candidate.build.vm];
    let first = match planned.market.rank {
        Rank::Price => price_text(planned.month(&candidate.build)),
        Rank::Size => vcpus_text(planned, &vm.name),
    };
    // So many hosts have so many times as many IOPS for so many times the price.
    let month = planned.market.price(&candidate.build);
    let each = month.map(|month| rounded(candidate.per_thousand_iops(month), 1).to_string());
    let of_host = |figure: Option<String>| figure.unwrap_or("-".into());
    [
        format!("{first:>7}"),
        hosts_of(planned, &vm.name),
        of_host(vm.vcpus.map(|count| count.to_string())),
        of_host(vm.memory.map(|memory| Bytes(memory).to_string())),
        count_text(candidate.delivers.iops * planned.plan.hosts as f64),
        p99(candidate).map_or("-".into(), time_text),
        candidate.goal.map_or("-".into(), |goal| time_text(goal.high)),
        each.unwrap_or("-".into()),
        binding_text(candidate),
    ]
}

/// `p99 up to`: the heading of the upper end of the goal's band.
fn up_to(goal: &LatencyTarget) -> String {
    match goal.of {
        Statistic::P99 => "up to".into(),
        of => format!("{} up to", of.name()),
    }
}

/// Meaning of the upper ends, and the candidates of which they miss the goal.
fn goal_text(planned: &Planned<'_>, goal: &LatencyTarget) -> String {
    let heading = up_to(goal);
    let meaning = format!(
        "\"{heading}\" is the upper end of the band of {} as predict has it: on the slowest disks and limits that were measured",
        goal.of.name()
    );
    let places = planned.plan.candidates.iter().enumerate();
    let bands = places.filter_map(|(place, of)| Some((place + 1, of.goal?)));
    let unsure: Vec<(usize, GoalBand)> = bands.filter(|(_, band)| !band.is_sure(goal)).collect();
    let Some((_, first)) = unsure.first() else {
        return format!("{meaning}; every candidate keeps the goal there too");
    };
    let numbers: Vec<String> = unsure.iter().map(|(number, _)| number.to_string()).collect();
    // The band of another candidate is about as wide.
    let lower = rounded_down(goal.most.us_f64() * first.expected / first.high);
    let option = format!("--latency {}:{lower}", goal.of.name());
    format!(
        "{meaning}. Candidates that miss the goal there: {}. To keep it there too, ask for less, such as {option}",
        numbers.join(", ")
    )
}

/// A time with two digits, as options take it: `7.2ms`, `450us`.
fn rounded_down(us: f64) -> String {
    let step = [1e5, 1e4, 1e3, 1e2, 1e1].into_iter().find(|step| us >= step * 10.0).unwrap_or(1.0);
    let us = ((us / step).floor() * step).max(1.0);
    if us >= 1e3 { format!("{}ms", us / 1e3) } else { format!("{us}us") }
}

/// ` of data and log`: the volumes that a figure adds up; nothing of data alone.
fn volumes_text(need: &Need) -> String {
    let more = [(" and log", need.log.is_some()), (" and temporary data", need.temp.is_some())];
    let more: String = more.into_iter().filter(|(_, there)| *there).map(|(words, _)| words).collect();
    if more.is_empty() { String::new() } else { format!(" of data{more}") }
}

/// `E8bs_v5:SCSI with 8 x premiumv2 512 GiB, 1,201 USD a month`: what is built.
fn chosen_text(planned: &Planned<'_>, candidate: &Candidate) -> String {
    let vm = &planned.market.vms[candidate.build.vm].name;
    let price = match planned.month(&candidate.build) {
        Some(month) => format!("{} USD a month", dollars(month)),
        None => "price not known".into(),
    };
    format!("{} with {}, {price}", hosts_of(planned, vm), disks(planned.market, &candidate.build))
}

fn p99(candidate: &Candidate) -> Option<f64> {
    candidate.simulated.as_ref()?.latency.as_ref()?.p99
}

fn about_first(planned: &Planned<'_>, first: &Candidate, page: &mut Page) {
    let month = planned.market.price(&first.build);
    let hosts = planned.plan.hosts as f64;
    let mut figures = Vec::new();
    if let (Some(_), Some(month)) = (planned.cluster(), month) {
        figures.push(format!("{} USD a host", price_text(Some(month))));
    }
    figures.extend(month.map(|month| format!("{} USD per MB/s", rounded(first.per_megabyte(month), 2))));
    let of = volumes_text(&planned.plan.need);
    figures.push(format!(
        "ceiling{of} {} IOPS as enforced",
        count_text(first.ceiling.iops.unwrap_or(0.0) * hosts)
    ));
    if let Some(at_rate) = &first.simulated {
        figures.push(format!(
            "simulated{of}: {} of the requested {} IOPS",
            count_text(at_rate.iops * hosts),
            count_text(planned.plan.need.iops() as f64)
        ));
    }
    page.figures(if planned.market.rank == Rank::Price { "cheapest" } else { "smallest" }, &figures);
    if let Some(words) = next_limit(planned, first) {
        page.labelled("growth", &words);
    }
    let [ios, bytes] = first.unreachable.map(|of_one| planned.of_all(of_one));
    let mut paid = Vec::new();
    if ios > 0 {
        paid.push(format!("{} IOPS", count_text(ios as f64)));
    }
    if bytes > 0 {
        paid.push(format_throughput(bytes as f64));
    }
    if !paid.is_empty() {
        page.labelled("unused", &format!("{} of its disks lie above the VM's limit", paid.join(" and ")));
    }
    let others = planned.plan.candidates.iter().skip(1);
    let second = others.filter(|of| of.build.bought().is_some()).map(|of| of.build.price).min();
    if let (Some(second), Rank::Price) = (second, planned.market.rank) {
        let more = planned.of_all(second.saturating_sub(first.build.price));
        page.labelled("runner-up", &format!("costs {} USD more a month", dollars(more)));
    }
}

/// `VM uncached IOPS binds first if the load grows: at 62,016 IOPS, 24 % above the requested rate`.
fn next_limit(planned: &Planned<'_>, first: &Candidate) -> Option<String> {
    if !matches!(first.binding.first(), Some(Binding::Limit(..))) {
        return None;
    }
    let need = &planned.plan.need;
    let share = first.ceiling.shares.iter().find(|share| share.job == 0)?;
    let most = share.iops? * planned.plan.hosts as f64;
    let above = (most / need.data.iops.get() as f64 - 1.0).max(0.0);
    let of = if need.log.is_some() || need.temp.is_some() { " of data" } else { "" };
    Some(format!(
        "{} binds first if the load grows: at {} IOPS{of}, {} above the requested rate",
        binding_text(first),
        count_text(most),
        percent_text(above)
    ))
}

fn shown_text(planned: &Planned<'_>, shown: &Shown) -> String {
    match &shown.build {
        Some(build) => format!("{} + {}", hosts_of(planned, &shown.vm), disks(planned.market, build)),
        None => hosts_of(planned, &shown.vm),
    }
}

fn refused(planned: &Planned<'_>, page: &mut Page) {
    let plan = planned.plan;
    let by_price = planned.market.rank == Rank::Price;
    let [first, second] = if by_price { ["price", "refused, cheaper"] } else { ["vCPU", "refused, smaller"] };
    let mut table = Table::new(vec![Column::figures(first), Column::words(second), Column::words("because")]);
    let mut seen: Vec<&'static str> = Vec::new();
    let mut rows = 0;
    if !plan.candidates.is_empty() {
        for shown in &plan.refused {
            let name = shown.because.name();
            let before = seen.iter().filter(|other| **other == name).count();
            if before >= 2 || rows == NAMED {
                continue;
            }
            seen.push(name);
            rows += 1;
            let month = shown.build.and_then(|build| planned.month(&build));
            let first = if by_price { price_text(month) } else { vcpus_text(planned, &shown.vm) };
            table.row(vec![
                first,
                shown_text(planned, shown),
                because(&shown.because, planned.trace.is_some()),
            ]);
        }
    }
    if rows > 0 {
        page.gap();
        table.put(page);
    }
    page.gap();
    let left: Vec<String> =
        plan.counts.iter().map(|(name, count)| format!("{count} {}", count_of(name))).collect();
    let taken = plan.sizes - plan.counts.values().sum::<u64>();
    let missed = match (plan.is_unknown(), plan.is_cut_short || plan.is_search_cut) {
        (true, _) => "is known to meet the goal",
        (false, true) => "was found to meet the goal",
        (false, false) => "meets the goal",
    };
    let checked = checked(plan.sizes, taken, plan.candidates.is_empty().then_some(missed));
    page.figures("sizes", &[&[checked][..], &left].concat());
}

fn beyond(planned: &Planned<'_>, page: &mut Page) {
    let plan = planned.plan;
    let by_hosts: Vec<String> = plan
        .by_hosts
        .iter()
        .map(|on| {
            let Some(build) = on.build else { return format!("{}: nothing", on.hosts) };
            let vm = &planned.market.vms[build.vm];
            let of_all = |of_one: u64| of_one.saturating_mul(on.hosts);
            match (planned.market.rank, vm.whole) {
                (Rank::Size, Some(vcpus)) => format!("{}: {} vCPU", on.hosts, of_all(vcpus)),
                _ => format!("{}: {}", on.hosts, price_text(planned.market.price(&build).map(of_all))),
            }
        })
        .collect();
    page.figures("hosts", &by_hosts);
    if let Some(next) = plan.next_thousand {
        page.labelled("next", &format!("1,000 IOPS more cost {} USD a month", dollars(next)));
    }
    let frontier: Vec<String> = plan
        .frontier
        .iter()
        .map(|point| {
            let none = if plan.is_unknown() { "unknown" } else { "nothing" };
            let price = point.build.map_or(none.into(), |build| dollars(planned.of_all(build.price)));
            format!("{}: {price}", count_text(point.iops as f64))
        })
        .collect();
    if !frontier.is_empty() {
        page.figures("frontier", &[&["USD a month by data IOPS".to_string()][..], &frontier].concat());
    }
    page.list("range", &range_text(planned, page.is_wide()));
}

/// Overpayment for each point of a range. Builds that are sufficient for the whole range have a line each; the others
/// share one unless the page is wide.
fn range_text(planned: &Planned<'_>, is_wide: bool) -> Vec<String> {
    let month = |design: &Design| planned.of_all(design.build.price);
    let bought = |design: &Design| {
        format!("{} IOPS at {} USD a month", count_text(design.iops as f64), dollars(month(design)))
    };
    let (too_small, enough): (Vec<&Design>, Vec<&Design>) =
        planned.plan.regret.iter().partition(|design| design.worst >= month(design));
    let mut lines: Vec<String> = enough
        .iter()
        .map(|design| {
            format!(
                "If you buy for {}, you overpay by at most {} USD a month, and by {} USD on average over the range.",
                bought(design),
                dollars(design.worst),
                dollars(design.mean)
            )
        })
        .collect();
    let of_mean = |design: &&&Design| design.mean;
    match (too_small.iter().min_by_key(of_mean), too_small.iter().max_by_key(of_mean)) {
        (Some(least), Some(most)) if !is_wide && too_small.len() > 1 => lines.push(format!(
            "If you buy for less and need more, you pay twice: on average over the range that costs {} USD a month (bought for {}) to {} USD (bought for {}).",
            dollars(least.mean),
            bought(least),
            dollars(most.mean),
            bought(most)
        )),
        _ => lines.extend(too_small.iter().map(|design| {
            format!(
                "If you buy for {} and need more, all of it may be lost; on average over the range you lose {} USD a month.",
                bought(design),
                dollars(design.mean)
            )
        })),
    }
    lines
}

fn missed(planned: &Planned<'_>, page: &mut Page) {
    match (planned.plan.is_unknown(), planned.plan.is_cut_short) {
        (true, _) => {
            page.stressed("unknown", "if bought disks meet the goal: their latency is assumed");
        }
        (false, true) => page.stressed("nothing", "that was simulated meets the need; others may"),
        (false, false) => page.stressed("nothing", "meets the need under these conditions"),
    }
    let Some(Miss { nearest, reached, several }) = &planned.plan.miss else {
        if let Some(shown) = nearest(planned.plan) {
            let text = format!(
                "{}: {}",
                shown_text(planned, shown),
                because(&shown.because, planned.trace.is_some())
            );
            page.labelled("nearest", &text);
        }
        return;
    };
    if let Some(shown) = nearest {
        let share = percent_text(*reached as f64 / 1e6);
        let text = format!(
            "{}: {share} of it, {}",
            shown_text(planned, shown),
            because(&shown.because, planned.trace.is_some())
        );
        page.labelled("nearest", &text);
    }
    if let Some((count, build)) = several {
        page.labelled("several", &several_text(planned, *count, build));
    }
}

fn several_text(planned: &Planned<'_>, count: u64, build: &Build) -> String {
    let vm = vm_name(&planned.market.vms[build.vm].name);
    let cost = match planned.market.price(build) {
        Some(month) => format!("for {} USD a month", dollars(month.saturating_mul(count))),
        None => "at an unknown price".into(),
    };
    format!("{count} x {vm} with {} each share it {cost}", disks(planned.market, build))
}
