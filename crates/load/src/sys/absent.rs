//! Engines that a platform does not have.

use std::convert::Infallible;
use std::io;
use std::marker::PhantomData;

use iobound_drive::{Done, Engine, EngineError};
use iobound_machine::{NotOnThisPlatform, SystemClock};
use iobound_units::{Instant, Io, Tag};

use crate::engine::common::{Left, Setup, SoFar};
use crate::engine::contents::Contents;
use crate::engine::granted::Granted;
use crate::engine::real::RealEngine;

pub(super) const ENGINES: NotOnThisPlatform = NotOnThisPlatform { what: "this engine" };

/// An engine that this platform does not have.
pub struct AbsentEngine<C> {
    never: Infallible,
    contents: PhantomData<C>,
}

impl<C: Contents> AbsentEngine<C> {
    /// Sets it up.
    ///
    /// # Errors
    /// Always returns an error.
    pub fn new(_setup: Setup<C>) -> io::Result<AbsentEngine<C>> {
        Err(ENGINES.into())
    }

    /// Every I/O does nothing.
    #[must_use]
    pub fn of_nops(self) -> AbsentEngine<C> {
        match self.never {}
    }

    /// Features that the kernel granted.
    pub fn granted(&self) -> Granted {
        match self.never {}
    }
}

impl<C: Contents> Engine for AbsentEngine<C> {
    fn now(&mut self) -> Instant {
        match self.never {}
    }

    fn submit(&mut self, _tag: Tag, _io: Io) {
        match self.never {}
    }

    fn wait(&mut self, _until: Instant, _done: &mut Vec<Done>) -> Result<(), EngineError> {
        match self.never {}
    }

    fn stopped(&self) -> bool {
        match self.never {}
    }
}

impl<C: Contents> RealEngine for AbsentEngine<C> {
    type Contents = C;

    fn start(&mut self, _clock: SystemClock) {
        match self.never {}
    }

    fn so_far(&self) -> SoFar {
        match self.never {}
    }

    fn leave(self) -> Left<C> {
        match self.never {}
    }
}
