//! Files that the program writes beside its answer.
//!
//! One rule for all of them. A new file is created under a free name. An existing file is replaced, atomically, only if
//! it is a document of the same kind, a regular file with one name, and belongs to this user. An existing empty file is
//! filled. Everything else is an error before the work begins, and is checked again when the file is written. Standard
//! output, other open descriptors, terminals, pipes and `/dev/null` are written directly; block devices never.

mod kind;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::fs::File;
use std::io::{BufWriter, Write};

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use unsupported as system;

pub use kind::DocumentKind;
pub use system::OutputClaim;

use crate::Env;
use crate::Failure;
use crate::settings::SettingValue;

/// Advice: how to fix a file that cannot be written.
const WRITABLE: &str = "name a file in a folder that you can write to";

/// Reason why an output cannot be written there.
#[derive(Debug)]
enum Unfit {
    /// An existing entry would be lost, or must not be written to: the entry.
    Taken(String),
    /// The system refuses.
    Unwritable(std::io::Error),
    /// The name means nothing.
    Nameless(String),
}

/// A file that is to be written, at a place that was found fit for it. Nothing is created until it is written.
#[derive(Clone, Debug)]
pub struct OutFile {
    /// As the person named it.
    shown: String,
    kind: DocumentKind,
    place: system::OutPlace,
    env: Env,
}

impl OutFile {
    /// The file that another tool's words name, or a verb itself.
    ///
    /// # Errors
    /// Returns an error if something else exists there, or the folder is not writable.
    pub fn named(path: &str, kind: DocumentKind, env: &Env) -> Result<OutFile, Failure> {
        let place = system::OutPlace::of(path, kind);
        let place = place.map_err(|unfit| explain(path, kind, &unfit, &|why| Failure::input(why)))?;
        Ok(OutFile { shown: path.to_string(), kind, place, env: env.clone() })
    }

    /// The file that a flag, the environment or a file of settings names; `fd:3` is a descriptor that the caller left open.
    ///
    /// # Errors
    /// As [`OutFile::named`].
    pub fn given(given: &SettingValue, kind: DocumentKind, env: &Env) -> Result<OutFile, Failure> {
        let path = match given.text.as_str() {
            "-" => "-".to_string(),
            text if text.starts_with("fd:") => text.to_string(),
            _ => given.path(),
        };
        let place = system::OutPlace::of(&path, kind);
        let place = place.map_err(|unfit| explain(&path, kind, &unfit, &|why| given.refuse(why)))?;
        Ok(OutFile { shown: path, kind, place, env: env.clone() })
    }

    /// The place, to compare it with others.
    pub fn claim(&self) -> Option<OutputClaim> {
        self.place.claim(&self.shown)
    }

    /// Writes a whole document: no reader sees a part of it.
    ///
    /// # Errors
    /// Returns an error if something else exists there by now, or the file cannot be written.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        self.write_bytes(text.as_bytes())
    }

    /// [`OutFile::write`] of a document that is no text.
    ///
    /// # Errors
    /// As [`OutFile::write`].
    pub fn write_bytes(&self, content: &[u8]) -> Result<(), Failure> {
        self.place.write(self.kind, content, &self.env).map_err(|unfit| self.failed(&unfit))
    }

    /// The file as the person named it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Opens the file for output during the run. Its content stays if the program is killed.
    ///
    /// # Errors
    /// As [`OutFile::write`].
    pub fn open(&self) -> Result<OpenOutFile, Failure> {
        let file = self.place.open(self.kind, &self.env).map_err(|unfit| self.failed(&unfit))?;
        Ok(OpenOutFile { shown: self.shown.clone(), file: Some(BufWriter::new(file)) })
    }

    fn failed(&self, unfit: &Unfit) -> Failure {
        explain(&self.shown, self.kind, unfit, &|why| Failure::io(why))
    }
}

/// The problem with a place, and how to fix it.
fn explain(path: &str, kind: DocumentKind, unfit: &Unfit, of: &dyn Fn(String) -> Failure) -> Failure {
    match unfit {
        Unfit::Taken(what) => {
            let fix = match kind {
                DocumentKind::Settings { consented: false } => {
                    let word = iobound_workload::shell_word(path);
                    format!("add --overwrite {word} if its content may be lost, or name another file")
                }
                _ if what.starts_with("exists") => "name another file, or remove this one".to_string(),
                _ => "name another file".to_string(),
            };
            of(format!("{path} {what}")).help(fix).into_refused()
        }
        Unfit::Unwritable(error) => of(format!("cannot write {path}: {error}")).help(WRITABLE),
        Unfit::Nameless(why) => of(why.clone()).help("write fd:3, or the name of a file"),
    }
}

/// Refuses two outputs in one file.
///
/// # Errors
/// Returns an error if two of them are the same file.
pub fn refuse_doubles(files: &[&OutFile]) -> Result<(), Failure> {
    let claims: Vec<OutputClaim> = files.iter().filter_map(|file| file.claim()).collect();
    for (n, claim) in claims.iter().enumerate() {
        if let Some(other) = claims[..n].iter().find(|other| other.is_same(claim)) {
            return Err(Failure::input(format!(
                "{} and {} are the same file, and each needs its own",
                other, claim
            ))
            .help("give each a file of its own"));
        }
    }
    Ok(())
}

/// A file that is written as things happen. After its first error nothing more is written to it.
#[derive(Debug)]
pub struct OpenOutFile {
    shown: String,
    file: Option<BufWriter<File>>,
}

impl OpenOutFile {
    /// Writes a text through to the file.
    ///
    /// # Errors
    /// Returns an error at the first write that fails.
    pub fn write(&mut self, text: &str) -> Result<(), Failure> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
        written.map_err(|error| {
            // The rest of the buffer would be tried again when it is dropped.
            if let Some(file) = self.file.take() {
                drop(file.into_parts());
            }
            Failure::io(format!("cannot write {}: {error}", self.shown))
        })
    }
}

/// Files that could not be written beside an answer. The answer is given anyway.
#[derive(Debug, Default)]
pub struct Unwritten(Vec<Failure>);

impl Unwritten {
    /// Keeps the failure of something that was to be written.
    pub fn take<T>(&mut self, written: Result<T, Failure>) -> Option<T> {
        written.map_err(|failure| self.0.push(failure)).ok()
    }

    /// True if everything was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Failures, in the order in which they happened.
    pub fn failures(self) -> Vec<Failure> {
        self.0
    }
}
