//! A trace as the need of a plan: every candidate replays it.

use iobound_documents::{Microseconds, PlanReplay, PlanTrace, ReplayCredits, Seconds, TraceRead, Usd};
use iobound_drive::{Flow, ReplayMode};
use iobound_measure::result::Latency;
use iobound_measure::summary;
use iobound_plan::{AtRate, Because, Candidate, Judge, LatencyTarget, Market, Statistic, figure_of};
use iobound_predict::{
    PredictError, ReplayFailure, ReplayGoal, ReplayPoint, ReplayQuestion, ReplayStop, Replayed,
    replay_on_model,
};
use iobound_report::{limiter_title, trace_read};
use iobound_trace::{Record, Source, TraceError, TraceFacts};
use iobound_units::{Op, Ppm};

use crate::options::{NeedOptions, ShapeOptions};
use crate::replay::{ReplayOptions, ReplayWish, failure_of, refuse};
use crate::trace::{Kept, ReadAgain, analyse};
use crate::{Env, Failure};

/// A trace that was read once, and is replayed on each candidate.
pub(crate) struct TraceNeed {
    wish: ReplayWish,
    again: ReadAgain,
    read: TraceRead,
    ios: u64,
    /// Reads and writes.
    data: u64,
    /// The place on the data volume where each device begins.
    bases: Vec<u64>,
    need: NeedOptions,
    shape: ShapeOptions,
}

/// Devices side by side on one volume, each from its own place on.
struct Placed {
    inner: Box<dyn Source>,
    bases: Vec<u64>,
    names: Vec<String>,
}

impl Source for Placed {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        self.inner.read(batch)?;
        for record in &mut batch[before..] {
            let base = self.bases.get(usize::from(record.device)).copied().unwrap_or(0);
            record.offset = record.offset.saturating_add(base);
            record.device = 0;
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.names
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

/// Room between two devices on the volume: none share a block.
const ALIGNED: u64 = 1 << 20;

impl TraceNeed {
    /// Reads the trace once, and what a plan has to deliver at least: the mean rate, and room for all devices.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read, or an option repeats what the trace states.
    pub(crate) fn read(
        options: &ReplayOptions,
        need: &NeedOptions,
        shape: &ShapeOptions,
        env: &Env,
    ) -> Result<TraceNeed, Failure> {
        refuse(
            need,
            &["capacity", "working-set", "latency", "headroom"],
            "is a part of the need that the trace says itself",
        )?;
        refuse(shape, &[], "describes a workload, and the trace takes its place")?;
        if need.latency.is_none() {
            return Err(Failure::input(
                "--trace without a latency: every configuration would do that keeps the mean rate",
            )
            .help("add --latency p99:5ms"));
        }
        let wish = options.read(&[])?;
        let mut trace = wish.open(env)?;
        let kept = Kept::behind(&mut trace);
        let analysed = analyse(env, &mut trace)?;
        if analysed.interrupted {
            return Err(Failure::interrupted(
                "interrupted while the trace was read: no candidate had been simulated",
            ));
        }
        let (analysis, _) = analysed.whole(&trace.files)?;
        let (reads, writes) = (analysis.ios_of(Op::Read), analysis.ios_of(Op::Write));
        let data = reads + writes;
        if data == 0 {
            return Err(Failure::input("the trace has no reads and no writes").help("name another trace"));
        }
        let bytes = analysis.bytes_of(Op::Read) + analysis.bytes_of(Op::Write);
        if bytes == 0 {
            return Err(Failure::input("all reads and writes of the trace have length zero")
                .help("name another trace"));
        }
        let mut bases = Vec::new();
        let mut end = 0u64;
        for device in &analysis.devices {
            bases.push(end);
            end = device
                .highest
                .checked_next_multiple_of(ALIGNED)
                .and_then(|size| end.checked_add(size))
                .ok_or_else(|| {
                    Failure::input("the devices of the trace are together larger than 16 EiB")
                        .help("cut the trace, or scale its offsets")
                })?;
        }
        // A trace of less than a second counts as one second: its burst is the replay's to judge.
        let mean_iops = analysis.mean_iops().map_or(f64::INFINITY, |iops| iops * wish.speed.as_f64());
        let mean_iops = mean_iops.min(data as f64).round().max(1.0);
        let sectors = (bytes / u128::from(data)).div_ceil(512).clamp(1, 1 << 16);
        let mut of_trace = need.clone();
        of_trace.iops = Some(format!("{}", mean_iops as u64));
        of_trace.capacity.get_or_insert_with(|| format!("{end}B"));
        let working_set = (analysis.reuse.distinct_bytes() as u64).clamp(4_096, end.max(4_096));
        of_trace.working_set.get_or_insert_with(|| format!("{working_set}B"));
        of_trace.headroom.get_or_insert_with(|| "0%".into());
        let shape = ShapeOptions {
            block: Some(format!("{}B", sectors * 512)),
            read: Some(format!("{}%", reads * 100 / data)),
            ..ShapeOptions::default()
        };
        let read = trace_read(&trace.files, &trace.source.facts());
        let again = {
            let (env, wish) = (env.clone(), wish.clone());
            kept.finish(&trace, move || wish.open(&env))?
        };
        Ok(TraceNeed { wish, again, read, ios: analysis.ios(), data, bases, need: of_trace, shape })
    }

    /// The need in the options of a plan.
    pub(crate) fn options(&self) -> (NeedOptions, ShapeOptions) {
        (self.need.clone(), self.shape.clone())
    }
}

/// Replays the trace on candidates, and remembers what was seen.
pub(crate) struct TraceJudge<'a> {
    trace: &'a TraceNeed,
    target: LatencyTarget,
    market: &'a Market,
    seed: u64,
    env: &'a Env,
    replayed: Vec<(u64, PlanReplay)>,
    failed: Option<Failure>,
}

/// Reason why the trace is replayed on a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplayReason {
    /// It may be bought.
    ForSale,
    /// It decides for weaker ones, whose price it has.
    ForWeaker,
    /// It carries only a part of the mean rate: the replay shows when it fails.
    BelowMeanRate,
}

