//! The answers of the program as data: what `--json` prints, one struct for each document.
//!
//! A struct's fields stand in the order in which they are printed. The comment of a field is its definition: `iobound schema`,
//! `docs/definitions.md` and the tables of HTML pages show it. Renderers take these structs; nothing here prints.

mod catalog;
mod cluster;
mod compare;
mod contract;
mod definitions;
mod doctor;
mod emulate;
mod emulate_control;
mod explain;
mod field;
mod fleet;
mod fleet_probe;
mod glossary;
mod import;
mod lab;
mod lab_measured;
mod lab_replay;
mod page;
mod plan;
mod plan_trace;
mod predict;
mod prediction;
mod probe;
mod quantity;
mod registry;
mod replay;
mod results;
mod run;
mod run_lines;
mod running;
mod settings;
mod trace;
mod watch;

pub use catalog::{
    AuditPart, CatalogDocument, CatalogEntry, CatalogListing, CatalogOverview, CatalogPreset, CatalogPresets,
    CatalogRows, DisagreementPart, DiskPriceRow, DiskRow, DiskTypePart, EraPart, FigurePart, MachineRow,
    PresetJob, PresetPart, RegionRow, SizesCount, SourcePart, VmPriceRow, VmRow,
};
pub use cluster::{
    ClusterExpected, ClusterPart, ClusterPrice, ScanPart, ScanRate, SlowHostScan, SlowestHost,
};
pub use compare::{
    Change, CompareDocument, ComparedFigure, ComparisonPart, ConditionPart, DecidedBy, Method, RoundsPart,
    ShiftGap, ShiftPart, ShiftSlice, SidePart, VerdictWord,
};
pub use contract::{Contract, Version, schema_of};
pub use definitions::{definitions_table, refreshed};
pub use doctor::{
    CertaintyWord, DiskExceeded, DiskPartition, DiskQueue, DoctorDocument, FactPart, LimitUnit, MachineDisk,
    MachineLimit, MachinePart, MachineVolume, SetupFinding, VolumeMount,
};
pub use emulate::{
    AttachPart, CacheLine, CreditsPart, DeviceLatency, DeviceLine, DiskLine, EmulateDocument, EmulateEnd,
    EmulateReady, EmulateState, FrontLine, LatenessPart, LimitLine, LostPart, OpLine, ServedDevice,
    ServedFront, ServedLimit, ShortLatency,
};
pub use emulate_control::{ControlDocument, ControlDone, ControlLine, ControlRefused};
pub use explain::{
    ExplainDocument, ExplainObserved, ExplainWatched, FindingPart, ObservedDisk, ObservedFigures,
    ObservedPart, OutcomePart, RemedyPart, RuledOutPart, SeenLimiter, StackPart, WantPart, WatchedDiskPart,
    WatchedPart,
};
pub use field::{DocumentField, fields_of};
pub use fleet::{FleetDocument, FleetHost};
pub use fleet_probe::{FleetProbeDocument, FleetProbeFigure, FleetProbeHost};
pub use glossary::glossary;
pub use import::{ImportChange, ImportDocument, ImportFile, ImportGone, ImportLeftOut, ImportRestricted};
pub use lab::{
    ChangePart, ExperimentPart, LabBand, LabDocument, LabListDocument, LabPrediction, LabPrice, LabRun,
    ListedExperiment, MeasuredPart, PublishedPart, ReachedLatency, ReachedPart, SecondsPart, UnpredictedKeys,
    WithoutConfiguration,
};
pub use lab_measured::{
    CoverageRowPart, LabMeasuredDocument, MeasuredFigurePart, RefusedRunPart, SlowVmsPart,
};
pub use lab_replay::{LabReplayDocument, LabReplayRun};
pub use page::{FullestLimit, LatencyClass, LatencyClasses, PageDocument};
pub use plan::{
    AtRateGoal, AtRateLatency, AtRatePart, BuildScript, CandidateCluster, CandidateHost, CandidatePrediction,
    CandidatePrice, CeilingPart, Delivered, FrontierPoint, PlanCandidate, PlanCluster, PlanConfiguration,
    PlanDocument, PlanIdea, PlanLatency, PlanMiss, PlanNeed, PlanOnHosts, PlanPlace, PlanRefused, PlanVolume,
    PlanVolumes, RankedBy, RefusedCount, RefusedPrice, RegretBuild, SeveralVms, Unreachable,
};
pub use plan_trace::{PlanReplay, PlanTrace};
pub use predict::{
    ComparedWithBand, ConfigurationPart, JobPart, PredictDocument, PredictKeys, PricePart, StagePart,
    WorkloadPart,
};
pub use prediction::{
    BandPart, BurstPart, CoveragePart, DiskPart, ExpectedPart, KneePart, KneePoint, LatencyBandPart,
    LatencyBandsPart, LimiterPart, PredictedCeiling, PredictedLatency, PredictionPart, VolumePart,
};
pub use probe::{
    ProbeCost, ProbeDeviceWrites, ProbeDocument, ProbeEnding, ProbeLimit, ProbeNoise, ProbeOffer,
    ProbeRampPoint, ProbedCachePart, ProbedLatencyPart, ProbedSize, ProbedTarget,
};
pub use quantity::{
    Amount, BytesPerSecond, Iops, Microseconds, Quantity, Seconds, Share, Usd, figure, rounded, whole,
};
pub use registry::{ENTRIES, Entry, definition, entry_of};
pub use replay::{ReplayBound, ReplayCredits, ReplayDocument, ReplayLimit, ReplayMap, ReplayPoint};
pub use results::{KeptRun, ResultsDocument};
pub use run::{ModelPart, PreparedPart, RunDocument, RunStagePart};
pub use run_lines::{ConcurrencyPoint, CurvePointPart, IntervalDocument, IntervalFigures, KneeDocument};
pub use running::{
    RunStatusDevice, RunStatusDocument, RunStatusLatency, RunStatusOp, RunningDocument, RunningPart,
};
pub use settings::{ConfigDocument, SettingPart};
pub use trace::{
    TraceDepth, TraceDevice, TraceDocument, TraceEditDocument, TraceFitDocument, TraceFitError, TraceHits,
    TraceLatency, TraceOp, TracePoint, TraceRate, TraceRead, TraceReuse, TraceSize, TraceWorkingSet,
};
pub use watch::{
    ExceededPart, OverIntervals, WatchDiskSecond, WatchDiskSummary, WatchDocument, WatchLimitSecond,
    WatchLimitSummary, WatchSecondLine, WatchSummaryLine,
};
