use std::collections::BTreeSet;

use iobound_workload::Note;

/// Notes in the order they were made, each once.
#[derive(Default)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    seen: BTreeSet<(String, String)>,
    /// True if the tool's own report is made, so that options of it are read elsewhere and need no note.
    pub(crate) reported: bool,
}

impl Notes {
    /// No note yet, and none about what a report carries.
    pub(crate) fn of_a_report() -> Notes {
        Notes { reported: true, ..Notes::default() }
    }

    /// Says what became of `about`, unless that was said already.
    pub(crate) fn add(&mut self, about: impl Into<String>, says: impl Into<String>) {
        let (about, says) = (about.into(), says.into());
        if self.seen.insert((about.clone(), says.clone())) {
            self.notes.push(Note { about, says });
        }
    }

    /// The notes of `self`, then those of `others`.
    pub(crate) fn extend(&mut self, others: Vec<Note>) {
        for note in others {
            self.add(note.about, note.says);
        }
    }

    /// The notes made.
    pub(crate) fn into_vec(self) -> Vec<Note> {
        self.notes
    }
}
