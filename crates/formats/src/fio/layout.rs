//! Files of a job, their sizes, and the part of them that the job uses.

use iobound_units::Bytes;
use iobound_workload::{Region, Spread};

use super::asked::Asked;
use super::extents::{Files, Sizes, sizes};
use super::names::{OwnNames, directories, filenames, service};
use super::pattern::Pattern;
use crate::ForeignFile;

/// More files than this are one entry in the list.
const MOST_FILES: u64 = 4096;

/// Targets of a job's I/O.
pub(super) struct Layout {
    pub targets: Vec<String>,
    /// Clones on each target, or in all: as `spread` counts.
    pub threads: u32,
    /// Clones in all.
    pub clones: u32,
    pub spread: Spread,
    pub region: Region,
    /// Distance between the starts of the threads.
    pub thread_stride: Option<Bytes>,
    /// Size of each thread's region, from its own start.
    pub thread_size: Option<Bytes>,
    /// Bytes of one pass of a thread; `None` if the size is unknown.
    pub once: Option<u64>,
    pub files: Vec<ForeignFile>,
}

/// The layout of a job; `None` with a problem.
pub(super) fn layout(asked: &mut Asked<'_>, pattern: &Pattern) -> Option<Layout> {
    let clones = asked.count("numjobs", 1, 1, 4096);
    let mut names = filenames(asked)?;
    let directories = directories(asked);
    let files = if names.is_empty() { asked.count("nrfiles", 1, 1, 1_000_000) } else { names.len() as u32 };
    let own_names = OwnNames::of(asked);
    if names.is_empty() && !own_names.differ(clones, files) {
        // Clones share files of the same name.
        let prefix = directories.first().map_or(String::new(), |directory| format!("{directory}/"));
        names = (0..u64::from(files)).map(|file| format!("{prefix}{}", own_names.name(0, file))).collect();
    }
    service(asked, files)?;
    let first = |file: u64| {
        let prefix = directories.first().map_or(String::new(), |directory| format!("{directory}/"));
        format!("{prefix}{}", own_names.name(0, file))
    };
    // Of files that fio names itself, those of the first clone stand for all.
    let looked_at: Vec<String> = match names.as_slice() {
        [] => (0..u64::from(files).min(MOST_FILES)).map(first).collect(),
        names => names.to_vec(),
    };
    let sizes = sizes(asked, &Files { names: &looked_at, count: files }, pattern)?;
    if names.is_empty() {
        own_files(asked, &directories, &sizes, clones, files)
    } else {
        named_files(asked, pattern, names, &sizes, clones)
    }
}

/// Files that are named: every clone uses all of them.
fn named_files(
    asked: &mut Asked<'_>,
    pattern: &Pattern,
    targets: Vec<String>,
    sizes: &Sizes,
    clones: u32,
) -> Option<Layout> {
    let mut region = Region { offset: Bytes(sizes.offset), size: sizes.part.map(Bytes) };
    let (mut thread_stride, mut thread_size) = (None, None);
    if sizes.increment > 0 && clones > 1 {
        // Each clone has a part of its own, this far from the one before.
        let spread = sizes.increment.checked_mul(u64::from(clones - 1));
        let whole = spread.and_then(|spread| sizes.offset.checked_add(spread));
        let (Some(spread), Some(last)) = (spread, whole) else {
            let what = "the last clone's offset does not fit in 64 bits";
            asked.refuse("offset_increment", what, "give a smaller one");
            return None;
        };
        if let Some(end) = sizes.end.filter(|end| last >= *end) {
            let what =
                format!("the last of {clones} clones would begin at {last}, and the file ends at {end}");
            asked.refuse("offset_increment", what, "give a smaller one, or fewer clones");
            return None;
        }
        let part = sizes.part.or(sizes.end.map(|end| end - sizes.offset));
        match part {
            Some(part) => {
                // What goes beyond the end of a device is left out: the last clones have less.
                let all = part.saturating_add(spread);
                let all = sizes.end.map_or(all, |end| all.min(end - sizes.offset));
                region.size = Some(Bytes(all));
                (thread_stride, thread_size) = (Some(Bytes(sizes.increment)), Some(Bytes(part)));
            }
            None if pattern.is_random() => asked.note(
                "offset_increment",
                "in fio each clone has its own part; here all clones use the whole target, because its size is unknown",
            ),
            None => thread_stride = Some(Bytes(sizes.increment)),
        }
    }
    let may_create = asked.get("allow_file_create").is_none() || asked.truth("allow_file_create");
    let unlink = asked.truth("unlink");
    let end = sizes.file.or(region.size.map(|size| region.offset.0.saturating_add(size.0)));
    let file = |target: &String| {
        let device = is_device(target);
        ForeignFile {
            name: target.clone(),
            target: target.clone(),
            offset: Bytes::ZERO,
            // Without a size all of what is there is used.
            size: end.or_else(|| asked.size_of(target)).map(Bytes),
            create: may_create && !device && end.is_some(),
            unlink: unlink && !device,
        }
    };
    let files = targets.iter().map(file).collect();
    Some(Layout {
        targets,
        threads: clones,
        clones,
        spread: Spread::Dealt,
        region,
        thread_stride,
        thread_size,
        once: sizes.all,
        files,
    })
}

