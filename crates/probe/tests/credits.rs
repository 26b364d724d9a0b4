//! Credits of a burst: the probe does not know how full they were when it began.

#[allow(dead_code, reason = "the score and other tests use more of it")]
mod common;

use common::hidden::{Hidden, hidden};
use common::marks::marks;
use iobound_model::{Change, Dimension, LimiterId};
use iobound_probe::{
    Answer, Completed, Counts, Disk, Estimate, ModelDisk, Recording, Scope, Settings, probe,
};
use iobound_units::{Instant, Problem, Span};
use iobound_workload::{Target, Workload};

/// A disk with credits, probed for this long. `credits`: what it begins with; `None`: a full store.
fn probed(hidden: &Hidden, credits: Option<u64>, budget: Span) -> Answer {
    let disk = ModelDisk::new(&hidden.blueprint, 1).expect("a valid blueprint");
    let begins = |credits| Change::Credits(LimiterId(0), Dimension::Ios, credits);
    let mut disk = match credits {
        Some(credits) => disk.changed(begins(credits)).expect("the limiter has credits"),
        None => disk,
    };
    probe(&mut disk, &Settings { budget, ..Settings::default() })
}

fn size(answer: &Answer) -> Estimate {
    let limit = answer.limit(0, Counts::Ios, Scope::Reads).expect("there is a limit");
    limit.burst.unwrap_or_else(|| panic!("no burst: {limit:?}")).size
}

/// The disk of a seed with a store of other credits.
fn with_store(seed: u64, credits: u64) -> Hidden {
    let mut hidden = hidden(seed);
    let store = hidden.blueprint.limiters[0].credits.as_mut().and_then(|credits| credits.ios.as_mut());
    store.expect("a disk with credits").capacity = credits;
    hidden
}

#[test]
fn credits_that_were_not_full_when_the_probe_began_are_a_lower_bound() {
    for seed in [502, 507, 512] {
        let hidden = with_store(seed, 54_000_000);
        // Credits for 20 seconds of the burst at first; no budget is long enough to fill the store.
        let (rate, _) = hidden.burst.expect("a disk with credits");
        let begins = (20.0 * (rate - hidden.iops)) as u64;
        for budget in [180, 3_600] {
            let answer = probed(&hidden, Some(begins), Span::from_secs(budget));
            let size = size(&answer);
            assert!(size.is_at_least() && size.value < 54e6, "seed {seed}, {budget} s: {size:?}");
            let says = |text: &String| text.contains("may have more credits");
            assert!(answer.not_reached.iter().any(says), "seed {seed}, {budget} s: {:?}", answer.not_reached);
        }
    }
}

#[test]
fn credits_that_come_back_after_a_longer_rest_were_full() {
    for seed in [502, 507] {
        let hidden = hidden(seed);
        let (_, credits) = hidden.burst.expect("a disk with credits");
        let mut answer = probed(&hidden, None, Span::from_secs(180));
        // Each answer names the budget that its open questions need; a burst that is found late asks for one more.
        for _ in 0..3 {
            let Some(budget) = answer.budget_for_open else { break };
            answer = probed(&hidden, None, budget);
        }
        let size = size(&answer);
        assert!(!size.is_at_least(), "seed {seed}: {size:?} of {credits}, open: {:?}", answer.open);
        assert!((size.value / credits - 1.0).abs() < 0.1, "seed {seed}: {size:?} of {credits}");
    }
}

#[test]
fn a_budget_without_the_rest_leaves_the_credits_open_and_names_one_that_holds_it() {
    // Credits of 507 need more than three minutes.
    let hidden = with_store(507, 2_000_000);
    let answer = probed(&hidden, Some(200_000), Span::from_secs(180));
    assert!(size(&answer).is_at_least());
    assert!(answer.open.iter().any(|open| open.contains("credits of a full burst")), "{:?}", answer.open);
    assert!(answer.budget_for_open.is_some_and(|budget| budget > Span::from_secs(180)), "{answer:?}");
}

