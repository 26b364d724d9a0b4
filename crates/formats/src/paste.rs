//! How people paste a command line.

use iobound_workload::Note;

/// One word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, without quotes, with plain dashes.
    pub text: String,
    /// Where it begins in the text as it was pasted, in bytes.
    pub at: usize,
    /// How many bytes of that text it takes.
    pub len: usize,
}

/// A pasted command line: its words and what was mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pasted {
    /// The words after the program's name.
    pub words: Vec<Word>,
    /// What was changed to read it.
    pub notes: Vec<Note>,
}
