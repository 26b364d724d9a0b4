//! Where a job's I/O goes: files and their sizes, and how much of them a job does.

use iobound_units::Bytes;
use iobound_workload::{Region, Spread};

use super::asked::Asked;
use super::pattern::Pattern;
use super::units::{Amount, parse_bytes};
use crate::ForeignFile;

/// More files than this are one entry in the list.
const MOST_FILES: u64 = 4096;

/// Where a job's I/O goes.
pub(super) struct Layout {
    pub targets: Vec<String>,
    /// Clones on each target, or in all: as `spread` counts.
    pub threads: u32,
    /// Clones in all.
    pub clones: u32,
    pub spread: Spread,
    pub region: Region,
    /// How far apart the threads' sequential streams start.
    pub thread_stride: Option<Bytes>,
    /// What a thread does once, before it is done; `None` where nobody knows the size.
    pub once: Option<u64>,
    pub files: Vec<ForeignFile>,
}

/// The sizes that a job gives.
struct Sizes {
    /// `size`: of all files of a clone together.
    all: Option<u64>,
    /// Of one file.
    file: Option<u64>,
    offset: u64,
    increment: u64,
    /// `filesize` says how long a file is, whatever a job uses of it.
    fixed: bool,
}

impl Sizes {
    /// How long one file is: as long as said, else up to where the job's part of it ends, as fio lays it out.
    fn end(&self, region: Region) -> Option<u64> {
        match region.size {
            Some(size) if !self.fixed => region.offset.get().checked_add(size.get()),
            _ => self.file,
        }
    }
}

/// The layout of a job; `None` with a problem.
pub(super) fn layout(asked: &mut Asked<'_>, pattern: &Pattern) -> Option<Layout> {
    let clones = asked.count("numjobs", 1, 1, 4096);
    let names = filenames(asked)?;
    let directories = directories(asked);
    let default_files = names.len().max(1) as u32;
    let files = asked.count("nrfiles", default_files, 1, 1_000_000);
    if !names.is_empty() && files as usize != names.len() {
        asked.refuse(
            "nrfiles",
            format!("nrfiles is {files}, but filename names {}", names.len()),
            "leave nrfiles out, or name every file",
        );
        return None;
    }
    let largest = pattern.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(1);
    let sizes = sizes(asked, u64::from(files), largest)?;
    service(asked, files)?;
    if names.is_empty() {
        own_files(asked, pattern, &directories, &sizes, clones, files)
    } else {
        named_files(asked, pattern, &directories, names, &sizes, clones)
    }
}

/// `filename`: split at colons that no backslash escapes.
fn filenames(asked: &mut Asked<'_>) -> Option<Vec<String>> {
    let Some(text) = asked.text("filename") else { return Some(Vec::new()) };
    let mut names = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&':') => {
                chars.next();
                names.last_mut().expect("one to begin with").push(':');
            }
            ':' => names.push(String::new()),
            c => names.last_mut().expect("one to begin with").push(c),
        }
    }
    let drive = names.windows(2).find(|pair| {
        pair[0].len() == 1
            && pair[0].starts_with(|c: char| c.is_ascii_alphabetic())
            && pair[1].starts_with(['\\', '/'])
    });
    if let Some([letter, rest]) = drive {
        asked.refuse(
            "filename",
            format!("fio splits `{letter}:{rest}` at the colon into two files"),
            format!("write {letter}\\:{rest}"),
        );
        return None;
    }
    names.retain(|name| !name.is_empty());
    if names.is_empty() || names.len() > MOST_FILES as usize {
        asked.refuse(
            "filename",
            "filename names no file, or more than 4,096",
            "write filename=/mnt/data/test",
        );
        return None;
    }
    Some(names)
}

fn directories(asked: &Asked<'_>) -> Vec<String> {
    let text = asked.text("directory").unwrap_or("");
    text.split(':')
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_end_matches('/').to_string())
        .collect()
}

