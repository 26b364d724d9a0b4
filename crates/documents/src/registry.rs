//! The documents that are structs, by the verb that prints them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::Schema;

use crate::catalog::CatalogDocument;
use crate::compare::CompareDocument;
use crate::contract::{Contract, schema_of};
use crate::doctor::DoctorDocument;
use crate::field::{DocumentField, fields_of};
use crate::fleet::FleetDocument;
use crate::import::ImportDocument;
use crate::plan::PlanDocument;
use crate::replay::ReplayDocument;
use crate::results::ResultsDocument;
use crate::trace::{TraceDocument, TraceEditDocument, TraceFitDocument};

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
pub const ENTRIES: [Entry; 11] = [
    entry::<CatalogDocument>("catalog"),
    entry::<ImportDocument>("catalog import"),
    entry::<CompareDocument>("compare"),
    entry::<DoctorDocument>("doctor"),
    entry::<FleetDocument>("fleet"),
    entry::<PlanDocument>("plan"),
    entry::<ReplayDocument>("predict trace"),
    entry::<ResultsDocument>("results"),
    entry::<TraceEditDocument>("trace convert"),
    entry::<TraceFitDocument>("trace fit"),
    entry::<TraceDocument>("trace info"),
];

/// The entry of a verb.
pub fn entry_of(verb: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.verb == verb)
}

/// The fields of every document, by its name and version. Made once: a page asks for tens of definitions.
static FIELDS: LazyLock<BTreeMap<&'static str, Vec<DocumentField>>> =
    LazyLock::new(|| ENTRIES.iter().map(|entry| (entry.id, fields_of(&(entry.schema)()))).collect());

/// The definition of a key of a document: `iobound.compare/1`, `comparisons[].figures[].a`. `None`: the document is none of
/// these, or it has no such key.
pub fn definition(id: &str, path: &str) -> Option<&'static str> {
    let field = FIELDS.get(id)?.iter().find(|field| field.path == path)?;
    Some(&field.meaning)
}
