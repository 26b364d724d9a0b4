//! Runs of this program, kept in the results store.

#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
mod keep;

use iobound_app::results::Place;

use crate::outfile::OutputClaim;

#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub(crate) use keep::{Keeping, ToKeep};

/// The store's file, to compare it with others that are written.
pub(crate) fn claim_of(place: &Place) -> Option<OutputClaim> {
    match place {
        Place::At(path) => OutputClaim::of_path(path),
        Place::Off | Place::Homeless => None,
    }
}
