use std::io;
use std::sync::Arc;

use super::listen::{Listen, Listener};
use super::server::{Mailbox, Server};
use super::transport::Socket;
use crate::lateness::Lateness;
use crate::request::FrontId;

/// Listener for NBD clients, before the [`crate::Pacer`] serves them.
#[derive(Debug)]
pub struct Door {
    front: FrontId,
    listeners: Vec<Listener>,
    mailbox: Arc<Mailbox>,
    lateness: Arc<Lateness>,
}

impl Door {
    /// Listens at these places, as this one of the emulator's fronts.
    ///
    /// # Errors
    /// As [`Listener::bind`].
    pub fn listen(front: FrontId, places: &[Listen]) -> io::Result<Door> {
        Door::new(front, places.iter().map(Listener::bind).collect::<io::Result<_>>()?)
    }

    /// With these listeners.
    ///
    /// # Errors
    /// Returns an error if no descriptor is available.
    pub fn new(front: FrontId, listeners: Vec<Listener>) -> io::Result<Door> {
        Ok(Door { front, listeners, mailbox: Arc::new(Mailbox::new()?), lateness: Arc::default() })
    }

    /// The delay with which replies go out.
    pub fn lateness(&self) -> Arc<Lateness> {
        Arc::clone(&self.lateness)
    }

    /// Addresses in use: port 0 is replaced by the port that was free.
    ///
    /// # Errors
    /// Returns an error if the system does not tell the address.
    pub fn addresses(&self) -> io::Result<Vec<Listen>> {
        self.listeners.iter().map(Listener::address).collect()
    }

    pub(crate) fn open(self) -> (FrontId, Server<Socket>, Vec<Listener>, Arc<Mailbox>) {
        let server = Server::with(self.front, Arc::clone(&self.mailbox), self.lateness);
        (self.front, server, self.listeners, self.mailbox)
    }
}
