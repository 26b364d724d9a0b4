//! Linux: io_uring, libaio, calls that wait.

mod aio;
mod call;
mod entrance;
mod entry;
mod files;
mod reader;
mod refused;
mod thread;
mod uring;

pub use aio::Aio;
pub(crate) use call::{Call, FileToCall, Returned};
pub(crate) use reader::Reader;
pub(crate) use refused::{refused_aio, refused_ring};
pub(crate) use thread::{bind, thread_usage, wake_on_time};
pub use thread::{close_output, processors};
pub(crate) use uring::MOST_OUTSTANDING;
pub use uring::Uring;

/// A completion port of Windows; never exists on Linux.
pub type Iocp<C> = super::absent::AbsentEngine<C>;
