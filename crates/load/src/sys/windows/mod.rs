//! Windows: an engine on an I/O completion port, threads and processors. Plain calls are not made: a handle of Windows lets
//! only one of them through at a time.

mod iocp;
mod port;
mod thread;

pub use super::unsupported::{Aio, Uring};
pub(crate) use super::unsupported::{
    Call, FileToCall, MOST_OUTSTANDING, Reader, Returned, refused_aio, refused_ring,
};
pub use iocp::Iocp;
pub(crate) use thread::{bind, thread_usage, wake_on_time};
pub use thread::{close_output, processors};
