//! Planning of purchases.

use iobound_catalog::{
    Assumption, Catalog, Operations, Os, PerformanceSetting, PropertyKind, Redundancy, VolumeRequest,
    parse_spec,
};
use iobound_documents::PlanTrace;
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_plan::{
    Asked, Billing, Bought, Build, Judge, Law, MOST_SIMULATED, Market, Need, Plan, Rank, Split, Stock,
    Volume, next_cheaper, plan_judged,
};
use iobound_report::{Planned, Setting};
use iobound_units::{Counted, Percent, parse_count};

use crate::hosts::split_of;
use crate::need::{AskedNeed, LOCAL_DISKS_LOSE_DATA, need_of};
use crate::options::{
    NeedOptions, Options, PageOptions, ShapeOptions, SplitOptions, TermsOptions, WorkloadOptions, options,
};
use crate::page::PageChoice;
use crate::plan_trace::{TraceJudge, TraceNeed};
use crate::replay::ReplayOptions;
use crate::settings::{Settings, catalog_of};
use crate::terms::{Accepted, accepted};
use crate::workload::workload_of;
use crate::{Common, Env, Exit, Failure};

options! {
    /// Options about the answer of a plan.
    pub struct CandidateOptions in "Answer" {
        /// Number of candidates to show [default: 10]
        candidates: Option<String> = Form::One, "N";
        /// Show the commands that build and test candidate N: az, aws, Terraform; mdadm, LVM and fio, or with --os windows Storage Spaces and DiskSpd
        build: Option<String> = Form::One, "N";
    }
}

options! {
    /// Catalogue of a plan.
    pub struct CatalogOptions in "Terms" {
        /// Your own catalogue file (TOML or CSV); its figures override the shipped ones
        catalog: Option<String> = Form::One, "FILE";
    }
}

options! {
    /// Asks for the cheapest VM and disks that meet a need.
    pub struct PlanRequest {
    }
    need: NeedOptions;
    split: SplitOptions;
    terms: TermsOptions;
    shown: CandidateOptions;
    catalog: CatalogOptions;
    shape: ShapeOptions;
    page: PageOptions;
}

/// The most candidates that are simulated.
const SIMULATED: usize = 10;
const CANDIDATES: &str = "10";

/// A request that has been read: everything in it has a meaning, and the search is still to be made.
pub struct PreparedPlan {
    catalog: Catalog,
    accepted: Accepted,
    candidates: usize,
    build: Option<usize>,
    kept: Option<VolumeRequest>,
    need: Need,
    range: Option<[u64; 2]>,
    assumed: Vec<String>,
    notes: Vec<String>,
    split: Split,
    seed: u64,
    trace: Option<TraceNeed>,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer.
pub struct PlanAnswer {
    catalog: Catalog,
    accepted: Accepted,
    plan: Plan,
    market: Market,
    places: Vec<(String, Option<String>)>,
    slow_host: Percent,
    build: Option<usize>,
    trace: Option<PlanTrace>,
    assumed: Vec<String>,
    notes: Vec<String>,
}

/// Reads a request, searches and proves.
///
/// # Errors
/// Returns an error if the request cannot be read or planned; it names the fix.
pub fn plan(request: &PlanRequest, common: &Common, env: &Env) -> Result<PlanAnswer, Failure> {
    PreparedPlan::read(request, common, env)?.answer(env)
}

/// The options of the I/Os as those of a workload.
fn workload(shape: &ShapeOptions) -> WorkloadOptions {
    let mut workload = WorkloadOptions::default();
    for spec in ShapeOptions::specs() {
        let values = shape.values(spec.name).into_iter().map(str::to_string).collect();
        workload.set(spec.name, values);
    }
    workload
}

impl PreparedPlan {
    /// Reads a request: options, then variables, then the configuration file.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &PlanRequest, common: &Common, env: &Env) -> Result<PreparedPlan, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let catalog = catalog_of(request.catalog.get("catalog"), &mut settings)?;
        let accepted = accepted(&request.terms, &catalog, &mut settings)?;
        let shown = &request.shown;
        let candidates =
            settings.parse("candidates", shown.get("candidates"), Some(CANDIDATES), parse_candidates)?;
        let asked = workload_of(&workload(&request.shape), common.seed.as_deref(), &mut settings)?;
        let build = settings.parse("build", shown.get("build"), None, parse_candidates)?;
        let kept = settings.parse("keep-disks", request.terms.get("keep-disks"), None, parse_spec)?;
        let AskedNeed { need, range, assumed, notes } =
            need_of(&request.need, &asked.workloads, &catalog, &mut settings)?;
        let (split, alone) = split_of(&request.split, &mut settings)?;
        if let (Some([low, high]), [least, most]) = (range, split.hosts)
            && least < most
        {
            return Err(Failure::input(format!(
                "--iops {low}..{high} and --hosts {least}..{most} are both ranges: only one may be"
            ))
            .help(format!("write --hosts {most}, or --iops {high}")));
        }
        let page = PageChoice::of(&request.page, &mut settings)?;
        let seed = asked.workloads.first().map_or(0, |workload| workload.seed);
        let settings = settings.finish();
        let candidates = candidates.unwrap_or(SIMULATED);
        let notes = [notes, alone].concat();
        Ok(PreparedPlan {
            catalog,
            accepted,
            candidates,
            build,
            kept,
            need,
            range,
            assumed,
            notes,
            split,
            seed,
            trace: None,
            page,
            settings,
        })
    }

