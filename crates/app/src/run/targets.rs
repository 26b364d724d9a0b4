//! Targets of a run: named targets, or the files of another tool's words.

use std::path::{Path, PathBuf};

use iobound_formats::ForeignFile;
use iobound_units::{Bytes, Op};
use iobound_workload::{Job, Note, Targets, Workload};

use crate::Failure;

/// A target as given: one file, folder or device, or several files of one size laid end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedTarget {
    /// Its name in jobs.
    pub(crate) name: String,
    /// Its files.
    pub(crate) files: Vec<AskedFile>,
}

/// A file of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedFile {
    /// Its path; the file may not exist yet.
    pub(crate) path: PathBuf,
    /// Its size, where the words say one.
    pub(crate) size: Option<Bytes>,
    /// The words ask for it to be made anew.
    pub(crate) recreate: bool,
    /// It may be made where it does not exist.
    pub(crate) may_create: bool,
    /// The words ask for it to be removed when the run is over.
    pub(crate) unlink: bool,
    /// A rank's own in a folder that was named: it may be made, as the one of a run alone is.
    pub(crate) own: bool,
    /// Other ranks on this machine are given the same one.
    pub(crate) shared: bool,
    /// Its replacement for other ranks, perhaps on this machine.
    pub(crate) siblings: Vec<PathBuf>,
}

impl AskedFile {
    /// A file that only this run uses.
    fn at(path: PathBuf) -> AskedFile {
        AskedFile {
            path,
            size: None,
            recreate: false,
            may_create: true,
            unlink: false,
            own: false,
            shared: false,
            siblings: Vec::new(),
        }
    }
}

/// The targets of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunTargets {
    pub(crate) targets: Vec<AskedTarget>,
}

impl RunTargets {
    /// Of the arguments: `[NAME=]PATH`.
    pub(crate) fn named(texts: &[String]) -> Result<RunTargets, Failure> {
        let mut targets: Vec<AskedTarget> = Vec::with_capacity(texts.len());
        for text in texts {
            if text.is_empty() {
                return Err(
                    Failure::input("a target is empty").help("name a file, a folder or a block device")
                );
            }
            let (name, path) = split(text);
            if targets.iter().any(|target| target.name == name) {
                return Err(Failure::input(format!("two targets are named {name}"))
                    .help("name each once, or give them names: a=/mnt/data b=/mnt/log"));
            }
            let file = AskedFile::at(path.into());
            targets.push(AskedTarget { name: name.into(), files: vec![file] });
        }
        Ok(RunTargets { targets })
    }

    /// Of another tool's files, which already lie where `--map` puts them.
    pub(crate) fn of_files(files: &[ForeignFile], recreates: bool) -> RunTargets {
        let mut targets: Vec<AskedTarget> = Vec::new();
        for file in files {
            let asked = AskedFile {
                size: file.size,
                recreate: recreates && file.create,
                // DiskSpd and Iometer say nothing of a file without a size: it has to exist anyway.
                may_create: file.create || file.size.is_none(),
                unlink: file.unlink,
                ..AskedFile::at(PathBuf::from(&file.name))
            };
            match targets.iter_mut().find(|target| target.name == file.target) {
                Some(target) => target.files.push(asked),
                None => targets.push(AskedTarget { name: file.target.clone(), files: vec![asked] }),
            }
        }
        RunTargets { targets }
    }

    /// The first job with an unknown target name, and that name.
    pub(crate) fn stranger<'a>(&self, workloads: &'a [Workload]) -> Option<(&'a str, &'a str)> {
        let known = |name: &str| self.targets.iter().any(|target| target.name == name);
        workloads.iter().flat_map(|workload| &workload.jobs).find_map(|job| match &job.targets {
            Targets::All => None,
            Targets::Named(names) => {
                names.iter().find(|name| !known(name)).map(|name| (job.name.as_str(), name.as_str()))
            }
        })
    }

    /// The first file that is a path or a drive of Windows, where this machine is another one.
    pub(crate) fn of_windows(&self) -> Option<&Path> {
        if cfg!(windows) {
            return None;
        }
        let is_theirs = |path: &&Path| {
            let text = path.to_string_lossy();
            let mut chars = text.chars();
            let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
            let number = text.strip_prefix('#').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            (drive || number || text.starts_with("\\\\.\\")) && !path.exists()
        };
        let files = self.targets.iter().flat_map(|target| &target.files);
        files.map(|file| file.path.as_path()).find(is_theirs)
    }

    /// Maps the jobs' target names to these targets: an unknown name means the first target, with a note.
    pub(crate) fn adopt(&self, workloads: &mut [Workload]) -> Vec<Note> {
        let mut notes: Vec<Note> = Vec::new();
        let Some(first) = self.targets.first() else { return notes };
        let known = |name: &str| self.targets.iter().any(|target| target.name == name);
        for job in workloads.iter_mut().flat_map(|workload| &mut workload.jobs) {
            let Targets::Named(names) = &mut job.targets else { continue };
            for name in names.iter_mut().filter(|name| !known(name)) {
                let note = Note {
                    about: name.clone(),
                    says: format!("is not a target of this run: it means {}", first.name),
                };
                if !notes.contains(&note) {
                    notes.push(note);
                }
                name.clone_from(&first.name);
            }
            names.dedup();
        }
        notes
    }
}

/// `NAME=PATH`: the part before the sign is a plain word, and the complete text is not a file.
fn split(text: &str) -> (&str, &str) {
    let is_word =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    match text.split_once('=') {
        Some((name, path)) if is_word(name) && !path.is_empty() && !Path::new(text).exists() => (name, path),
        _ => (text, text),
    }
}

/// True if a job goes to a target of that name.
pub(super) fn uses(job: &Job, name: &str) -> bool {
    match &job.targets {
        Targets::All => true,
        Targets::Named(names) => names.iter().any(|named| named == name),
    }
}

/// True if any of its I/Os is one of these.
pub(super) fn does(job: &Job, wanted: impl Fn(Op) -> bool) -> bool {
    (job.flush_every.is_some() || job.flush_at_end) && wanted(Op::Flush)
        || job.mix.iter().any(|share| share.weight > 0 && wanted(share.op))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_path_or_a_name_and_a_path() {
        assert_eq!(split("/mnt/data"), ("/mnt/data", "/mnt/data"));
        assert_eq!(split("log=/mnt/log"), ("log", "/mnt/log"));
        assert_eq!(split("/mnt/a=b"), ("/mnt/a=b", "/mnt/a=b"));
        assert!(RunTargets::named(&["a".into(), "a".into()]).is_err());
    }

    #[test]
    fn files_of_one_target_are_gathered() {
        let file = |name: &str, target: &str| ForeignFile {
            name: name.into(),
            target: target.into(),
            offset: Bytes::ZERO,
            size: Some(Bytes::gib(1)),
            create: true,
            unlink: false,
        };
        let places = RunTargets::of_files(&[file("j.0.0", "j"), file("j.1.0", "j"), file("x", "x")], false);
        let shape: Vec<(&str, usize)> =
            places.targets.iter().map(|target| (target.name.as_str(), target.files.len())).collect();
        assert_eq!(shape, [("j", 2), ("x", 1)]);
    }
}