/// The figure of a window's latencies, in µs.
fn of_point(point: &ReplayPoint, statistic: Statistic) -> f64 {
    let [p50, p90, p95, p99, _] = point.latency.percentiles.map(|ns| ns as f64 / 1e3);
    match statistic {
        Statistic::Mean => point.latency.mean / 1e3,
        Statistic::P50 => p50,
        Statistic::P90 => p90,
        Statistic::P95 => p95,
        Statistic::P99 => p99,
    }
}

impl<'a> TraceJudge<'a> {
    pub(crate) fn new(
        trace: &'a TraceNeed,
        target: LatencyTarget,
        market: &'a Market,
        seed: u64,
        env: &'a Env,
    ) -> TraceJudge<'a> {
        TraceJudge { trace, target, market, seed, env, replayed: Vec::new(), failed: None }
    }

    /// Reads and writes that may take longer than the goal; `None` of a mean.
    fn allowed(&self) -> Option<u64> {
        let slow = match self.target.of {
            Statistic::Mean => return None,
            Statistic::P50 => 50,
            Statistic::P90 => 10,
            Statistic::P95 => 5,
            Statistic::P99 => 1,
        };
        Some(self.trace.data * slow / 100)
    }

    /// Replays the trace, until a goal is missed if there is one.
    fn replay(&mut self, candidate: &Candidate, goal: Option<ReplayGoal>) -> Result<Replayed, PredictError> {
        match self.try_replay(candidate, goal) {
            Ok(replayed) if replayed.stop == Some(ReplayStop::Interrupted) => Err(PredictError::Interrupted),
            Ok(replayed) => Ok(replayed),
            Err(failure) => {
                self.failed = Some(failure);
                Err(PredictError::Interrupted)
            }
        }
    }

    fn try_replay(&self, candidate: &Candidate, goal: Option<ReplayGoal>) -> Result<Replayed, Failure> {
        let wish = &self.trace.wish;
        let inner = self.trace.again.open()?;
        let mut source = Placed { inner, bases: self.trace.bases.clone(), names: vec!["data".to_string()] };
        let question = ReplayQuestion {
            resolved: &candidate.resolved,
            mode: wish.mode,
            speed: wish.speed,
            full_credits: true,
            seed: self.seed,
            map: &[],
            goal,
        };
        let mut watch = || if self.env.is_stopped() { Flow::Stop } else { Flow::Continue };
        let replayed = replay_on_model(&question, &mut source, &mut watch);
        replayed.map_err(|error: ReplayFailure| failure_of(&wish.files, error))
    }

    /// All latencies of a replay, and the goal's statistic of them in µs.
    fn latency(&self, replayed: &Replayed) -> Result<(Latency, f64), PredictError> {
        let data = replayed.data();
        let Some(latency) = summary::latency(&data, None) else { return Err(PredictError::Nothing) };
        // A percentile of few I/Os is the histogram's own.
        let at = |percentile| data.percentile_ns(percentile) as f64 / 1e3;
        let us = figure_of(self.target.of, &latency).unwrap_or_else(|| match self.target.of {
            Statistic::Mean | Statistic::P50 => at(50.0),
            Statistic::P90 => at(90.0),
            Statistic::P95 => at(95.0),
            Statistic::P99 => at(99.0),
        });
        Ok((latency, us))
    }

    /// Shows the second in which the next cheaper configuration fails: if no cheaper one was replayed, `next` is. Returns true if
    /// that was interrupted.
    pub(crate) fn prove(
        &mut self,
        price: u64,
        next: impl FnOnce() -> Result<Option<Candidate>, PredictError>,
    ) -> Result<bool, Failure> {
        if self.replayed.iter().any(|(other, _)| *other < price) {
            return Ok(false);
        }
        let judged = next().and_then(|next| match next {
            Some(next) => self.judge_one(&next, ReplayReason::BelowMeanRate).map(drop),
            None => Ok(()),
        });
        match judged {
            Err(PredictError::Interrupted) => Ok(true),
            judged => Ok(judged.map(|()| false)?),
        }
    }

    /// The replayed configurations, the cheapest first; or the reason why the trace could not be replayed.
    pub(crate) fn finish(self) -> Result<PlanTrace, Failure> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let mut replayed = self.replayed;
        replayed.sort_by_key(|(price, _)| *price);
        let goal = format!("{}:{}", self.target.of.name(), self.target.most);
        let mode = if self.trace.wish.mode == ReplayMode::Timed { "" } else { ", dependent" };
        let speed = if self.trace.wish.speed == Ppm::ONE {
            String::new()
        } else {
            format!(", at {} times the speed", self.trace.wish.speed.as_f64())
        };
        Ok(PlanTrace {
            read: self.trace.read.clone(),
            ios: self.trace.ios,
            goal: format!("{goal}{mode}{speed}"),
            replayed: replayed.into_iter().map(|(_, replay)| replay).collect(),
        })
    }
}

