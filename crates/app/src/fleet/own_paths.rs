//! Path of a target on one rank: `{rank}` and `{host}` are replaced, and in a folder each rank has a file of
//! its own, since a folder may be the same one on several machines too.

use std::path::PathBuf;

use iobound_fleet::RankInfo;

use crate::run::{AskedFile, AskedTarget, RunTargets};

/// The paths of one rank.
#[derive(Clone, Debug)]
pub(crate) struct OwnPaths {
    rank: u32,
    of: u32,
    host: String,
    /// Number of ranks that are on this machine, as far as the launcher says it.
    here: u32,
}

impl OwnPaths {
    /// Those of the rank in this rank_info, on a machine that is called so.
    pub(crate) fn new(rank_info: &RankInfo, host: &str) -> OwnPaths {
        let here = rank_info.local.map_or(1, |local| local.of);
        OwnPaths { rank: rank_info.rank, of: rank_info.of, host: host.to_string(), here }
    }

    /// Number of ranks that are on this machine, as far as the launcher says it.
    pub(crate) fn here(&self) -> u32 {
        self.here
    }

    /// A text with this rank's number and host in it.
    pub(crate) fn settle(&self, text: &str) -> String {
        self.of_rank(text, self.rank)
    }

    fn of_rank(&self, text: &str, rank: u32) -> String {
        text.replace("{rank}", &rank.to_string()).replace("{host}", &self.host)
    }

    /// The targets as they lie for this rank; their names stay, so that they are the same on all.
    pub(crate) fn places(&self, places: &RunTargets) -> RunTargets {
        let mut folders: Vec<PathBuf> = Vec::new();
        let target = |target: &AskedTarget| AskedTarget {
            name: target.name.clone(),
            files: target.files.iter().map(|file| self.file(file, &mut folders)).collect(),
        };
        RunTargets { targets: places.targets.iter().map(target).collect() }
    }

    fn file(&self, file: &AskedFile, folders: &mut Vec<PathBuf>) -> AskedFile {
        let text = file.path.to_string_lossy().into_owned();
        let path = PathBuf::from(self.settle(&text));
        // A path that is not text has no placeholders.
        let path = if file.path.to_str().is_none() { file.path.clone() } else { path };
        let others = |of: &dyn Fn(u32) -> PathBuf| -> Vec<PathBuf> {
            match self.here {
                0 | 1 => Vec::new(),
                _ => (0..self.of).filter(|rank| *rank != self.rank).map(of).collect(),
            }
        };
        if path.is_dir() {
            let same = path.canonicalize().unwrap_or_else(|_| path.clone());
            let before = folders.iter().filter(|folder| **folder == same).count();
            folders.push(same);
            let of = |rank: u32| {
                let folder = PathBuf::from(self.of_rank(&text, rank));
                folder.join(name_in_folder(rank, before))
            };
            return AskedFile {
                path: path.join(name_in_folder(self.rank, before)),
                own: true,
                siblings: others(&of),
                ..file.clone()
            };
        }
        let has_rank = text.contains("{rank}");
        let of = |rank: u32| PathBuf::from(self.of_rank(&text, rank));
        AskedFile {
            path,
            shared: self.here > 1 && !has_rank,
            siblings: if has_rank { others(&of) } else { Vec::new() },
            ..file.clone()
        }
    }

    /// The consents for this rank.
    pub(crate) fn consents(&self, overwrite: &[PathBuf]) -> Vec<PathBuf> {
        let settled = |path: &PathBuf| match path.to_str() {
            Some(text) => PathBuf::from(self.settle(text)),
            None => path.clone(),
        };
        overwrite.iter().map(settled).collect()
    }
}

/// The file of a rank in a folder, of the n-th target that is this folder.
fn name_in_folder(rank: u32, n: usize) -> String {
    format!("iobound.rank{rank}.{n}.data")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use iobound_fleet::{Launcher, Local};

    use super::*;

    fn paths(rank: u32, here: u32) -> OwnPaths {
        let local = Some(Local { rank: rank % here, of: here });
        OwnPaths::new(&RankInfo { rank, of: 4, launcher: Launcher::OpenMpi, local, job: None }, "db1")
    }

    fn files(own: &OwnPaths, texts: &[&str]) -> Vec<AskedFile> {
        let texts: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
        let places = own.places(&RunTargets::named(&texts).unwrap());
        places.targets.into_iter().flat_map(|target| target.files).collect()
    }

    #[test]
    fn rank_and_host_stand_for_themselves() {
        let own = paths(3, 1);
        let files = files(&own, &["/nowhere/{host}/part{rank}"]);
        assert_eq!(files[0].path, Path::new("/nowhere/db1/part3"));
        assert!(!files[0].shared && !files[0].own);
        assert_eq!(own.consents(&["/dev/disk{rank}".into()]), [PathBuf::from("/dev/disk3")]);
    }

    #[test]
    fn in_one_folder_each_rank_has_a_file_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().display().to_string();
        let named = format!("a={here}");
        let [one, other] = [paths(0, 2), paths(1, 2)].map(|own| files(&own, &[&here, &named]));
        assert_eq!(one[0].path, folder.path().join("iobound.rank0.0.data"));
        assert_eq!(one[1].path, folder.path().join("iobound.rank0.1.data"), "two targets, two files");
        assert_eq!(other[0].path, folder.path().join("iobound.rank1.0.data"));
        assert!(one[0].siblings.contains(&other[0].path) && one[0].own);
    }

    #[test]
    fn one_path_of_several_ranks_on_a_machine_is_shared() {
        assert!(files(&paths(0, 2), &["/nowhere/a"])[0].shared);
        assert!(files(&paths(0, 2), &["/nowhere/{host}"])[0].shared, "a machine has one name");
        assert!(!files(&paths(0, 2), &["/nowhere/{rank}"])[0].shared);
        assert!(!files(&paths(0, 1), &["/nowhere/a"])[0].shared, "another machine has another file");
    }
}
