//! The other side of the protocol: to drive a server in tests, in benchmarks, and to measure what the transport costs.

mod channel;
mod engine;
mod haggle;

pub use channel::{Channel, Reply};
pub use engine::{Address, Client, connect, connect_patiently};
pub use haggle::Entered;
