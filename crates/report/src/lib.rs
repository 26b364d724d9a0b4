//! What is shown of an answer: text for a person, JSON for a script, CSV for a table. Data in, bytes out: nothing
//! here knows a terminal, a file or a clock, and the same answer gives the same bytes.

pub mod number;

mod document;
mod limit;
mod page;
mod predict;
mod settings;
mod table;

pub use document::Document;
pub use limit::{binding_title, limit_title};
pub use page::{Page, Style};
pub use predict::{Predicted, Stage, Wording, predict_json, predict_text, prediction_json};
pub use settings::{Setting, settings_json, settings_text};
pub use table::{Align, Column, Table};
