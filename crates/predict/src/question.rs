use iobound_catalog::Resolved;
use iobound_units::Span;
use iobound_workload::Workload;

/// A question: a configuration, a workload, and the state that the configuration is in.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The configuration.
    pub resolved: &'a Resolved,
    /// The workload: jobs of one stage.
    pub workload: &'a Workload,
    /// Content of host caches.
    pub cache: CacheState,
    /// Time that the workload has run, and so what is left of burst credits.
    pub age: Age,
    /// Time of a run that its figures cover.
    pub counted: Counted,
}

/// The time that figures are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Counted {
    /// The rate that lasts, whatever the workload's own times.
    #[default]
    Lasting,
    /// The mean of a run of the workload's own length after its warm-up, with token buckets that were full at its start.
    Run,
}

/// Content of host caches at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum CacheState {
    /// Their content after a long time of this workload.
    #[default]
    Warm,
    /// Nothing.
    Cold,
    /// Their content after a first run of the same workload from cold.
    SecondRun,
}

impl CacheState {
    /// The word of the command line.
    pub const fn name(self) -> &'static str {
        match self {
            CacheState::Warm => "warm",
            CacheState::Cold => "cold",
            CacheState::SecondRun => "second-run",
        }
    }
}

/// Time that a workload has run when its figures are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Age {
    /// A time after which credits are spent: the figures that last.
    #[default]
    Sustained,
    /// This long, from full credits.
    At(Span),
}

/// The most I/Os of a run in virtual time, which takes about a quarter of an hour.
pub const MOST_SIMULATED: u64 = 4_000_000_000;
