//! The local page: HTTP on the loopback, in front of whoever answers.
//!
//! The async runtime lives in this crate and nowhere else. What is asked is answered by a [`Backend`], on threads of its
//! own, so that a slow answer holds up nobody's page.

mod backend;
mod connections;
mod guard;
mod live;
mod page;
mod server;

pub use backend::{Answer, Backend, Word};
pub use server::{Server, Stop};
