//! Pages: a document of the program as one HTML file that needs nothing else, with pictures, the tables behind them, and
//! what each figure means. The same document gives the same bytes.

mod chart;
mod definitions;
mod digest;
mod limiters;
mod markup;
mod names;
mod page;
mod pages;
mod picture;
mod scale;
mod series;
mod table;
mod unit;
mod value;

use iobound_documents::Contract;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use names::Names;

/// The schemas that there are pages of.
pub const PAGES: [&str; 12] = [
    "iobound.result/1",
    "iobound.knee/1",
    "iobound.lab/2",
    "iobound.predict/2",
    "iobound.explain/2",
    "iobound.plan/1",
    "iobound.compare/1",
    "iobound.probe/1",
    "iobound.fleet-probe/1",
    "iobound.trace/1",
    "iobound.replay/1",
    "iobound.lab-replay/1",
];

/// The page of a document, in UTF-8.
///
/// # Errors
/// Returns an error if the document has no page; it names the document and those with a page.
pub fn html_page(document: &Value, names: Names) -> Result<String, String> {
    let schema = value::text(document, "schema");
    let Some(schema) = PAGES.into_iter().find(|known| *known == schema) else {
        let said = if schema.is_empty() { "a document without a schema" } else { schema };
        return Err(format!("{said} has no page; these have one: {}", PAGES.join(", ")));
    };
    let left;
    let document = match names {
        Names::Kept => document,
        Names::LeftOut => {
            left = names::without_names(document);
            &left
        }
    };
    let page = match schema {
        "iobound.result/1" => pages::run(document),
        "iobound.knee/1" => pages::knee(document),
        "iobound.lab/2" => pages::lab(document),
        "iobound.explain/2" => pages::explain(document),
        "iobound.plan/1" => pages::plan(&read(document)?),
        "iobound.trace/1" => pages::trace(&read(document)?),
        "iobound.replay/1" => pages::replay(&read(document)?),
        "iobound.lab-replay/1" => pages::lab_replay(&read(document)?),
        "iobound.compare/1" => pages::compare(&read(document)?),
        "iobound.probe/1" => pages::probe(&read(document)?),
        "iobound.fleet-probe/1" => pages::fleet_probe(&read(document)?),
        _ => pages::predict(document),
    };
    Ok(page.finish(document))
}

/// A document as its struct.
fn read<D: Contract + DeserializeOwned>(document: &Value) -> Result<D, String> {
    D::deserialize(document).map_err(|error| format!("the document is not {}: {error}", D::ID))
}
