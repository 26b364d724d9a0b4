//! Operations on open files beyond the standard library, on every platform.

pub use crate::sys::facts::{Method, Unwritten};
pub use crate::sys::files::{
    allow_descriptors, attribute, direct_alignment, expect_random, hold, is_media_error, leave_page_cache,
    random_number, read_exact_at, remove_attribute, set_attribute, set_space_aside, write_all_at, write_at,
};
#[cfg(windows)]
pub use crate::sys::open_overlapped;
pub use crate::sys::unwritten;
