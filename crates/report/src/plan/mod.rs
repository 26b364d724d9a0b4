//! The answer of `plan`.

mod build;
mod json;
mod text;
mod words;

use iobound_catalog::Os;
use iobound_plan::{Market, Need, Plan};

pub use json::plan_json;
pub use text::plan_text;

/// What is shown of a plan.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The answer.
    pub plan: &'a Plan,
    /// What was needed.
    pub need: &'a Need,
    /// What was chosen from.
    pub market: &'a Market,
    /// Where, and as of when the prices are: `westeurope`, `2026-08`.
    pub places: &'a [(String, Option<String>)],
    /// `Linux, x64, on demand`: on what terms.
    pub terms: &'a str,
    /// Whose image a build is made with.
    pub os: Os,
    /// Whether a region has availability zones.
    pub has_zones: &'a dyn Fn(&str) -> bool,
    /// The candidate, from 1, that is to be built.
    pub build: Option<usize>,
    /// What was taken although nobody said it.
    pub assumed: &'a [String],
    /// What the person should know.
    pub notes: &'a [String],
}

impl Planned<'_> {
    /// How the chosen candidate is built; nothing where none is chosen.
    fn parts(&self) -> Vec<build::Part> {
        let candidate = self.build.and_then(|number| self.plan.candidates.get(number - 1));
        candidate.map_or(Vec::new(), |candidate| build::parts(self, &candidate.build))
    }
}
