//! Proof that builds keep the promises of the search: confirmed by the model, and simulated at the requested rate.

use iobound_catalog::Assumption;
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_predict::PredictError;

use crate::answer::{Asked, Shown, Stock};
use crate::build::{Bought, Build, Disks};
use crate::confirm::{AtRate, Candidate, Length, distinct, figure_of};
use crate::goal::GoalBand;
use crate::menu::STEPS;
use crate::need::Statistic;
use crate::offer::Law;
use crate::refusal::Because;
use crate::runs::Runs;
use crate::search::meets;
use crate::verdict::{Strength, Verdicts};

/// A search under a latency goal simulates no more builds than this: then what it shows need not be the cheapest.
pub const MOST_SIMULATED: usize = 3_000;
/// A short simulation decides about a goal that is at least this many times its figure.
const CLEARLY_FAST: f64 = 2.0;
/// Share of the rate, in millionths, at which nothing queues.
const IDLE_PPM: u64 = 100_000;
/// A rate that falls short by more than this is no scatter of the arrivals.
const CLEARLY_SHORT: f64 = 0.97;

/// Decides about builds by other I/Os than the need's: those of a trace.
pub trait Judge {
    /// Rate and latency of the I/Os on a candidate; with the reason, if it fails the need's latency. `is_probe`: the build is
    /// stronger than those that it decides for, and its price is theirs.
    ///
    /// # Errors
    /// Returns an error if the caller's callback ends it or the I/Os cannot be simulated.
    fn judge(
        &mut self,
        candidate: &Candidate,
        is_probe: bool,
    ) -> Result<(AtRate, Option<Because>), PredictError>;

    /// The figure of the need's latency on a candidate, in µs, which decides nothing.
    ///
    /// # Errors
    /// As [`Judge::judge`].
    fn latency_us(&mut self, candidate: &Candidate) -> Result<f64, PredictError>;
}

/// Evidence that a build is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A simulation, whose figures are shown.
    Simulation,
    /// Arithmetic, or a short simulation, where that decides: no figures of the build are shown.
    Any,
}

/// A build that a simulation found to be enough.
struct Passed {
    candidate: Candidate,
    /// True if the build was only simulated to decide about weaker ones: its price is theirs.
    is_probe: bool,
}

/// Proves builds, and remembers what was seen.
pub(crate) struct Prover<'a, 'w> {
    pub(crate) stock: &'a Stock<'a>,
    pub(crate) asked: &'a Asked,
    watch: &'w mut dyn FnMut(&Interval) -> Flow,
    judge: Option<&'w mut dyn Judge>,
    verdicts: Verdicts,
    shared: Runs,
    short: Runs,
    simulated: Vec<Passed>,
    failed: Vec<(Build, Because)>,
    /// Assumed latencies of builds that fail by them.
    assumed: Vec<Assumption>,
    /// Builds that were decided about by a simulation, their own or that of a build on which it is the same.
    pub(crate) runs: usize,
}

/// This statistic of a simulation, in µs; `None`: too few I/Os.
fn figure(at_rate: &AtRate, statistic: Statistic) -> Option<f64> {
    figure_of(statistic, at_rate.latency.as_ref()?)
}

impl<'a, 'w> Prover<'a, 'w> {
    pub(crate) fn new(
        stock: &'a Stock<'a>,
        asked: &'a Asked,
        watch: &'w mut dyn FnMut(&Interval) -> Flow,
    ) -> Prover<'a, 'w> {
        Prover {
            stock,
            asked,
            watch,
            judge: None,
            verdicts: Verdicts::default(),
            shared: Runs::of(Length::Full),
            short: Runs::of(Length::Short),
            simulated: Vec::new(),
            failed: Vec::new(),
            assumed: Vec::new(),
            runs: 0,
        }
    }

    /// Lets a judge decide.
    pub(crate) fn judged(self, judge: Option<&'w mut dyn Judge>) -> Prover<'a, 'w> {
        Prover { judge, ..self }
    }

    /// Begins with what is known from other rates.
    pub(crate) fn knowing(self, verdicts: Verdicts) -> Prover<'a, 'w> {
        Prover { verdicts, ..self }
    }

    /// Results of simulations.
    pub(crate) fn into_verdicts(self) -> Verdicts {
        self.verdicts
    }

