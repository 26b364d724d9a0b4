//! The Network Block Device protocol: fixed newstyle, simple and structured replies, several connections to one export.
//!
//! [`Server`] is all connections over any transport, on the emulator's clock, without a thread of its own; [`crate::Pacer`]
//! gives it turns when its sockets have something to say or a reply is due. [`Door`] is where clients come in.

pub mod client;
mod door;
mod handshake;
mod input;
mod link;
mod listen;
mod reply;
mod server;
mod session;
mod transport;
mod wire;

pub use door::Door;
pub use link::{MOST_HELD, MOST_REQUESTS};
pub use listen::{Listen, Listener};
pub use server::{HANDSHAKE, LinkId, MOST_INPUT, MOST_LINKS, MOST_REPLIES, Server, Turn, UNUSED};
pub use transport::{Patient, Pipe, Socket, Transport};
pub use wire::MOST_PAYLOAD;
