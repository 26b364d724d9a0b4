//! The answers of the program as data: what `--json` prints, one struct for each document.
//!
//! A struct's fields stand in the order in which they are printed. The comment of a field is its definition: `iobound schema`,
//! `docs/definitions.md` and the tables of HTML pages show it. Renderers take these structs; nothing here prints.

mod catalog;
mod compare;
mod contract;
mod definitions;
mod doctor;
mod field;
mod fleet;
mod import;
mod plan;
mod plan_trace;
mod quantity;
mod registry;
mod replay;
mod results;
mod trace;

pub use catalog::{
    AuditPart, CatalogDocument, CatalogEntry, CatalogListing, CatalogOverview, CatalogPreset, CatalogPresets,
    CatalogRows, DisagreementPart, DiskPriceRow, DiskRow, EraPart, FigurePart, MachineRow, MachinesCount,
    PresetJob, PresetPart, RegionRow, SizesCount, SourcePart, VmPriceRow, VmRow,
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
pub use field::{DocumentField, fields_of};
pub use fleet::{FleetDocument, FleetHost};
pub use import::{ImportChange, ImportDocument, ImportFile, ImportGone, ImportLeftOut, ImportRestricted};
pub use plan::{
    AtRateLatency, AtRatePart, BuildScript, CandidateCluster, CandidateHost, CandidatePrediction,
    CandidatePrice, CeilingPart, Delivered, FrontierPoint, PlanCandidate, PlanCluster, PlanConfiguration,
    PlanDocument, PlanIdea, PlanLatency, PlanMiss, PlanNeed, PlanOnHosts, PlanPlace, PlanRefused, PlanVolume,
    PlanVolumes, RankedBy, RefusedCount, RefusedPrice, RegretBuild, SeveralVms, Unreachable,
};
pub use plan_trace::{PlanReplay, PlanTrace};
pub use quantity::{
    Amount, BytesPerSecond, Iops, Microseconds, Quantity, Seconds, Share, Usd, figure, rounded,
};
pub use registry::{ENTRIES, Entry, definition, entry_of};
pub use replay::{ReplayBound, ReplayCredits, ReplayDocument, ReplayMap, ReplayPoint};
pub use results::{KeptRun, ResultsDocument};
pub use trace::{
    TraceDepth, TraceDevice, TraceDocument, TraceEditDocument, TraceFitDocument, TraceFitError, TraceHits,
    TraceLatency, TraceOp, TracePoint, TraceRate, TraceRead, TraceReuse, TraceSize, TraceWorkingSet,
};
