//! The order of the questions: the one that gives the most information a second comes next. The probe ends when every figure is
//! as precise as required, or when the budget holds no further experiment.

use iobound_units::Span;

use crate::answer::{Answer, Counts, Ending, TargetAnswer};
use crate::ask::LATENCIES;
use crate::bursts::AFTER_BURST;
use crate::inquiry::{Inquiry, Settings};
use crate::latency;
use crate::limit::seconds;
use crate::question::{Figure, Question};
use crate::session::{Halt, Session};
use crate::step::{Disk, Mix, SMALL};

/// Size of a usual cache in bytes.
const USUAL_CACHE: f64 = 1e9;
/// Share by which the experiments of open questions may take longer than expected.
const MARGIN: f64 = 0.1;
/// A figure is measured again this often at most: a disturbance that lasts makes none of them precise.
pub(crate) const REPEATS: usize = 3;
/// Pause after an experiment for which the client lacked processor time, twice.
const BUSY: Span = Span::from_secs(5);

/// Probes the targets of a disk.
pub fn probe(disk: &mut dyn Disk, settings: &Settings) -> Answer {
    let targets = disk.targets().iter().map(|target| TargetAnswer {
        name: target.name.clone(),
        size: target.size.get(),
        ..TargetAnswer::default()
    });
    let mut answer = Answer {
        targets: targets.collect(),
        limits: Vec::new(),
        not_reached: Vec::new(),
        open: Vec::new(),
        budget_for_open: None,
        noise: None,
        starved: None,
        cost: Default::default(),
        ending: Ending::Complete,
    };
    let mut session = Session::new(disk, settings.budget, settings.seed);
    let known = vec![None; answer.targets.len()];
    let mut agenda = Agenda::new(Inquiry { session: &mut session, settings, answer: &mut answer, known });
    let ended = agenda.all();
    agenda.conclude();
    if let Err(halt) = ended {
        answer.ending = halt.ending();
    }
    (answer.cost, answer.starved) = (session.cost, session.starved);
    answer
}

/// The questions that are open.
pub(crate) struct Agenda<'a, 'b> {
    pub(crate) inquiry: Inquiry<'a, 'b>,
    pub(crate) open: Vec<Question>,
    /// Questions that the budget did not hold.
    pub(crate) unanswered: Vec<Question>,
    pub(crate) repeats: Vec<Question>,
    /// Questions for which the client lacked processor time, once for each time.
    starved: Vec<Question>,
    /// A question is open because the client lacked processor time.
    is_starved: bool,
}

impl<'a, 'b> Agenda<'a, 'b> {
    fn new(inquiry: Inquiry<'a, 'b>) -> Agenda<'a, 'b> {
        let count = inquiry.answer.targets.len();
        let mut open: Vec<Question> = Vec::new();
        for target in 0..count {
            open.extend([Question::Ios(target), Question::Throughput(target), Question::Charge(target)]);
            open.extend(LATENCIES.map(|block| Question::Latency(target, block)));
            open.extend([Question::Cache(target), Question::Merging(target)]);
            open.extend([Counts::Ios, Counts::Bytes].map(|counts| Question::Burst(target, counts)));
            if inquiry.settings.may_write {
                open.push(Question::Writes(target));
            }
        }
        if count > 1 {
            open.extend([Question::SharedIos, Question::SharedBytes]);
        }
        open.push(Question::Noise);
        Agenda {
            inquiry,
            open,
            unanswered: Vec::new(),
            repeats: Vec::new(),
            starved: Vec::new(),
            is_starved: false,
        }
    }

    /// Answers questions until none is left.
    fn all(&mut self) -> Result<(), Halt> {
        loop {
            if self.open.is_empty() {
                self.imprecise();
            }
            let Some(at) = self.next() else { break };
            let question = self.open.remove(at);
            if !self.applies(question) {
                continue;
            }
            match self.ask(question) {
                // It may have been open after a shorter experiment.
                Ok(()) => self.unanswered.retain(|other| *other != question),
                // A shorter experiment may still fit.
                Err(Halt::Budget) => self.unanswered.push(question),
                Err(Halt::Starved) => self.ask_later(question)?,
                Err(halt) => {
                    self.unanswered.push(question);
                    return Err(halt);
                }
            }
        }
        match (self.unanswered.is_empty(), self.is_starved) {
            (true, _) => Ok(()),
            (false, true) => Err(Halt::Starved),
            (false, false) => Err(Halt::Budget),
        }
    }