    /// True if a latency has to be kept.
    pub(crate) fn has_goal(&self) -> bool {
        self.asked.need.latency.is_some() && self.asked.simulated > 0
    }

    /// True if a judge decides.
    pub(crate) fn has_judge(&self) -> bool {
        self.judge.is_some()
    }

    /// True if no more builds are simulated.
    pub(crate) fn is_spent(&self) -> bool {
        self.runs >= MOST_SIMULATED
    }

    /// Simulates no more builds.
    pub(crate) fn spend(&mut self) {
        self.runs = self.runs.max(MOST_SIMULATED);
    }

    /// True if a build's disks are too slow where nothing queues.
    pub(crate) fn is_of_a_slow_kind(&self, build: &Build) -> bool {
        self.verdicts.is_of_a_slow_kind(&self.strength(build))
    }

    /// The builds that were simulated and failed.
    pub(crate) fn refused(&self) -> Vec<Shown> {
        let shown = |(build, because): &(Build, Because)| Shown {
            vm: self.stock.market.vms[build.vm].name.clone(),
            build: Some(*build),
            because: because.clone(),
        };
        self.failed.iter().map(shown).collect()
    }

    /// Assumed latencies of builds that fail by them.
    pub(crate) fn assumed(&self) -> &[Assumption] {
        &self.assumed
    }

    /// Notes that a build failed. A judge's goal counts as it is: its I/Os are those of a trace, and would have to be simulated again.
    fn fail(&mut self, candidate: &Candidate, because: Because) -> Result<(), PredictError> {
        let because = match because {
            Because::Latency(us) if self.judge.is_none() => self.too_slow(candidate, us)?,
            because => because,
        };
        self.failed.push((candidate.build, because));
        Ok(())
    }

    /// The verdict on a latency that misses the goal: unknown, if only an assumed latency makes the build miss it.
    fn too_slow(&mut self, candidate: &Candidate, us: f64) -> Result<Because, PredictError> {
        let need = &self.asked.need;
        let (Some(goal), Some(fast)) = (need.latency, candidate.at_the_fastest_assumed_media()) else {
            return Ok(Because::Latency(us));
        };
        let at_rate = self.short.at_rate(&fast, need, self.asked.seed, self.watch)?;
        let guesses = candidate.resolved.guesses();
        self.assumed.extend(guesses.filter(|of| of.property.kind.is_media()).cloned());
        Ok(match figure(&at_rate, goal.of).is_some_and(|us| us <= goal.most.us_f64()) {
            true => Because::UnknownLatency(us),
            false => Because::Latency(us),
        })
    }

    /// The candidates that a simulation found to be enough so far, cheapest first, no two alike, at most as many as are shown.
    pub(crate) fn passed(&self) -> Vec<Candidate> {
        let sold = self.simulated.iter().filter(|passed| !passed.is_probe).map(|passed| &passed.candidate);
        let all = distinct(self.stock.market, sold, u64::MAX);
        all.into_iter().take(self.asked.candidates).cloned().collect()
    }

    /// A build on the model, without a simulation.
    pub(crate) fn confirm(&self, build: &Build) -> Result<Candidate, PredictError> {
        self.stock.confirm(&self.asked.need, build)
    }

    /// A build whose figures are not shown; `None`: it fails. Without a goal, arithmetic decides where it can.
    pub(crate) fn is_enough(&mut self, build: &Build) -> Result<Option<Candidate>, PredictError> {
        if !self.has_goal() && !self.has_judge() {
            let candidate = self.confirm(build)?;
            if candidate.has_room(&self.asked.need)? {
                return Ok(Some(candidate));
            }
        }
        self.prove(build)
    }

    /// Simulates a build; `None`: it fails.
    pub(crate) fn prove(&mut self, build: &Build) -> Result<Option<Candidate>, PredictError> {
        self.look_at(build, false)
    }

