//! DiskSpd 2.2: its command line and its XML profile.
//!
//! Semantics from the sources of microsoft/diskspd (`CmdLineParser.cpp`, `Common.cpp`, `diskspd.xsd`) and its
//! wiki. A command line is a profile of one time span, so both become a [`Profile`] first.

mod check;
mod convert;
mod element;
mod invocation;
mod line;
mod options;
pub mod out;
mod remark;
pub mod result;
mod size;
mod switch;
mod turn;
mod value;
mod xml;
mod xml_target;

use crate::error::Trouble;
use crate::notes::Notes;
use crate::{Foreign, FormatError, Tool};

pub use invocation::{Invocation, parse_run};
pub use options::{
    Affinity, CacheMode, Etw, EventKind, Fill, FlushMode, Hints, NamedEvent, OffsetRange, Processor, Profile,
    RandomZones, RangeUnit, ResultFormat, Target, ThreadTarget, Throttle, TimeSpan, WriteBuffers,
};

/// Reads a DiskSpd command line, with or without the program's name, as people paste it.
///
/// # Errors
/// Returns an error for options that DiskSpd does not have or refuses, that are not supported, and for `-X`, which
/// needs [`parse_line_with_profile`].
pub fn parse_line(text: &str) -> Result<Foreign, FormatError> {
    parse_line_with_profile(text, &|_| None)
}

/// Reads a command line that may name an XML profile (`-X<file>`), which `profile` is asked for by that name.
///
/// # Errors
/// As [`parse_line`]; also if the profile does not exist or cannot be read.
pub fn parse_line_with_profile(
    text: &str,
    profile: &dyn Fn(&str) -> Option<String>,
) -> Result<Foreign, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::DiskSpd), Notes::default());
    let read = line::read(text, profile, &mut trouble, &mut notes);
    finish(read, trouble, notes)
}

/// Reads a command line into DiskSpd's own options, without asking what of it can be carried.
///
/// # Errors
/// As [`parse_line_with_profile`], without the errors for unsupported options.
pub fn parse_profile(text: &str, profile: &dyn Fn(&str) -> Option<String>) -> Result<Profile, FormatError> {
    let mut trouble = Trouble::new(Tool::DiskSpd);
    let read = line::read(text, profile, &mut trouble, &mut Notes::default());
    trouble.or(read.map(|read| read.profile))
}

/// Reads an XML profile (`-X<file>`, `-Rp`), or the profile inside an XML result (`-Rxml`).
///
/// # Errors
/// Returns an error if the text is not XML or not a profile, DiskSpd refuses it, or an option is not supported.
pub fn parse_xml(text: &str) -> Result<Foreign, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::DiskSpd), Notes::default());
    let source = trouble.source(None, text);
    let read = xml::read(text, source, &mut trouble);
    if let Some(read) = &read {
        check::check(read, &mut trouble, &mut notes);
    }
    finish(read, trouble, notes)
}

/// Converts what was read, unless there was a problem.
fn finish(
    read: Option<options::ReadProfile>,
    mut trouble: Trouble,
    mut notes: Notes,
) -> Result<Foreign, FormatError> {
    let foreign = match read {
        Some(read) if trouble.is_empty() => convert::convert(&read, &mut trouble, &mut notes),
        _ => None,
    };
    let foreign = foreign.map(|foreign| Foreign { notes: notes.into_vec(), ..foreign });
    trouble.or(foreign)
}
