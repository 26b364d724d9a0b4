use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::sys;
use crate::sys::device::WorldSystem;

/// Root of `/proc`, `/sys` and `/dev`: the machine's own, or a tree of files that stands for one.
#[derive(Clone, Debug)]
pub struct World {
    root: PathBuf,
}

/// File of a tree that stands for a Windows machine.
const WINDOWS_SETUP: &str = "/windows.json";

impl Default for World {
    fn default() -> World {
        World::real()
    }
}

impl World {
    /// This machine.
    pub fn real() -> World {
        World { root: PathBuf::from(sys::ROOT) }
    }

    /// A tree with `proc`, `sys` and `dev` in it.
    pub fn at(root: impl Into<PathBuf>) -> World {
        World { root: root.into() }
    }

    /// True if a tree of files stands for the machine: then no device is there to be asked.
    pub fn is_tree(&self) -> bool {
        self.root != Path::new(sys::ROOT)
    }

    /// The system whose facts it has. A tree with the file of a Windows setup in it is one of Windows.
    pub fn system(&self) -> WorldSystem {
        match self.is_tree() {
            false => sys::SYSTEM,
            true if self.path(WINDOWS_SETUP).is_file() => WorldSystem::Windows,
            true => WorldSystem::Linux,
        }
    }

    /// True if it has what a Linux kernel shows of itself.
    pub(crate) fn is_of_linux(&self) -> bool {
        self.system() == WorldSystem::Linux
    }

    /// Setup of a Windows machine in a tree, as `doctor --setup` reads it; `None` if the file is not readable.
    pub fn windows_setup(&self) -> Option<String> {
        self.text(WINDOWS_SETUP).filter(|_| self.is_tree())
    }

    /// Location of an absolute path of that machine.
    pub fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.root.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// An absolute path of that machine, of where it lies: the inverse of [`World::path`].
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        let root = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        path.strip_prefix(root).map_or_else(|_| path.to_path_buf(), |inside| Path::new("/").join(inside))
    }

    /// Content of a file; `None` if it does not exist or is not readable.
    pub(crate) fn bytes(&self, absolute: &str) -> Option<Vec<u8>> {
        fs::read(self.path(absolute)).ok()
    }

    /// The same as text: what is no UTF-8 is replaced, since names of processes and files may be anything.
    pub(crate) fn text(&self, absolute: &str) -> Option<String> {
        self.bytes(absolute).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Names in a folder, in order; empty if the folder does not exist.
    pub(crate) fn names(&self, absolute: &str) -> Vec<String> {
        names(&self.path(absolute))
    }

    /// Processes there are, by number.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.names("/proc").iter().filter_map(|name| name.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Names in a folder, in order; empty if the folder does not exist.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A file of `/sys`: one value, without its newline. `None` where it is not there, or says nothing.
pub(crate) fn value(folder: &Path, name: &str) -> Option<String> {
    let bytes = fs::read(folder.join(name)).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// The same as a number.
pub(crate) fn number<T: FromStr>(folder: &Path, name: &str) -> Option<T> {
    value(folder, name)?.parse().ok()
}

/// `0-3,8,10-11`, the kernel's form of sets of processors and nodes; other text is skipped.
pub(crate) fn numbers_in(list: &str) -> Vec<u32> {
    /// Above what any kernel has, so that an odd line does not fill the memory.
    const MOST: u32 = 1 << 16;
    let mut numbers = Vec::new();
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            numbers.extend(first.min(MOST)..=last.min(MOST));
        }
    }
    numbers
}

/// A path as `/proc` writes it: blanks, tabs, newlines and backslashes are `\` and three octal digits.
pub(crate) fn unescaped(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, after @ ..] = rest {
        let octal = after.get(..3).filter(|digits| digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        match octal {
            Some(digits) if *first == b'\\' => {
                let code = digits.iter().fold(0u32, |code, digit| code * 8 + u32::from(digit - b'0'));
                bytes.push(u8::try_from(code).unwrap_or(b'?'));
                rest = &after[3..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    sys::path_of_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_becomes_itself_again() {
        assert_eq!(unescaped(br"/mnt/my\040data"), PathBuf::from("/mnt/my data"));
        assert_eq!(unescaped(br"/a\134b"), PathBuf::from(r"/a\b"));
        // An incomplete escape stays unchanged.
        assert_eq!(unescaped(br"/a\04"), PathBuf::from(r"/a\04"));
        assert_eq!(unescaped(br"\777"), PathBuf::from("?"));
    }

    #[test]
    fn a_list_of_ranges_is_its_numbers() {
        assert_eq!(numbers_in("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(numbers_in(""), [0u32; 0]);
        assert_eq!(numbers_in("x,3-,2"), [2]);
        assert!(numbers_in("0-4294967295").len() <= 65_537);
    }

    #[test]
    fn what_is_not_there_is_none_and_no_error() {
        let world = World::at("/nowhere/at/all");
        assert_eq!(world.text("/proc/stat"), None);
        assert!(world.names("/sys/block").is_empty());
        assert!(world.processes().is_empty());
    }
}