    /// Simulates a build that is for sale, or a probe that only decides for others.
    fn look_at(&mut self, build: &Build, is_probe: bool) -> Result<Option<Candidate>, PredictError> {
        if let Some(seen) = self.simulated.iter().find(|seen| seen.candidate.build == *build) {
            return Ok(Some(seen.candidate.clone()));
        }
        if self.failed.iter().any(|(failed, _)| failed == build) {
            return Ok(None);
        }
        let strength = self.strength(build);
        let mut candidate = self.confirm(build)?;
        if self.has_goal() && !self.verdicts.knows_kind(&strength) {
            self.look_at_kind(&candidate, &strength)?;
        }
        if self.has_goal() && self.verdicts.is_slow(&strength) {
            return Ok(None);
        }
        self.runs += 1;
        let because = match &mut self.judge {
            None => {
                let need = &self.asked.need;
                let at_rate = self.shared.at_rate(&candidate, need, self.asked.seed, self.watch)?;
                let because = at_rate.fails(need);
                candidate.simulated = Some(at_rate);
                because
            }
            Some(judge) => {
                let (at_rate, because) = judge.judge(&candidate, is_probe)?;
                candidate.simulated = Some(at_rate);
                because
            }
        };
        match because {
            Some(because) => {
                if self.is_clear(&because) {
                    self.verdicts.slow(strength);
                }
                if !is_probe {
                    self.fail(&candidate, because)?;
                }
                Ok(None)
            }
            None => {
                self.verdicts.fast(strength);
                self.simulated.push(Passed { candidate: candidate.clone(), is_probe });
                Ok(Some(candidate))
            }
        }
    }

    /// Adds the band of the latency goal to a candidate that was simulated.
    pub(crate) fn put_band(&mut self, candidate: &mut Candidate) -> Result<(), PredictError> {
        let need = &self.asked.need;
        let (Some(goal), Some(at_rate)) = (need.latency, &candidate.simulated) else { return Ok(()) };
        let Some(expected) = figure(at_rate, goal.of) else { return Ok(()) };
        let slow = candidate.at_the_slow_end();
        let at_end = match &mut self.judge {
            None => figure(&self.short.at_rate(&slow, need, self.asked.seed, self.watch)?, goal.of),
            Some(judge) => Some(judge.latency_us(&slow)?),
        };
        candidate.goal = at_end.map(|at_end| GoalBand::of(candidate.layout(), goal.of, [expected, at_end]));
        Ok(())
    }

    fn strength(&self, build: &Build) -> Strength {
        Strength::of(&self.stock.market.vms[build.vm], build)
    }

    /// True if what was seen before says that a build fails.
    pub(crate) fn is_hopeless(&self, build: &Build) -> bool {
        self.verdicts.is_slow(&self.strength(build))
    }

    /// Looks at a kind of disks where nothing queues: at a tenth of the rate.
    fn look_at_kind(&mut self, candidate: &Candidate, strength: &Strength) -> Result<(), PredictError> {
        if self.judge.is_some() {
            // A trace has its own idle times: there is no slower one to look at.
            self.verdicts.kind(strength, false);
            return Ok(());
        }
        self.runs += 1;
        let idle = self.asked.need.at_share(IDLE_PPM);
        let because = self.shared.at_rate(candidate, &idle, self.asked.seed, self.watch)?.fails(&idle);
        let is_hopeless = because.as_ref().is_some_and(|because| self.is_clear(because));
        self.verdicts.kind(strength, is_hopeless);
        if let (true, Some(because)) = (is_hopeless, because) {
            self.fail(candidate, because)?;
        }
        Ok(())
    }

    /// True if a build failed by so much that a weaker one fails too, whatever the arrivals.
    fn is_clear(&self, because: &Because) -> bool {
        match (because, self.asked.need.latency) {
            (Because::Latency(us), Some(goal)) => {
                let margin = match goal.of {
                    Statistic::Mean | Statistic::P50 => 1.05,
                    Statistic::P90 | Statistic::P95 => 1.10,
                    Statistic::P99 => 1.20,
                };
                *us > goal.most.us_f64() * margin
            }
            (Because::Rate(iops), _) => *iops < CLEARLY_SHORT * self.asked.need.iops() as f64,
            _ => false,
        }
    }

    /// True if arithmetic shows that the rate is carried, and a short simulation keeps the goal by far: a full one would too.
    fn is_clearly_enough(&mut self, candidate: &Candidate) -> Result<bool, PredictError> {
        let need = &self.asked.need;
        if !candidate.has_room(need)? {
            return Ok(false);
        }
        let at_rate = self.short.at_rate(candidate, need, self.asked.seed, self.watch)?;
        let is_known = need.latency.is_some_and(|goal| figure(&at_rate, goal.of).is_some());
        Ok(is_known && at_rate.fails_within(need, CLEARLY_FAST).is_none())
    }