    /// Reads a request whose need is a trace, which is read once here.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read, or an option has no effect with a trace; it names the fix.
    pub fn of_trace(
        request: &PlanRequest,
        replay: &ReplayOptions,
        common: &Common,
        env: &Env,
    ) -> Result<PreparedPlan, Failure> {
        let trace = TraceNeed::read(replay, &request.need, &request.shape, env)?;
        let (need, shape) = trace.options();
        let mut prepared = PreparedPlan::read(&PlanRequest { need, shape, ..request.clone() }, common, env)?;
        if prepared.split.hosts != [1, 1] {
            return Err(Failure::input("--hosts beside --trace: a trace is replayed on one host")
                .help("leave one of the two out"));
        }
        prepared.trace = Some(trace);
        Ok(prepared)
    }

    /// Searches, and proves what was found by simulation.
    ///
    /// # Errors
    /// Returns an error if no configuration can meet the terms, or the search is stopped.
    pub fn answer(self, env: &Env) -> Result<PlanAnswer, Failure> {
        let PreparedPlan { catalog, mut accepted, candidates, build, kept, split, .. } = self;
        if let Some(request) = &kept {
            accepted.look.raised = matches!(request.setting, PerformanceSetting::Tier(_));
        }
        let mut market = Market::of(&catalog, &accepted.lists, accepted.look)?;
        if let Some(vm) = &accepted.vm {
            market.keep_vm(&catalog, &accepted.lists, vm)?;
        }
        let mut terms = std::mem::take(&mut accepted.terms);
        if market.rank == Rank::Size && terms.most.is_some() {
            let help = match market.partial_regions.as_slice() {
                [] => "leave it out, or import prices (`iobound catalog import --help`)",
                _ => {
                    "add --rank price to use a price list that is not whole, or import prices (`iobound catalog import --help`)"
                }
            };
            return Err(Failure::input("--max-price: without prices nothing is dearer or cheaper").help(help));
        }
        if let (Some(vm), Some(_)) = (&terms.vm, terms.most)
            && market.vms.iter().any(|row| row.name == *vm && row.price.is_none())
        {
            return Err(Failure::input(format!("--max-price: the price of {vm} is not known there"))
                .help("leave it out, or import prices (`iobound catalog import --help`)"));
        }
        terms.per_disk = market.per_disk(terms.per_disk);
        let priced_by_hand = accepted.look.rank == Some(Rank::Price) && !market.unpriced_regions.is_empty();
        if priced_by_hand {
            let why = unpriced_regions(&market);
            return Err(Failure::input(format!("--rank price: {why}"))
                .help("leave it out, or import prices (`iobound catalog import --help`)"));
        }
        if let Some(request) = kept {
            let volume = market.kept(&request).map_err(|why| {
                Failure::input(format!("--keep-disks: {why}"))
                    .help("a disk is COUNTxWHAT[:CACHE], such as 10xP30:readonly")
            })?;
            terms.kept = Some(volume);
        }
        let stock = Stock { catalog: &catalog, market: &market, lists: &accepted.lists };
        let simulated = SIMULATED.min(candidates);
        let question = Asked {
            need: self.need,
            terms,
            split,
            range: self.range,
            candidates,
            simulated,
            seed: self.seed,
        };
        let mut watch = |_: &Interval| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
        let target = question.need.latency;
        let mut judge = self
            .trace
            .as_ref()
            .zip(target)
            .map(|(trace, target)| TraceJudge::new(trace, target, &market, question.seed, env));
        let mut answer =
            plan_judged(&stock, &question, judge.as_mut().map(|judge| judge as &mut dyn Judge), &mut watch)?;
        if let (Some(judge), Some(first), false) = (&mut judge, answer.candidates.first(), answer.interrupted)
        {
            let price = first.build.price;
            answer.interrupted = judge.prove(price, || next_cheaper(&stock, &question, price))?;
        }
        let trace = judge.map(TraceJudge::finish).transpose()?;
        if let Some(number) = build.filter(|number| *number > answer.candidates.len()) {
            let there = answer.candidates.len();
            return Err(Failure::input(format!(
                "--build {number}: the plan has {}",
                Counted(there as u64, "candidate")
            ))
            .help("choose a candidate that the plan shows, or raise --candidates"));
        }
        // A plan's I/Os are random, so none of them are merged.
        let guesses = answer.guesses.iter();
        let guesses = guesses.filter(|guess| guess.property.kind != PropertyKind::Merging);
        let guesses = Assumption::sentences(guesses);
        let assumed = [taken(&market, &question, answer.hosts), self.assumed, guesses].concat();
        // The order of the notes: unpriced, how terms were chosen, of the need, of the hosts, about the answer.
        let mut notes =
            [unpriced(&market, &question), std::mem::take(&mut accepted.notes), self.notes].concat();
        notes.extend(about(&answer, &market, accepted.os));
        let places =
            accepted.lists.iter().map(|(_, list)| (list.region().to_string(), list.as_of())).collect();
        let slow_host = question.split.slow;
        Ok(PlanAnswer {
            catalog,
            accepted,
            plan: answer,
            market,
            places,
            slow_host,
            build,
            trace,
            assumed,
            notes,
        })
    }
}

