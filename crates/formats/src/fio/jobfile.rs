//! Job files: sections, what they inherit, and what they include.

use super::Context;
use super::lexer::{Line, lines};
use super::setting::{self, Setting, Settings};
use crate::error::{At, Trouble};
use crate::notes::Notes;

/// The jobs of a command line or of job files, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// One a section or `--name`; a name can stand more than once.
    pub jobs: Vec<Section>,
    /// The options of the program itself that stand on the line, in order.
    pub program: Vec<ProgramSetting>,
}

/// An option of the program itself, such as `--output-format`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSetting {
    /// Its name.
    pub name: &'static str,
    /// Its value, of those that have one.
    pub value: Option<String>,
    pub(crate) at: At,
}

/// A job as it was written, before `numjobs` makes several of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its options and those it inherits.
    pub settings: Settings,
    pub(crate) at: At,
}

/// fio's own limit, 4,096 jobs, bounds what a small text can ask for.
const MOST_JOBS: usize = 4096;
/// The deepest `include`.
const DEEPEST: u32 = 16;
/// The most files that are included: below [`DEEPEST`] levels, each could include many.
const MOST_INCLUDED: u32 = 256;

/// Adds the jobs of a text to `file`. `defaults` are the options before it on the command line; `only` the
/// sections to take, all where it is empty.
pub(super) fn add_text(
    file: &mut JobFile,
    text: &str,
    source: usize,
    defaults: &Settings,
    only: &[String],
    reader: &mut Reader<'_>,
) {
    let mut global = defaults.clone();
    let mut section = Open::Nothing;
    for (line, at) in lines(text, source, reader.trouble) {
        match line {
            Line::Section(name) => {
                section.close(file, only);
                // fio compares six letters: [global2] is global too.
                section = if name.starts_with("global") {
                    if name != "global" {
                        reader.notes.add(format!("[{name}]"), "read as [global], as fio does");
                    }
                    Open::Global
                } else {
                    if file.jobs.len() >= MOST_JOBS {
                        let what = format!("more than {MOST_JOBS} jobs, fio's own limit");
                        reader.trouble.add(at, what, "use numjobs for clones of a job");
                        return;
                    }
                    Open::Job(Section { name: name.to_string(), settings: global.to_inherit(), at })
                };
            }
            Line::Option(name, value) => {
                let Some(setting) = setting::read(name, value, at, reader.context, reader.trouble) else {
                    continue;
                };
                section.set(&mut global, setting, reader.trouble);
            }
            Line::Include(name) => include(name, at, 1, &mut global, &mut section, reader),
        }
    }
    section.close(file, only);
}

/// What reading needs beside the text.
pub(super) struct Reader<'a> {
    pub context: &'a dyn Context,
    pub trouble: &'a mut Trouble,
    pub notes: &'a mut Notes,
    included: u32,
}

impl<'a> Reader<'a> {
    /// Nothing included yet.
    pub(super) fn new(
        context: &'a dyn Context,
        trouble: &'a mut Trouble,
        notes: &'a mut Notes,
    ) -> Reader<'a> {
        Reader { context, trouble, notes, included: 0 }
    }
}

/// The section that options go to.
enum Open {
    Nothing,
    Global,
    Job(Section),
}

impl Open {
    fn set(&mut self, global: &mut Settings, setting: Setting, trouble: &mut Trouble) {
        match self {
            Open::Nothing => trouble.add(
                setting.at,
                format!("`{}` stands before the first section", setting.written),
                "put [global] or [a job's name] above it",
            ),
            Open::Global => global.set(setting),
            Open::Job(section) => section.settings.set(setting),
        }
    }

    fn close(&mut self, file: &mut JobFile, only: &[String]) {
        if let Open::Job(section) = std::mem::replace(self, Open::Nothing)
            && (only.is_empty() || only.contains(&section.name))
        {
            file.jobs.push(section);
        }
    }
}

/// The options of an included file, as if they stood in the place of the `include`.
fn include(
    name: &str,
    at: At,
    depth: u32,
    global: &mut Settings,
    section: &mut Open,
    reader: &mut Reader<'_>,
) {
    reader.included += 1;
    if depth > DEEPEST || reader.included > MOST_INCLUDED {
        let what = format!("files include each other {DEEPEST} deep, or {MOST_INCLUDED} times");
        reader.trouble.add(at, what, "break the circle");
        return;
    }
    let Some(text) = reader.context.file(name) else {
        reader.trouble.add(
            at,
            format!("the included file {name} is not there"),
            "give its path as seen from here",
        );
        return;
    };
    let source = reader.trouble.source(Some(name), &text);
    for (line, at) in lines(&text, source, reader.trouble) {
        match line {
            Line::Section(_) => {
                let what = "an included file has a section, which fio does not allow";
                reader.trouble.add(at, what, "include options only, or name both files on the command line");
                return;
            }
            Line::Option(name, value) => {
                if let Some(setting) = setting::read(name, value, at, reader.context, reader.trouble) {
                    section.set(global, setting, reader.trouble);
                }
            }
            Line::Include(name) => include(name, at, depth + 1, global, section, reader),
        }
    }
}
