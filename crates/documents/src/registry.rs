//! The documents that are structs, by the verb that prints them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::Schema;

use crate::catalog::CatalogDocument;
use crate::compare::CompareDocument;
use crate::contract::{Contract, schema_of};
use crate::doctor::DoctorDocument;
use crate::emulate::EmulateDocument;
use crate::emulate_control::ControlDocument;
use crate::explain::ExplainDocument;
use crate::field::fields_of;
use crate::fleet::FleetDocument;
use crate::fleet_probe::FleetProbeDocument;
use crate::import::ImportDocument;
use crate::lab::{LabDocument, LabListDocument};
use crate::lab_measured::LabMeasuredDocument;
use crate::lab_replay::LabReplayDocument;
use crate::page::PageDocument;
use crate::plan::PlanDocument;
use crate::predict::PredictDocument;
use crate::probe::ProbeDocument;
use crate::replay::ReplayDocument;
use crate::results::ResultsDocument;
use crate::run::RunDocument;
use crate::run_lines::{IntervalDocument, KneeDocument};
use crate::running::{RunStatusDocument, RunningDocument};
use crate::settings::ConfigDocument;
use crate::trace::{TraceDocument, TraceEditDocument, TraceFitDocument};
use crate::watch::WatchDocument;

/// A verb and what it prints with `--json`.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The verb, with its own verb where it has one: `catalog import`.
    pub verb: &'static str,
    /// Name and version of the document: `iobound.compare/1`.
    pub id: &'static str,
    /// Makes its JSON Schema.
    pub schema: fn() -> Schema,
}

const fn entry<D: Contract>(verb: &'static str) -> Entry {
    Entry { verb, id: D::ID, schema: schema_of::<D> }
}

/// All of them, by verb.
pub const ENTRIES: [Entry; 29] = [
    entry::<CatalogDocument>("catalog"),
    entry::<ImportDocument>("catalog import"),
    entry::<CompareDocument>("compare"),
    entry::<ConfigDocument>("config"),
    entry::<DoctorDocument>("doctor"),
    entry::<EmulateDocument>("emulate"),
    entry::<ControlDocument>("emulate ctl"),
    entry::<ExplainDocument>("explain"),
    entry::<FleetDocument>("fleet"),
    entry::<FleetProbeDocument>("fleet probe"),
    entry::<LabDocument>("lab"),
    entry::<LabListDocument>("lab list"),
    entry::<LabMeasuredDocument>("lab measured"),
    entry::<LabReplayDocument>("lab trace"),
    entry::<PageDocument>("page"),
    entry::<PlanDocument>("plan"),
    entry::<PredictDocument>("predict"),
    entry::<ProbeDocument>("probe"),
    entry::<ResultsDocument>("results"),
    entry::<RunDocument>("run"),
    entry::<IntervalDocument>("run interval"),
    entry::<KneeDocument>("run knee"),
    entry::<RunStatusDocument>("run status"),
    entry::<RunningDocument>("serve running"),
    entry::<WatchDocument>("watch"),
    entry::<ReplayDocument>("predict trace"),
    entry::<TraceEditDocument>("trace convert"),
    entry::<TraceFitDocument>("trace fit"),
    entry::<TraceDocument>("trace info"),
];

/// The entry of a verb.
pub fn entry_of(verb: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.verb == verb)
}

/// The definitions of every document's keys, by its name and version. Made once: a page asks for tens of definitions. Of a key to
/// which forms of a document give different definitions, the first is here.
static MEANINGS: LazyLock<BTreeMap<&'static str, BTreeMap<String, String>>> = LazyLock::new(|| {
    let meanings = |entry: &Entry| {
        let fields = fields_of(&(entry.schema)());
        fields.into_iter().rev().map(|field| (field.path, field.meaning)).collect()
    };
    ENTRIES.iter().map(|entry| (entry.id, meanings(entry))).collect()
});

/// The definition of a key of a document: `iobound.compare/1`, `comparisons[].figures[].a`. `None` if there is no such
/// document or key.
pub fn definition(id: &str, path: &str) -> Option<&'static str> {
    MEANINGS.get(id)?.get(path).map(String::as_str)
}
