//! `--map e:=data`: where the paths of another machine lie on this one.

use iobound_formats::ForeignFile;
use iobound_workload::{Targets, Workload};

use crate::failure::Failure;
use crate::settings::SettingValue;

/// Prefixes of paths and what stands for them.
#[derive(Clone, Debug, Default)]
pub struct PathMap {
    pairs: Vec<Pair>,
}

#[derive(Clone, Debug)]
struct Pair {
    /// In lower case: Windows does not tell the cases apart.
    from: String,
    to: String,
    given: SettingValue,
    /// True if a path began with it.
    used: bool,
}

impl PathMap {
    /// Reads the values of `--map`.
    pub fn of(given: &[SettingValue]) -> Result<PathMap, Failure> {
        let mut pairs = Vec::with_capacity(given.len());
        for given in given {
            match given.text.split_once('=') {
                Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                    let (from, to) = (from.to_ascii_lowercase(), to.to_string());
                    pairs.push(Pair { from, to, given: given.clone(), used: false });
                }
                _ => {
                    return Err(given.refuse(format!(
                        "`{}` is not a mapping: write e:=/mnt/data or e:=data",
                        given.text
                    )));
                }
            }
        }
        Ok(PathMap { pairs })
    }

    /// The mappings that no path began with, each where it was given.
    pub fn unused(&self) -> impl Iterator<Item = &SettingValue> {
        self.pairs.iter().filter(|pair| !pair.used).map(|pair| &pair.given)
    }

    /// Maps every target name of the workload.
    pub fn apply(&mut self, workload: &mut Workload) {
        for job in &mut workload.jobs {
            if let Targets::Named(names) = &mut job.targets {
                names.iter_mut().for_each(|name| *name = self.map(name));
            }
        }
    }

    /// Maps a file and the target that it is a part of.
    pub fn apply_to_file(&mut self, file: &mut ForeignFile) {
        file.name = self.map(&file.name);
        file.target = self.map(&file.target);
    }

    /// The name here, without a mapping counted as used.
    pub fn find(&self, name: &str) -> String {
        self.clone().map(name)
    }

    /// The name here. A prefix that stands for a bare name (no path) means that volume, whatever the file.
    fn map(&mut self, name: &str) -> String {
        let lower = name.to_ascii_lowercase();
        let Some(pair) = self.pairs.iter_mut().find(|pair| lower.starts_with(pair.from.as_str())) else {
            return name.to_string();
        };
        pair.used = true;
        let Pair { from, to, .. } = pair;
        if !to.contains(['/', '\\', '.']) {
            return to.clone();
        }
        format!("{to}{}", without_label(&name[from.len()..]).replace('\\', "/"))
    }
}

/// The rest of a volume's name without the label that Iometer shows behind the drive: `E: "Data"`.
fn without_label(rest: &str) -> &str {
    let label = rest.trim().strip_prefix('"').and_then(|label| label.strip_suffix('"'));
    if label.is_some_and(|label| !label.contains('"')) { "" } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Origin;

    fn map(pairs: &[&str]) -> PathMap {
        let given = |text: &&str| SettingValue { text: text.to_string(), from: Origin::Flag("--map".into()) };
        PathMap::of(&pairs.iter().map(given).collect::<Vec<SettingValue>>()).unwrap()
    }

    #[test]
    fn a_drive_is_a_directory_or_a_volume() {
        let mut map = map(&["e:=/mnt/data", "F:=log"]);
        for (from, to) in
            [("E:\\db\\io.dat", "/mnt/data/db/io.dat"), ("f:\\x.log", "log"), ("c:\\io.dat", "c:\\io.dat")]
        {
            assert_eq!(map.map(from), to);
        }
        assert_eq!(map.unused().count(), 0);
    }

    #[test]
    fn the_label_of_a_volume_is_no_part_of_its_path() {
        let mut map = map(&["E:=/mnt/data", "F: \"Log\"=/mnt/log"]);
        for (from, to) in [
            ("E: \"Data\"", "/mnt/data"),
            ("e:\"Data disk\"", "/mnt/data"),
            ("E: \"\"", "/mnt/data"),
            ("E:", "/mnt/data"),
            ("F: \"Log\"", "/mnt/log"),
            ("E:\\a \"b\"", "/mnt/data/a \"b\""),
        ] {
            assert_eq!(map.map(from), to, "{from}");
        }
    }
}