    /// Simulates a build that comes next by price; `None`: it fails. Most needs are met by the first build of a kind, which then
    /// decides alone. Once one of its kind has failed, stronger builds are looked at first.
    pub(crate) fn next_by_price(
        &mut self,
        build: &Build,
        largest: &[usize],
        evidence: Evidence,
    ) -> Result<Option<Candidate>, PredictError> {
        let strength = self.strength(build);
        let is_open = self.judge.is_none() && !self.verdicts.has_failed(&strength);
        if is_open && !self.verdicts.is_slow(&strength) {
            let candidate = self.confirm(build)?;
            if evidence == Evidence::Any && self.is_clearly_enough(&candidate)? {
                self.runs += 1;
                return Ok(Some(candidate));
            }
            let need = &self.asked.need;
            let at_rate = self.shared.at_rate(&candidate, need, self.asked.seed, self.watch)?;
            if at_rate.fails(need).is_none() {
                // What is fast enough at the rate is so where nothing queues.
                if !self.verdicts.knows_kind(&strength) {
                    self.verdicts.kind(&strength, false);
                }
                // The simulation is remembered.
                return self.prove(build);
            }
            self.verdicts.fails(&strength);
        }
        if self.is_worth_it(build, largest)? { self.prove(build) } else { Ok(None) }
    }

    /// Simulates a stronger build first, which decides for many: the same disks on the largest VM size, then the strongest
    /// disks of the kind on the same VM size. Whether the build itself is then worth a simulation.
    fn is_worth_it(&mut self, build: &Build, largest: &[usize]) -> Result<bool, PredictError> {
        let strength = self.strength(build);
        if !self.verdicts.knows_kind(&strength) {
            let candidate = self.confirm(build)?;
            self.look_at_kind(&candidate, &strength)?;
        }
        if self.verdicts.is_slow(&strength) {
            return Ok(false);
        }
        if self.verdicts.is_fast(&strength) {
            return Ok(true);
        }
        for probe in [self.on_the_largest(build, largest), self.with_the_strongest(build)] {
            let Some(probe) = probe.filter(|probe| probe != build) else { continue };
            if !self.verdicts.is_fast(&self.strength(&probe)) && !self.is_hopeless(&probe) {
                self.look_at(&probe, true)?;
            }
            if self.verdicts.is_slow(&strength) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same disks on a VM size of the same cloud that lets most through.
    fn on_the_largest(&self, build: &Build, largest: &[usize]) -> Option<Build> {
        let bought = build.bought().filter(|_| build.temp.is_none())?;
        let cloud = self.stock.market.vms[build.vm].cloud;
        let of_cloud = |vm: &&usize| self.stock.market.vms[**vm].cloud == cloud;
        let meets = |vm: &&usize| meets(self.stock.market, &self.asked.need, **vm, bought);
        largest.iter().filter(of_cloud).find(meets).map(|vm| Build { vm: *vm, ..*build })
    }

    /// The strongest disks of the same offers on the same VM size.
    fn with_the_strongest(&self, build: &Build) -> Option<Build> {
        let market = self.stock.market;
        let slots = market.vms[build.vm].slots?;
        let mut strongest: Bought = *build.bought()?;
        let log = strongest.log.map_or(0, |log| log.fit.count);
        match &market.offers[strongest.data.offer].law {
            Law::Tier { .. } => strongest.data.fit.count = slots.checked_sub(log)?,
            Law::Provisioned(provision) => {
                let fit = strongest.data.fit;
                strongest.data.fit = STEPS.iter().rev().find_map(|step| {
                    let [ios, bytes] = [fit.ios, fit.bytes].map(|of| of.saturating_mul(100 + step) / 100);
                    provision.at_least(fit.count, [fit.gib, ios, bytes])
                })?;
            }
        }
        let meets = meets(market, &self.asked.need, build.vm, &strongest);
        meets.then_some(Build { disks: Disks::Bought(strongest), ..*build })
    }
}