impl TraceJudge<'_> {
    /// Replays the trace on a configuration, and keeps what was seen.
    fn judge_one(
        &mut self,
        candidate: &Candidate,
        reason: ReplayReason,
    ) -> Result<(AtRate, Option<Because>), PredictError> {
        let is_probe = reason == ReplayReason::ForWeaker;
        let most = self.target.most;
        let replayed = self.replay(candidate, self.allowed().map(|over| ReplayGoal { most, over }))?;
        let (latency, us) = self.latency(&replayed)?;
        let goal = self.target.most.us_f64();
        let fails_at = match replayed.stop {
            Some(ReplayStop::Goal(at)) => Some(at),
            _ => None,
        };
        let holds = fails_at.is_none() && us <= goal;
        let throttled = replayed
            .points
            .iter()
            .find(|point| point.bound_by.is_some() && of_point(point, self.target.of) > goal);
        let resolved = &candidate.resolved;
        let title = |limiter, dimension| limiter_title(resolved, limiter, dimension);
        let month = self.market.price(&candidate.build).filter(|_| !is_probe);
        let replay = PlanReplay {
            vm: resolved.vm.name.clone(),
            disks: candidate.configuration.volumes.iter().map(|volume| volume.text.clone()).collect(),
            month: month.map(|price| Usd::of(price as f64 / 1e9)),
            weaker_fail_too: is_probe,
            below_mean_rate: reason == ReplayReason::BelowMeanRate,
            holds,
            latency_us: Microseconds::of(us),
            fails_at_s: fails_at.map(|at| Seconds::of(at.secs_f64())),
            throttled_at_s: throttled.map(|point| Seconds::of(point.from.secs_f64())),
            bound_by: throttled
                .and_then(|point| point.bound_by)
                .map(|(limiter, dimension)| title(limiter, dimension)),
            credits: replayed
                .spent
                .iter()
                .map(|spent| ReplayCredits {
                    limit: title(spent.limiter, spent.dimension),
                    at_s: Seconds::of(spent.at.secs_f64()),
                })
                .collect(),
        };
        // A stronger build that holds says nothing of those that it stands for.
        if !is_probe || !holds {
            self.replayed.push((candidate.build.price, replay));
        }
        let iops = replayed.data().count() as f64 / replayed.duration.secs_f64().max(1e-9);
        let because = (!holds).then_some(Because::Latency(us.max(goal)));
        Ok((AtRate { iops, latency: Some(latency) }, because))
    }
}

impl Judge for TraceJudge<'_> {
    fn judge(
        &mut self,
        candidate: &Candidate,
        is_probe: bool,
    ) -> Result<(AtRate, Option<Because>), PredictError> {
        self.judge_one(candidate, if is_probe { ReplayReason::ForWeaker } else { ReplayReason::ForSale })
    }

    fn latency_us(&mut self, candidate: &Candidate) -> Result<f64, PredictError> {
        let replayed = self.replay(candidate, None)?;
        self.latency(&replayed).map(|(_, us)| us)
    }
}
