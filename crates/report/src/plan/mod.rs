//! The answer of `plan`.

mod build;
mod document;
mod text;
mod trace;
mod words;

use iobound_catalog::Os;
use iobound_plan::{Build, Candidate, Market, Plan};
use iobound_units::Percent;

pub use document::plan_document;
pub use text::plan_text;
pub(crate) use words::count_of;

/// Display of a plan.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The answer.
    pub plan: &'a Plan,
    /// Share of its limits that a host delivers.
    pub slow_host: Percent,
    /// Number of offers.
    pub market: &'a Market,
    /// Regions of the prices, each with the date of its oldest price: `westeurope`, `2026-08`.
    pub places: &'a [(String, Option<String>)],
    /// `Linux, x64, on demand`: on what terms.
    pub terms: &'a str,
    /// Publisher of the image of a build.
    pub os: Os,
    /// True if a region has availability zones.
    pub has_zones: &'a dyn Fn(&str) -> bool,
    /// The candidate, from 1, that is to be built.
    pub build: Option<usize>,
    /// Configurations on which a trace was replayed.
    pub trace: Option<&'a iobound_documents::PlanTrace>,
    /// The assumptions.
    pub assumed: &'a [String],
    /// Notes for the user.
    pub notes: &'a [String],
}

impl Planned<'_> {
    /// Cost of all hosts of a build a month; `None` where a part of it has no known price.
    fn month(&self, build: &Build) -> Option<u64> {
        self.market.price(build).map(|month| self.of_all(month))
    }

    /// Factor on one host's figures.
    fn of_all(&self, of_one: u64) -> u64 {
        of_one.saturating_mul(self.plan.hosts)
    }

    /// Number of hosts, where there are several.
    fn cluster(&self) -> Option<u64> {
        Some(self.plan.hosts).filter(|hosts| *hosts > 1 || !self.plan.by_hosts.is_empty())
    }

    /// Build commands of the chosen candidate; empty where none is chosen.
    fn parts(&self) -> Vec<iobound_catalog::Script> {
        self.chosen().map_or(Vec::new(), |(_, candidate)| build::parts(self, &candidate.build))
    }

    /// The candidate that is to be built, with its number.
    fn chosen(&self) -> Option<(usize, &Candidate)> {
        self.build.and_then(|number| Some((number, self.plan.candidates.get(number - 1)?)))
    }
}
