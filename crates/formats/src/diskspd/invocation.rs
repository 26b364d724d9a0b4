//! An invocation that is to be run: what to do, and what to answer.

use super::options::{Profile, ReadProfile, TimeSpan};
use super::switch::Knob;
use super::{convert, line};
use crate::error::{At, Trouble};
use crate::notes::Notes;
use crate::{Foreign, FormatError, Tool};
use iobound_units::Span;

/// A command line that is to be run and answered as DiskSpd answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// DiskSpd's own options: also those that only shape the answer ([`crate::diskspd::out::report`]).
    pub profile: Profile,
    /// Workload to run; `None` where the profile is only to be printed (`-Rp`,
    /// [`crate::diskspd::out::profile_report`]).
    pub foreign: Option<Foreign>,
}

/// Reads a command line that is to be run; `profile` as in [`super::parse_line_with_profile`].
///
/// # Errors
/// As [`super::parse_line_with_profile`]; also if the line has no target, or has an option that changes the run or its
/// answer and is not supported: wait statistics (`-vs`), event tracing (`-e`), named events (`-y`).
pub fn parse_run(text: &str, profile: &dyn Fn(&str) -> Option<String>) -> Result<Invocation, FormatError> {
    let (mut trouble, mut notes) = (Trouble::new(Tool::DiskSpd), Notes::default());
    let Some(read) = line::read(text, profile, &mut trouble, &mut notes).filter(|_| trouble.is_empty())
    else {
        return trouble.or(None);
    };
    if read.profile.profile_only {
        return Ok(Invocation { profile: read.profile, foreign: None });
    }
    refuse(&read, &mut trouble);
    let foreign = convert::convert(&read, &mut trouble, &mut notes);
    let foreign = foreign.map(|foreign| Foreign { notes: notes.into_vec(), ..foreign });
    trouble.or(foreign.map(|foreign| Invocation { profile: read.profile, foreign: Some(foreign) }))
}

/// Refuses what a prediction can do without and a run cannot.
fn refuse(read: &ReadProfile, trouble: &mut Trouble) {
    let profile = &read.profile;
    let place = |knob: Knob| read.place(usize::MAX, usize::MAX, knob);
    if profile.wait_statistics {
        trouble.add(
            place(Knob::Verbose),
            "wait statistics count Windows' completion ports, which this system does not have",
            "leave -vs out",
        );
    }
    if profile.etw.is_some() {
        trouble.add(place(Knob::Etw), "event tracing is part of Windows", "leave -e out");
    }
    if !profile.events.is_empty() {
        trouble.add(
            place(Knob::Events),
            "named events are part of Windows: no process would signal or wait here",
            "leave -y out",
        );
    }
    let nameless =
        profile.time_spans.iter().flat_map(|span| &span.targets).any(|target| target.path.is_empty());
    if nameless {
        trouble.add(
            At { at: read.whole.len, len: 1, ..read.whole },
            "there is no target",
            "name a file or a device after the switches: diskspd -b4K -d60 testfile.dat",
        );
    }
}

impl TimeSpan {
    /// Time that an interval of the series has to be for the figures of `-D`; `None` without it.
    pub fn interval(&self) -> Option<Span> {
        self.iops_deviation.then(|| Span::from_ms(u64::from(self.bucket_ms)))
    }
}