impl PlanAnswer {
    /// Calls `then` with the answer in the form that texts and documents are made of.
    pub fn with_planned<T>(&self, then: impl FnOnce(&Planned<'_>) -> T) -> T {
        then(&Planned {
            plan: &self.plan,
            slow_host: self.slow_host,
            market: &self.market,
            places: &self.places,
            terms: &self.accepted.text,
            os: self.accepted.os,
            has_zones: &|region| self.catalog.has_zones(region),
            build: self.build,
            trace: self.trace.as_ref(),
            assumed: &self.assumed,
            notes: &self.notes,
        })
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        match self.plan.interrupted {
            true => Exit::Interrupted,
            false if self.plan.candidates.is_empty() => Exit::Asserted,
            false => Exit::Done,
        }
    }

    /// The regions of the prices, each with the date of its oldest price, where that is known.
    pub fn places(&self) -> &[(String, Option<String>)] {
        &self.places
    }
}

/// Assumptions that do not depend on the need.
fn taken(market: &Market, asked: &Asked, hosts: u64) -> Vec<String> {
    let (terms, log) = (&asked.terms, asked.need.log.is_some());
    let disks = match market.rank {
        Rank::Price => {
            format!("an additional disk must save {} USD a month (--per-disk)", terms.per_disk as f64 / 1e9)
        }
        Rank::Size => "fewer disks come before disks that provide less".into(),
    };
    let mut taken = vec![
        disks,
        "figures and prices exclude the operating system's disk and its I/Os".into(),
        "I/Os at uniformly random offsets that are multiples of their size".into(),
    ];
    if market.rank == Rank::Price {
        taken.push(
            "list prices on demand: without reservations, savings plans, hybrid benefit and discounts; licences of databases are not in them"
                .into(),
        );
    }
    if log && !terms.log_on_hdd {
        taken.push("the log is not put on hard disks: --disk-types with their type allows it".into());
    }
    if hosts > 1 {
        taken.push("each host has an equal part of the I/Os and of the data, rounded up".into());
    }
    if market.redundancy == Redundancy::Zrs {
        taken.push(
            "writes to zone-redundant disks are assumed to take as long as to other disks: no latency is published"
                .into(),
        );
    }
    taken
}

/// First note if prices are unknown.
fn unpriced(market: &Market, asked: &Asked) -> Vec<String> {
    let mut notes = Vec::new();
    if market.rank == Rank::Size {
        let is_known = market.unpriced_regions.is_empty();
        let why = match (is_known, market.partial_regions.is_empty()) {
            (true, true) => "as asked (--rank size)".to_string(),
            (true, false) => "because a price list is incomplete".to_string(),
            (false, _) => format!("because {}", unpriced_regions(market)),
        };
        let by_price = if is_known { "; --rank price ranks by the known prices" } else { "" };
        notes.extend(market.partial_regions.iter().map(|of| {
            format!(
                "the price list of {} lacks {} that the list of {} has ({}): not ranked by price{by_price}",
                of.region,
                disks_count(of.missing.len()),
                of.whole,
                some_of(&of.missing)
            )
        }));
        notes.push(format!("ranked by fewest vCPUs, least memory, then what disks provide, {why}"));
        if asked.range.is_some() {
            notes.push("a range needs prices: planned for its upper end".into());
        }
        return notes;
    }
    notes.extend(market.partial_regions.iter().map(|of| {
        format!(
            "the price list of {} lacks {}: {}. What they would make cheaper is not found",
            of.region,
            disks_count(of.missing.len()),
            some_of(&of.missing)
        )
    }));
    if let Some(vm) = &asked.terms.vm
        && market.vms.iter().any(|row| row.name == *vm && row.price.is_none())
    {
        notes.push(format!("the price of {vm} is not known there: ranked by the price of its disks"));
    }
    notes
}

/// Why not all prices are known.
fn unpriced_regions(market: &Market) -> String {
    market.unpriced_regions.iter().map(ToString::to_string).collect::<Vec<String>>().join("; ")
}

/// `1 kind of disk`, `3 kinds of disks`.
fn disks_count(count: usize) -> String {
    if count == 1 { "1 kind of disk".into() } else { format!("{count} kinds of disks") }
}

/// The first of many names.
fn some_of(names: &[String]) -> String {
    const NAMED: usize = 8;
    let named = names.iter().take(NAMED).cloned().collect::<Vec<String>>().join(", ");
    let more = names.len().saturating_sub(NAMED);
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// Notes for the user.
fn about(answer: &Plan, market: &Market, os: Os) -> Vec<String> {
    let mut notes = Vec::new();
    let builds = answer.candidates.iter().map(|candidate| &candidate.build);
    let volumes: Vec<&Volume> = builds.clone().filter_map(Build::bought).flat_map(Bought::volumes).collect();
    // Where temporary data is asked for, the need says so itself.
    if answer.need.temp.is_none() && builds.clone().any(|build| build.bought().is_none()) {
        notes.push(LOCAL_DISKS_LOSE_DATA.into());
    }
    if volumes.iter().any(|volume| volume.cached) {
        notes.push(
            "a read cache is warm here, and holds the whole working set; after a restart it is cold, and reads go to the disks"
                .into(),
        );
    }
    if volumes.iter().any(|volume| market.offers[volume.offer].has_performance_plus()) {
        notes.push(
            "performance plus costs nothing and is chosen when a disk is created: an existing disk, or one created with the VM, cannot have it"
                .into(),
        );
    }
    let is_billed = |volume: &&Volume| volume.disk.kind().operations != Operations::Free;
    if market.rank == Rank::Price && volumes.iter().any(is_billed) {
        notes.push("I/Os on Standard disks are billed: the price has the asked rate, all month".into());
    }
    let uncapped = |volume: &&Volume| {
        let law = &market.offers[volume.offer].law;
        let Operations::Capped { unknown } = volume.disk.kind().operations else { return None };
        matches!(law, Law::Tier { billing: Some(Billing { most_an_hour: None, .. }), .. }).then_some(unknown)
    };
    notes.extend(volumes.iter().find_map(uncapped).map(str::to_string));
    if !market.unpriced_disks.is_empty() {
        notes.push(format!(
            "left out, because no price is known there: {} ({})",
            disks_count(market.unpriced_disks.len()),
            market.unpriced_disks.join(", ")
        ));
    }
    if answer.is_cut_short {
        notes.push(format!(
            "the search ended after {MOST_SIMULATED} simulations: a cheaper configuration may keep the latency"
        ));
    }
    if os == Os::Windows {
        notes.push("a Windows volume is a Storage Spaces simple space with as many columns as disks".into());
    }
    notes
}

fn parse_candidates(text: &str) -> Result<usize, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    let shown = usize::try_from(count).ok().filter(|count| (1..=1_000).contains(count));
    shown.ok_or_else(|| format!("`{text}` candidates: 1 to 1,000 can be shown"))
}