/// True if a name is a device's rather than a file's that could be made.
pub(super) fn is_device(name: &str) -> bool {
    name.starts_with("/dev/") || name.starts_with("\\\\.\\")
}

/// Files that fio names itself, `job.clone.file`: every clone has its own. They are parts of one target, named
/// like the job: on a volume they lie end to end.
fn own_files(
    asked: &mut Asked<'_>,
    directories: &[String],
    sizes: &Sizes,
    clones: u32,
    files: u32,
) -> Option<Layout> {
    let part = sizes.part.or(sizes.there.map(|there| there.saturating_sub(sizes.offset)));
    let (Some(once), Some(file)) = (sizes.all, part) else {
        asked.cannot(
            "size",
            format!("the job `{}` has neither size nor filename", asked.section.name),
            "give size=10g for files that fio creates, or filename=/dev/... for an existing device",
        );
        return None;
    };
    let targets: Vec<String> = match directories {
        [] => vec![asked.section.name.clone()],
        several => several.iter().map(|directory| format!("{directory}/{}", asked.section.name)).collect(),
    };
    let used = targets.len().min(clones as usize);
    if !(clones as usize).is_multiple_of(used) {
        asked.cannot(
            "directory",
            format!(
                "{clones} clones over {used} directories are not supported: they cannot be divided evenly"
            ),
            "make numjobs a multiple of the directories",
        );
        return None;
    }
    let per_target = clones / used as u32;
    let all = file.saturating_mul(u64::from(files));
    let Some(size) = all.checked_mul(u64::from(per_target)) else {
        asked.refuse("size", "the files of all clones do not fit in 64 bits", "give a smaller size");
        return None;
    };
    let alone = per_target == 1;
    if !alone {
        asked.note("numjobs", format!("the files of {per_target} clones are one region, end to end"));
    } else if files > 1 {
        asked.note("nrfiles", "the files of a job are one region, end to end");
    }
    let several = sizes.offset > 0 && !(alone && files == 1);
    let offset = if several { 0 } else { sizes.offset };
    if several {
        asked.note("offset", "the files are laid end to end without the part before the offset");
    }
    if sizes.increment > 0 && !alone {
        asked.note("offset_increment", "every clone has its own files: no effect here");
    }
    let region = Region { offset: Bytes(offset), size: Some(Bytes(size)) };
    let may_create = asked.get("allow_file_create").is_none() || asked.truth("allow_file_create");
    let unlink = asked.truth("unlink");
    let names = OwnNames::of(asked);
    let mut list = Vec::new();
    for target in &targets[..used] {
        let own_file = |name: String, offset: u64, size: u64| ForeignFile {
            name,
            target: target.clone(),
            offset: Bytes(offset),
            size: Some(Bytes(size)),
            create: may_create,
            unlink,
        };
        let count = u64::from(per_target) * u64::from(files);
        if list.len() as u64 + count > MOST_FILES {
            asked.note("nrfiles", "more than 4,096 files are listed as one");
            list.push(own_file(target.clone(), 0, size));
            continue;
        }
        for number in 0..count {
            let (clone, part) = (number / u64::from(files), number % u64::from(files));
            // Clones take the directories in turn.
            let place = targets.iter().position(|t| t == target).unwrap_or(0) as u64;
            let prefix = directories.get(place as usize).map_or(String::new(), |path| format!("{path}/"));
            let name = format!("{prefix}{}", names.name(clone * used as u64 + place, part));
            let size = if alone && files == 1 { sizes.file.unwrap_or(offset + file) } else { file };
            list.push(own_file(name, clone * all + part * file, size));
        }
    }
    Some(Layout {
        targets: targets[..used].to_vec(),
        threads: per_target,
        clones,
        spread: Spread::PerTarget,
        region,
        thread_stride: (!alone).then_some(Bytes(all)),
        thread_size: (!alone).then_some(Bytes(all)),
        once: Some(once),
        files: list,
    })
}
