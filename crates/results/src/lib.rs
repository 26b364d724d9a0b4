//! The results store: what runs reached, kept in one SQLite file that other tools read too.
//!
//! Each run is written at its end, in one transaction: whatever ends the program before leaves the runs before it.
//! Several processes may write; the file keeps a write-ahead log.

#![allow(clippy::disallowed_methods, reason = "the store is a file: this is an edge of the program")]

mod error;
mod id;
mod keep;
mod latencies;
mod log;
mod place;
mod query;
mod read;
mod schema;
mod store;

pub use error::StoreError;
pub use id::RunId;
pub use keep::NewRun;
pub use query::{Query, Row, Since};
pub use read::Kept;
pub use schema::VERSION;
pub use store::Store;