fn sizes(asked: &mut Asked<'_>, files: u64, largest: u64) -> Option<Sizes> {
    let before = asked.trouble.count();
    let all = share_of_file(asked, "size");
    let file = match asked.text("filesize") {
        Some(range) if range.contains('-') => {
            asked.refuse("filesize", "files of random sizes are not carried", "give one size");
            None
        }
        Some(size) => match parse_bytes(size, asked.kb_base) {
            Ok(size) => Some(size).filter(|size| *size > 0),
            Err((what, mend)) => {
                asked.refuse("filesize", format!("filesize: {what}"), mend);
                None
            }
        },
        None => None,
    };
    let offset = share_of_file(asked, "offset").unwrap_or(0);
    let increment = share_of_file(asked, "offset_increment").unwrap_or(0);
    let file = file.or(all.map(|all| all / files));
    let all = all.or(file.and_then(|file| file.checked_mul(files)));
    if let Some(file) = file
        && file < largest
    {
        let name = if asked.get("filesize").is_some() { "filesize" } else { "size" };
        asked.refuse(
            name,
            format!("a file of {file} bytes is smaller than a block of {largest}"),
            "make it larger",
        );
    }
    (asked.trouble.count() == before).then_some(Sizes {
        all,
        file,
        offset,
        increment,
        fixed: asked.get("filesize").is_some(),
    })
}

/// A size in bytes. All of the file is no size at all; another share of it is refused.
fn share_of_file(asked: &mut Asked<'_>, name: &str) -> Option<u64> {
    match asked.amount(name)? {
        Amount::Bytes(bytes) => Some(bytes).filter(|bytes| *bytes > 0),
        Amount::Percent(100) if name == "size" => None,
        Amount::Percent(0) => None,
        Amount::Percent(_) | Amount::Zones(_) => {
            let value = asked.text(name).unwrap_or("").to_string();
            asked.refuse(
                name,
                format!("{name}={value} is a share of a file or device whose size is not known here"),
                format!("write it in bytes: {name}=10g"),
            );
            None
        }
    }
}

/// `file_service_type`: several files are dealt in turn.
fn service(asked: &mut Asked<'_>, files: u32) -> Option<()> {
    let Some(text) = asked.text("file_service_type") else { return Some(()) };
    let (kind, every) = text.split_once(':').map_or((text, "1"), |(kind, every)| (kind, every));
    match kind {
        "roundrobin" | "random" | "sequential" | "zipf" | "pareto" | "normal" | "gauss" if files == 1 => {
            Some(())
        }
        "roundrobin" => {
            if every != "1" {
                asked.note(
                    "file_service_type",
                    "fio stays with a file for several I/Os; here each goes to the next",
                );
            }
            Some(())
        }
        "random" => {
            asked.note("file_service_type", "fio draws the file of each I/O; here they take turns");
            Some(())
        }
        _ => {
            asked.refuse(
                "file_service_type",
                format!("{text}: files one after the other or with a preference are not carried"),
                "use roundrobin, or a job with stonewall for each file",
            );
            None
        }
    }
}

/// Files that are named: every clone uses all of them.
fn named_files(
    asked: &mut Asked<'_>,
    pattern: &Pattern,
    directories: &[String],
    names: Vec<String>,
    sizes: &Sizes,
    clones: u32,
) -> Option<Layout> {
    let targets = match directories {
        [] => names,
        [directory] => names.iter().map(|name| format!("{directory}/{name}")).collect(),
        _ => {
            asked.refuse(
                "directory",
                "named files in several directories are not carried",
                "name whole paths",
            );
            return None;
        }
    };
    let mut region = Region { offset: Bytes(sizes.offset), size: sizes.file.map(Bytes) };
    let mut thread_stride = None;
    if sizes.increment > 0 && clones > 1 {
        // Each clone has a window of its own, this far from the one before.
        let spread = sizes.increment.checked_mul(u64::from(clones - 1));
        let Some(spread) = spread else {
            asked.refuse(
                "offset_increment",
                "the last clone's offset does not fit in 64 bits",
                "give a smaller one",
            );
            return None;
        };
        region.size = region.size.and_then(|size| size.0.checked_add(spread)).map(Bytes);
        if pattern.is_random() {
            asked.note(
                "offset_increment",
                "each clone has a window of its own in fio; here all use all of them",
            );
        } else {
            thread_stride = Some(Bytes(sizes.increment));
        }
    }
    let files = targets
        .iter()
        .map(|target| ForeignFile {
            name: target.clone(),
            target: target.clone(),
            offset: Bytes::ZERO,
            size: sizes.end(region).map(Bytes),
            create: sizes.file.is_some() && !is_device(target),
        })
        .collect();
    Some(Layout {
        targets,
        threads: clones,
        clones,
        spread: Spread::Dealt,
        region,
        thread_stride,
        once: sizes.all,
        files,
    })
}