    /// Asks a question again after a pause: the work that kept processors from the client may end. It stays unanswered if it was
    /// asked too often, or the budget does not hold the pause.
    fn ask_later(&mut self, question: Question) -> Result<(), Halt> {
        let times = self.starved.iter().filter(|other| **other == question).count();
        self.starved.push(question);
        if times < REPEATS {
            match self.inquiry.session.rest(BUSY) {
                Ok(()) => {
                    self.open.push(question);
                    return Ok(());
                }
                Err(Halt::Budget) => {}
                Err(halt) => {
                    self.unanswered.push(question);
                    return Err(halt);
                }
            }
        }
        self.is_starved = true;
        self.unanswered.push(question);
        Ok(())
    }

    /// The question with the most information a second, of those that need no other first.
    fn next(&self) -> Option<usize> {
        let is_ready = |at: &usize| !self.open.iter().any(|other| self.open[*at].needs(*other));
        let value =
            |at: usize| self.urgency(self.open[at]) * self.open[at].bits() / self.seconds(self.open[at]);
        let ready = (0..self.open.len()).filter(is_ready);
        // Of equal ones the first.
        ready.rev().max_by(|one, other| value(*one).total_cmp(&value(*other)))
    }

    /// Weight of a question whose answer costs more the later it is asked: a rest earns credits that the charge has to spend again.
    fn urgency(&self, question: Question) -> f64 {
        let Question::Charge(target) = question else { return 1.0 };
        let limit = self.inquiry.read_limit(target, Counts::Ios);
        if limit.is_some_and(|at| self.inquiry.answer.limits[at].burst.is_some()) { 100.0 } else { 1.0 }
    }

    /// Time that an answer takes, as far as is known before.
    fn seconds(&self, question: Question) -> f64 {
        let count = self.inquiry.answer.targets.len() as f64;
        match question {
            Question::Ios(_) => 24.0,
            Question::Throughput(_) => 22.0,
            Question::SharedIos | Question::SharedBytes => 12.0 + 2.5 * (4.0 * count + 1.0),
            Question::Charge(_) => 16.0,
            Question::Latency(target, block) | Question::Repeat(target, Figure::Latency(block)) => {
                match &self.inquiry.known[target] {
                    Some(known) => {
                        latency::seconds_for(block, self.inquiry.below(target, block), known.ios.latency)
                    }
                    None => 8.0,
                }
            }
            // It reads as fast as the limits let it, and as much as a cache of a usual size holds.
            Question::Cache(target) => {
                let throughput = self.inquiry.known[target].as_ref().and_then(|known| known.throughput);
                throughput.map_or(45.0, |bytes| (USUAL_CACHE / bytes).max(45.0))
            }
            Question::Writes(_) => 60.0,
            Question::Noise => 2.5,
            Question::Burst(_, counts) => self.inquiry.watch_time(counts).secs_f64(),
            Question::LongerBurst(target, counts) => self.inquiry.longer_watch(target, counts).secs_f64(),
            Question::Merging(_) => 6.0,
            Question::Repeat(target, Figure::Limit(counts)) => {
                let limit = self.inquiry.read_limit(target, counts);
                let bursts = limit.is_some_and(|at| self.inquiry.answer.limits[at].burst.is_some());
                // Credits that pauses have earned are spent first.
                if bursts { 18.0 } else { 6.0 }
            }
            Question::Repeat(_, Figure::BurstRate) => 16.0,
            Question::Repeat(target, Figure::Credits(counts)) => {
                self.inquiry.credits_time(target, counts).secs_f64()
            }
        }
    }

    /// Time that a question which takes all of a budget leaves for the others that are open: what is beyond the usual budget and its
    /// own time is theirs first.
    fn spare(&mut self, question: Question) -> Span {
        if !self.is_longer() {
            return Span::ZERO;
        }
        let others: f64 = self.open.iter().map(|other| self.seconds(*other)).sum();
        let left = self.inquiry.session.left().secs_f64();
        seconds(
            ((1.0 + MARGIN) * others + AFTER_BURST.secs_f64()).min(left - self.seconds(question)).max(0.0),
        )
    }

