//! Names of a job's files: `filename`, `nrfiles`, `directory`, `filename_format`, `file_service_type`.

use super::asked::Asked;
use super::setting::FileWord;
use super::units::parse_bytes;

/// More files of one job are refused.
const MOST_NAMED: usize = 4096;

/// The files that a job names, in order. As in fio, every `filename` adds to those before it, `[global]`'s among them,
/// and `nrfiles` below says how many of them count. Empty where the job names none; `None` with a problem.
pub(super) fn filenames(asked: &mut Asked<'_>) -> Option<Vec<String>> {
    let (mut paths, mut count) = (Vec::new(), 1);
    for word in asked.section.settings.files() {
        match word {
            FileWord::Names { directory, names } => {
                if paths.is_empty() {
                    count = 0;
                }
                let added = split(asked, names)?;
                count += added.len();
                let placed = |name: String| match directory {
                    Some(directory) => format!("{directory}/{name}"),
                    None => name,
                };
                paths.extend(added.into_iter().map(placed));
                if paths.len() > MOST_NAMED {
                    let what = format!("filename names more than {MOST_NAMED} files");
                    asked.refuse("filename", what, "name fewer, or use nrfiles with directory");
                    return None;
                }
            }
            FileWord::Count(text) => {
                count =
                    parse_bytes(text, asked.kb_base).ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(1);
            }
        }
    }
    let named = asked.get("filename").is_some();
    if named && (paths.is_empty() || count == 0) {
        asked.refuse("filename", "filename names no file", "write filename=/mnt/data/test");
        return None;
    }
    paths.truncate(count);
    Some(paths)
}

/// Splits at colons that no backslash escapes.
fn split(asked: &mut Asked<'_>, text: &str) -> Option<Vec<String>> {
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
    Some(names)
}

/// `directory`: where fio makes the files that it names itself; the clones take several in turn.
pub(super) fn directories(asked: &Asked<'_>) -> Vec<String> {
    let text = asked.text("directory").unwrap_or("");
    text.split(':')
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_end_matches('/').to_string())
        .collect()
}

/// The names that fio gives files itself.
pub(super) struct OwnNames<'a> {
    job: &'a str,
    format: &'a str,
}

impl<'a> OwnNames<'a> {
    /// Those of a job.
    pub(super) fn of(asked: &Asked<'a>) -> OwnNames<'a> {
        let format = asked.text("filename_format").filter(|format| !format.is_empty());
        OwnNames { job: &asked.section.name, format: format.unwrap_or("$jobname.$jobnum.$filenum") }
    }

    /// True if every clone and every file of it has a name of its own.
    pub(super) fn differ(&self, clones: u32, files: u32) -> bool {
        (clones == 1 || self.format.contains("$jobnum")) && (files == 1 || self.format.contains("$filenum"))
    }

    /// The name of a clone's file.
    pub(super) fn name(&self, clone: u64, file: u64) -> String {
        self.format
            .replace("$jobname", self.job)
            .replace("$clientuid", "localhost")
            .replace("$jobnum", &clone.to_string())
            .replace("$filenum", &file.to_string())
    }
}

/// `file_service_type`: several files are dealt in turn.
pub(super) fn service(asked: &mut Asked<'_>, files: u32) -> Option<()> {
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
                    "fio sends several I/Os to a file before the next; here each I/O goes to the next file",
                );
            }
            Some(())
        }
        "random" => {
            asked.note(
                "file_service_type",
                "fio chooses the file of each I/O at random; here the files take turns",
            );
            Some(())
        }
        _ => {
            asked.refuse(
                "file_service_type",
                format!("{text}: files one after the other or with a preference are not supported"),
                "use roundrobin, or a job with stonewall for each file",
            );
            None
        }
    }
}
