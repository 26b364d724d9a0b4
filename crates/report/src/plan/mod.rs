//! The answer of `plan`.

mod build;
mod document;
mod text;
mod words;

use iobound_catalog::Os;
use iobound_plan::{Build, Market, Plan};
use iobound_units::Percent;

pub use document::plan_document;
pub use text::plan_text;

/// What is shown of a plan.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The answer.
    pub plan: &'a Plan,
    /// What a host has to make do with of its limits.
    pub slow_host: Percent,
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
    /// What all hosts of a build cost a month; `None` where a part of it has no known price.
    fn month(&self, build: &Build) -> Option<u64> {
        self.market.price(build).map(|month| self.of_all(month))
    }

    /// So many times one host's.
    fn of_all(&self, of_one: u64) -> u64 {
        of_one.saturating_mul(self.plan.hosts)
    }

    /// How many hosts there are, where there are several.
    fn cluster(&self) -> Option<u64> {
        Some(self.plan.hosts).filter(|hosts| *hosts > 1 || !self.plan.by_hosts.is_empty())
    }

    /// How the chosen candidate is built; nothing where none is chosen.
    fn parts(&self) -> Vec<iobound_catalog::Script> {
        let candidate = self.build.and_then(|number| self.plan.candidates.get(number - 1));
        candidate.map_or(Vec::new(), |candidate| build::parts(self, &candidate.build))
    }
}