    /// True if the question has an answer on these disks, and what it needs is known. One that only lacks what it needs stays
    /// unanswered.
    fn applies(&mut self, question: Question) -> bool {
        let Some(target) = question.target() else {
            let has_all = self.inquiry.known.iter().all(Option::is_some);
            if !has_all {
                self.unanswered.push(question);
            }
            return has_all;
        };
        if matches!(question, Question::Ios(_)) {
            return true;
        }
        let lacks = |needed: Question| self.unanswered.contains(&needed);
        let no_throughput = lacks(Question::Throughput(target));
        let needs_throughput = matches!(question, Question::Charge(_) | Question::Merging(_))
            || matches!(question, Question::Latency(_, block) if block > SMALL);
        let Some(known) = &self.inquiry.known[target] else {
            self.unanswered.push(question);
            return false;
        };
        let applies = match question {
            Question::Cache(_) => known.hits.is_some(),
            Question::Burst(_, counts) => self.inquiry.read_limit(target, counts).is_some(),
            Question::Merging(_) => self.inquiry.read_limit(target, Counts::Ios).is_some(),
            _ => true,
        };
        if applies && no_throughput && needs_throughput {
            self.unanswered.push(question);
            return false;
        }
        applies
    }

    fn ask(&mut self, question: Question) -> Result<(), Halt> {
        let (wanted, spare) = (self.seconds(question), self.spare(question));
        let inquiry = &mut self.inquiry;
        match question {
            Question::Ios(target) => inquiry.ios(target),
            Question::SharedIos => inquiry.shared(Counts::Ios),
            Question::Throughput(target) => inquiry.large(target),
            Question::SharedBytes => inquiry.shared(Counts::Bytes),
            Question::Charge(target) => inquiry.charge(target),
            Question::Latency(target, block) => inquiry.latency(target, Mix::Reads, block),
            Question::Cache(target) => {
                let before = inquiry.session.left();
                let is_cut = inquiry.cache(target, spare)?;
                let took = before.secs_f64() - inquiry.session.left().secs_f64();
                if is_cut && took < wanted { Err(Halt::Budget) } else { Ok(()) }
            }
            Question::Writes(target) => inquiry.writes(target),
            Question::Noise => inquiry.noise(),
            Question::Burst(target, counts) => {
                let time = inquiry.watch_time(counts);
                self.burst(target, counts, time)
            }
            Question::LongerBurst(target, counts) => {
                let time = inquiry.longer_watch(target, counts);
                match self.burst(target, counts, time) {
                    // The last experiment is as long as the budget lets it be.
                    Err(Halt::Budget) => Ok(()),
                    result => result,
                }
            }
            Question::Merging(target) => inquiry.merging(target),
            Question::Repeat(target, figure) => inquiry.repeat(target, figure),
        }
    }

    /// Results of all experiments, and open questions with the budget that they need.
    fn conclude(&mut self) {
        self.inquiry.settle_bursts();
        self.inquiry.burst_sizes();
        self.inquiry.note_unseen_bursts();
        self.inquiry.note_uncounted();
        for target in 0..self.inquiry.answer.targets.len() {
            let [ios, bytes] = self.inquiry.session.reached(target);
            let found = &mut self.inquiry.answer.targets[target];
            found.reached_iops = found.reached_iops.max(ios);
            found.reached_bytes = found.reached_bytes.max(bytes);
        }
        let known = &self.inquiry.known;
        let has_no_cache = |target: usize| known[target].as_ref().is_some_and(|known| known.hits.is_none());
        let is_asked =
            |question: &Question| !matches!(question, Question::Cache(target) if has_no_cache(*target));
        let left = self.unanswered.iter().chain(&self.open).copied();
        // A limit that was watched for long enough may be watched for longer with any budget.
        let is_due = |question: &Question| !matches!(question, Question::LongerBurst(..));
        let left: Vec<Question> = left.filter(is_asked).filter(is_due).collect();
        let several = self.inquiry.answer.targets.len() > 1;
        let mut seconds = 0.0;
        for question in left {
            let open = &self.inquiry.answer.open;
            let text = match question.target().filter(|_| several) {
                Some(target) => format!("{}: {}", self.inquiry.answer.targets[target].name, question.text()),
                None => question.text(),
            };
            if !open.contains(&text) {
                seconds += self.seconds(question);
                self.inquiry.answer.open.push(text);
            }
        }
        if seconds > 0.0 && !self.is_starved {
            let seconds = (1.0 + MARGIN) * seconds + AFTER_BURST.secs_f64();
            let budget = self.inquiry.session.used() + Span::from_ns((seconds * 1e9) as u64);
            // Whole tens of seconds, rounded up.
            let tens = budget.ns().div_ceil(10_000_000_000) * 10;
            self.inquiry.answer.budget_for_open = Some(Span::from_secs(tens));
        }
    }
}
