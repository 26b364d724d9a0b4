//! Iometer's configuration, complete: what an `.icf` file can say.

/// A configuration file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// `1.1.0`, `2006.07.27`; empty where a file has no version line.
    pub version: String,
    /// The test's times and kind.
    pub setup: TestSetup,
    /// The meters of the program's window: labels and values.
    pub display: Vec<(String, String)>,
    /// The access specifications.
    pub specs: Vec<AccessSpec>,
    /// The machines and their workers.
    pub managers: Vec<Manager>,
}

/// `'TEST SETUP`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestSetup {
    /// A text for the results.
    pub description: String,
    /// Hours of the run time.
    pub hours: u32,
    /// Minutes of the run time.
    pub minutes: u32,
    /// Seconds of the run time. All three zero: until stopped.
    pub seconds: u32,
    /// Seconds before figures count.
    pub ramp_up_s: u32,
    /// Workers that are made where a file has none.
    pub disk_workers: Workers,
    /// The same for the network.
    pub network_workers: Workers,
    /// The results that are written.
    pub record: Record,
    /// Growth of the number of workers from test to test.
    pub worker_cycling: Option<Cycling>,
    /// Growth of the number of targets.
    pub target_cycling: Option<Cycling>,
    /// Growth of the number of outstanding I/Os.
    pub depth_cycling: Option<Cycling>,
    /// The growing quantity.
    pub test_type: TestType,
}

/// The rows of results that are written: each leaves out what the ones before it still have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Record {
    /// All of them.
    #[default]
    All,
    /// No row for a worker's target.
    NoTargets,
    /// None for a worker either.
    NoWorkers,
    /// None for a manager either: only the sums.
    NoManagers,
    /// Nothing at all.
    None,
}

impl Record {
    /// All of them by the word in the file, in the order of the numbers that old files have.
    pub const ALL: [(&'static str, Record); 5] = [
        ("ALL", Record::All),
        ("NO_TARGETS", Record::NoTargets),
        ("NO_WORKERS", Record::NoWorkers),
        ("NO_MANAGERS", Record::NoManagers),
        ("NONE", Record::None),
    ];
}

/// A number of workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workers {
    /// `NUMBER_OF_CPUS`.
    #[default]
    PerProcessor,
    /// A fixed number.
    Count(u32),
}

/// Growth of a number from test to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycling {
    /// Its first value.
    pub start: u32,
    /// Its last; only outstanding I/Os have one.
    pub end: Option<u32>,
    /// Summand or factor of a step.
    pub step: u32,
    /// Added or multiplied.
    pub kind: Step,
}

/// Kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Added.
    Linear,
    /// Multiplied with.
    Exponential,
}

/// Growing quantity of the tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestType {
    /// Nothing: one test for each access specification.
    #[default]
    Normal,
    /// The targets of every worker.
    CycleTargets,
    /// The workers.
    CycleWorkers,
    /// The targets, of all managers at once.
    IncrementTargetsParallel,
    /// The targets, of one manager after the other.
    IncrementTargetsSerial,
    /// The workers, and for each number of them the targets.
    CycleWorkersAndTargets,
    /// The outstanding I/Os.
    CycleOutstanding,
    /// The targets, and for each number of them the outstanding I/Os.
    CycleOutstandingAndTargets,
}

impl TestType {
    /// All of them by the word in the file, in the order of the numbers that old files have.
    pub const ALL: [(&'static str, TestType); 8] = [
        ("NORMAL", TestType::Normal),
        ("CYCLE_TARGETS", TestType::CycleTargets),
        ("CYCLE_WORKERS", TestType::CycleWorkers),
        ("INCREMENT_TARGETS_PARALLEL", TestType::IncrementTargetsParallel),
        ("INCREMENT_TARGETS_SERIAL", TestType::IncrementTargetsSerial),
        ("CYCLE_WORKERS_AND_TARGETS", TestType::CycleWorkersAndTargets),
        ("CYCLE_OUTSTANDING_IOS", TestType::CycleOutstanding),
        ("CYCLE_OUTSTANDING_IOS_AND_TARGETS", TestType::CycleOutstandingAndTargets),
    ];
}

/// An access specification: a mix of I/Os.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessSpec {
    /// Its name.
    pub name: String,
    /// New workers that get it.
    pub assignment: Assignment,
    /// Its lines, at most 100; their shares add to 100.
    pub lines: Vec<AccessLine>,
}

/// New workers that get an access specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assignment {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// Workers on disks.
    Disk,
    /// Workers on networks.
    Network,
}

/// One kind of I/O of an access specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessLine {
    /// Bytes of an I/O.
    pub size: u32,
    /// Percent of the I/Os that this line has.
    pub of_size: u32,
    /// Percent of these that read.
    pub reads: u32,
    /// Percent of these that are random.
    pub random: u32,
    /// Milliseconds between bursts.
    pub delay_ms: u32,
    /// I/Os of a burst.
    pub burst: u32,
    /// Bytes that offsets are multiples of; zero: sectors.
    pub align: u32,
    /// Bytes of the answer, on networks.
    pub reply: u32,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manager {
    /// Its number.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its network address.
    pub address: String,
    /// Its threads.
    pub workers: Vec<Worker>,
}

/// A thread of a manager.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// Its name.
    pub name: String,
    /// Its targets.
    pub kind: WorkerKind,
    /// I/Os outstanding on each of its targets.
    pub outstanding: u32,
    /// True if it opens and closes its targets all the time.
    pub test_connection_rate: bool,
    /// I/Os between opening and closing.
    pub transactions_per_connection: u32,
    /// The seed of its random choices; `None` where none is fixed.
    pub fixed_seed: Option<u64>,
    /// Sectors of 512 bytes that are used; zero: all.
    pub disk_size_sectors: u64,
    /// The first of them.
    pub starting_sector: u64,
    /// Content of writes: 0 a repeated byte, 1 pseudo random, 2 random; `None` before 1.1.
    pub data_pattern: Option<u32>,
    /// Names of access specifications, a test each.
    pub specs: Vec<String>,
    /// Its targets.
    pub targets: Vec<TargetAssignment>,
    /// Labels and values of network workers: interfaces, outstanding I/Os of VI.
    pub network: Vec<(String, String)>,
}

/// Targets of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WorkerKind {
    /// Disks.
    #[default]
    Disk,
    /// A network, of this kind: `TCP`, `VI`.
    Network(String),
}

/// A target of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetAssignment {
    /// Its name: a volume with its label, a drive, an interface.
    pub name: String,
    /// Its kind.
    pub kind: WorkerKind,
}