#[test]
fn a_limit_that_is_measured_again_is_not_the_rate_of_its_burst() {
    let hidden = hidden(3147);
    let mut disk = ModelDisk::new(&hidden.blueprint, 3147).expect("a valid blueprint");
    let answer = probe(&mut disk, &Settings::default());
    let missed: Vec<_> = marks(&hidden, &answer).into_iter().filter(|mark| !mark.ok).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// A disk that earns credits more slowly than its limit while it rests: of each rest, only this percentage passes for it.
struct SlowRefill {
    disk: ModelDisk,
    percent: u64,
    behind: Span,
}

impl Disk for SlowRefill {
    fn targets(&self) -> &[Target] {
        self.disk.targets()
    }

    fn now(&mut self) -> Instant {
        self.disk.now() + self.behind
    }

    fn rest(&mut self, time: Span) {
        let passes = Span::from_ns(time.ns() / 100 * self.percent);
        self.disk.rest(passes);
        self.behind += Span::from_ns(time.ns() - passes.ns());
    }

    fn run(&mut self, workload: &Workload) -> Result<Recording, Problem> {
        let Recording { began, ended, ios, starved } = self.disk.run(workload)?;
        let late =
            |io: Completed| Completed { issued: io.issued + self.behind, end: io.end + self.behind, ..io };
        let ios = ios.into_iter().map(late).collect();
        Ok(Recording { began: began + self.behind, ended: ended + self.behind, ios, starved })
    }

    fn is_stopped(&self) -> bool {
        self.disk.is_stopped()
    }
}

/// A disk whose credits come back at this percentage of its limit. `credits`: what it begins with.
fn probed_slowly(hidden: &Hidden, credits: u64, percent: u64, budget: Span) -> Answer {
    let disk = ModelDisk::new(&hidden.blueprint, 1).expect("a valid blueprint");
    let change = Change::Credits(LimiterId(0), Dimension::Ios, credits);
    let disk = disk.changed(change).expect("the limiter has credits");
    let mut disk = SlowRefill { disk, percent, behind: Span::ZERO };
    probe(&mut disk, &Settings { budget, ..Settings::default() })
}

#[test]
fn credits_that_come_back_slowly_are_not_taken_for_those_of_a_full_store() {
    for percent in [60, 72, 80, 88, 95] {
        let hidden = with_store(502, 54_000_000);
        let (rate, _) = hidden.burst.expect("a disk with credits");
        let begins = (20.0 * (rate - hidden.iops)) as u64;
        let size = size(&probed_slowly(&hidden, begins, percent, Span::from_secs(1_200)));
        assert!(size.is_at_least() && size.value < 54e6, "{percent} %: {size:?} after {begins}");
    }
}

#[test]
fn a_full_store_is_proven_however_fast_its_credits_come_back() {
    for percent in [50, 80, 100] {
        let hidden = hidden(502);
        let (_, credits) = hidden.burst.expect("a disk with credits");
        let size = size(&probed_slowly(&hidden, credits as u64, percent, Span::from_secs(1_200)));
        assert!(!size.is_at_least(), "{percent} %: {size:?} of {credits}");
        assert!(size.low <= credits && credits <= size.high, "{percent} %: {size:?} of {credits}");
    }
}

#[test]
fn a_budget_that_is_named_holds_the_rest_that_a_slow_store_needs() {
    for percent in [50, 65, 80] {
        let hidden = hidden(502);
        let (_, credits) = hidden.burst.expect("a disk with credits");
        let mut answer = probed_slowly(&hidden, credits as u64, percent, Span::from_secs(180));
        let mut budgets = Vec::new();
        // A burst that is found late asks for one more, and so does a rest that is found to earn little.
        for _ in 0..3 {
            let Some(budget) = answer.budget_for_open else { break };
            budgets.push(budget);
            answer = probed_slowly(&hidden, credits as u64, percent, budget);
        }
        assert!(answer.open.is_empty(), "{percent} %: {budgets:?}, open: {:?}", answer.open);
        assert!(!size(&answer).is_at_least(), "{percent} %: {budgets:?}: {:?} of {credits}", size(&answer));
    }
}

#[test]
fn no_budget_is_named_for_credits_that_come_back_too_slowly() {
    // Of the credits that are spent, nearly none come back within a day.
    let hidden = with_store(502, 54_000_000);
    let (rate, _) = hidden.burst.expect("a disk with credits");
    let begins = (20.0 * (rate - hidden.iops)) as u64;
    let answer = probed_slowly(&hidden, begins, 1, Span::from_secs(1_200));
    assert!(size(&answer).is_at_least(), "{:?}", size(&answer));
    assert!(answer.budget_for_open.is_none_or(|budget| budget <= Span::from_secs(86_400)), "{answer:?}");
}
