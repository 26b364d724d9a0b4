//! Linux.

mod block;
mod extents;
pub(crate) mod files;
mod node;
mod nvme;
pub(crate) mod open;

pub(crate) use block::{dm_status, geometry, loop_status};
pub use extents::unwritten;
pub(crate) use files::{open_to_look, path_of_bytes, path_of_open, room};
pub(crate) use node::{device_number, node};
pub(crate) use nvme::admin_page;
