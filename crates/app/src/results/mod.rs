//! Kept results: the place of the store, and results by their id.

mod configuration;
#[cfg(feature = "load")]
mod keep;
mod place;
mod reference;
mod request;
mod since;
mod stored;

#[cfg(feature = "load")]
use crate::outfile::OutputClaim;
use crate::{Common, Failure};

pub use configuration::toml_of;
#[cfg(feature = "load")]
pub(crate) use keep::{Keeping, ToKeep};
pub use place::{Place, place_of};
pub use reference::{Named, configuration_of_id, named, text_of};
pub use request::{
    DeleteRequest, ExportRequest, HtmlRequest, ListRequest, PreparedResults, ReadResultRequest,
    ResultsAnswer, ShowRequest, read_result,
};

/// The store's file, to compare it with others that are written.
#[cfg(feature = "load")]
pub(crate) fn claim_of(place: &Place) -> Option<OutputClaim> {
    match place {
        Place::At(path) => OutputClaim::of_path(path),
        Place::Off | Place::Homeless => None,
    }
}

/// Refuses what changes nothing where nothing runs and nothing is predicted.
///
/// # Errors
/// Returns an error if a seed or a configuration is given.
pub fn refuse_idle(common: &Common) -> Result<(), Failure> {
    let idle = [
        ("seed", &common.seed, "this verb uses no random numbers"),
        ("config", &common.config, "a kept run has its own configuration"),
    ];
    match idle.into_iter().find_map(|(name, given, why)| Some((name, given.as_ref()?, why))) {
        Some((name, given, why)) => {
            Err(Failure::input(format!("--{name} {given} has no effect here: {why}")).help("leave it out"))
        }
        None => Ok(()),
    }
}
