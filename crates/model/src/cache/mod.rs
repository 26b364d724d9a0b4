//! The host cache: what is present, what is dirty, and when dirty data goes to the media.

mod dirty;
mod presence;

pub(crate) use dirty::{Dirty, DirtyRange};
pub(crate) use presence::Presence;
