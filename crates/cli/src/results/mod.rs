//! Results kept: where the store is, what goes into it, and what is read from it by its id.

#[cfg(all(feature = "load", target_os = "linux"))]
mod configuration;
#[cfg(all(feature = "load", target_os = "linux"))]
mod keep;
mod place;
mod reference;

#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use configuration::toml_of;
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) use keep::{Keeping, ToKeep};
pub(crate) use place::{Place, place_of, refuse_idle};
pub(crate) use reference::{Named, configuration_of_id, named, text_of};