/// Whether a name is a device's rather than a file's that could be made.
fn is_device(name: &str) -> bool {
    name.starts_with("/dev/") || name.starts_with("\\\\.\\")
}

/// Files that fio names itself, `job.clone.file`: every clone has its own. They are parts of one target, named
/// like the job: on a volume they lie end to end.
fn own_files(
    asked: &mut Asked<'_>,
    pattern: &Pattern,
    directories: &[String],
    sizes: &Sizes,
    clones: u32,
    files: u32,
) -> Option<Layout> {
    let (Some(all), Some(file)) = (sizes.all, sizes.file) else {
        asked.refuse(
            "size",
            format!("the job `{}` has neither size nor filename", asked.section.name),
            "give size=10g for files that fio makes, or filename=/dev/... for what is there",
        );
        return None;
    };
    let targets: Vec<String> = match directories {
        [] => vec![asked.section.name.clone()],
        several => several.iter().map(|directory| format!("{directory}/{}", asked.section.name)).collect(),
    };
    let used = targets.len().min(clones as usize);
    if !(clones as usize).is_multiple_of(used) {
        asked.refuse(
            "directory",
            format!(
                "{clones} clones over {used} directories are not carried: some would have more than others"
            ),
            "make numjobs a multiple of the directories",
        );
        return None;
    }
    let per_target = clones / used as u32;
    let Some(size) = all.checked_mul(u64::from(per_target)) else {
        asked.refuse("size", "the files of all clones do not fit in 64 bits", "give a smaller size");
        return None;
    };
    let alone = per_target == 1;
    if !alone {
        let same = if pattern.is_random() { "; random I/Os of each go over all of it" } else { "" };
        asked.note("numjobs", format!("the files of {per_target} clones are one region, end to end{same}"));
    } else if files > 1 {
        asked.note("nrfiles", "the files of a job are one region, end to end");
    }
    let offset = if alone && files == 1 { sizes.offset } else { 0 };
    if sizes.offset > 0 && !(alone && files == 1) {
        asked.note("offset", "the files are laid end to end without the part before the offset");
    }
    if sizes.increment > 0 && !alone {
        asked.note("offset_increment", "every clone has files of its own: no effect here");
    }
    let region = Region { offset: Bytes(offset), size: Some(Bytes(size)) };
    let mut list = Vec::new();
    for target in &targets[..used] {
        let count = u64::from(per_target) * u64::from(files);
        if list.len() as u64 + count > MOST_FILES {
            asked.note("nrfiles", "more than 4,096 files are listed as one");
            list.push(own_file(target, target.clone(), 0, size));
            continue;
        }
        for number in 0..count {
            let (clone, part) = (number / u64::from(files), number % u64::from(files));
            // Clones take the directories in turn.
            let place = targets.iter().position(|t| t == target).unwrap_or(0) as u64;
            let name = format!("{target}.{}.{part}", clone * used as u64 + place);
            let size = if alone && files == 1 { sizes.end(region).unwrap_or(file) } else { file };
            list.push(own_file(target, name, clone * all + part * file, size));
        }
    }
    Some(Layout {
        targets: targets[..used].to_vec(),
        threads: per_target,
        clones,
        spread: Spread::PerTarget,
        region,
        thread_stride: (!pattern.is_random() && !alone).then_some(Bytes(all)),
        once: Some(all),
        files: list,
    })
}

fn own_file(target: &str, name: String, offset: u64, size: u64) -> ForeignFile {
    ForeignFile {
        name,
        target: target.to_string(),
        offset: Bytes(offset),
        size: Some(Bytes(size)),
        create: true,
    }
}
