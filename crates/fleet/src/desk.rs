//! The desk: where ranks meet, on a thread of its own.

use std::fmt;
use std::time::Duration;

use crate::event::Event;
use crate::gathered::Gathered;
use crate::meet::Meet;
use crate::rules::Rules;
use crate::state::FleetState;
use crate::tls::DeskTls;
use crate::token::Token;

/// Where ranks meet. It works on a thread of its own, and ends with the value.
#[derive(Debug)]
pub struct Desk {
    address: Meet,
    of: u32,
}

/// A desk that can't be opened, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenError {
    /// What is wrong.
    pub what: String,
    /// How to mend it, where that is known.
    pub mend: Option<String>,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for OpenError {}

impl Desk {
    /// Opens a desk for `of` ranks. Port 0 is any that is free.
    ///
    /// # Errors
    /// The address is taken or is none of this machine, a TCP desk has no token, a socket's folder is another's, TLS
    /// whose certificate and key are none.
    pub fn open(
        meet: &Meet,
        of: u32,
        token: Option<Token>,
        tls: Option<DeskTls>,
        rules: Rules,
    ) -> Result<Desk, OpenError> {
        let _ = (meet, of, token, tls, rules);
        Err(OpenError { what: "the desk is not there yet".into(), mend: None })
    }

    /// Where it is, for ranks: with the port that 0 became.
    pub fn address(&self) -> Meet {
        self.address.clone()
    }

    /// What happens next; `None` where nothing does within that time. After [`Event::Over`] it is `None` at once.
    pub fn next(&self, within: Duration) -> Option<Event> {
        let _ = within;
        None
    }

    /// How every rank stands.
    pub fn state(&self) -> FleetState {
        FleetState { ranks: Vec::new(), stage: 0 }
    }

    /// Tells all ranks to end their load and report; those that have not begun end. `why` is a sentence for their people.
    pub fn stop(&self, why: &str) {
        let _ = why;
    }

    /// What was handed in until now; the desk closes.
    pub fn gathered(self) -> Gathered {
        Gathered { of: self.of, ranks: Vec::new(), stages: Vec::new(), stopped: None, refused: Vec::new() }
    }
}
