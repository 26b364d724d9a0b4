//! Job files: sections, what they inherit, and what they include.

use super::Context;
use super::lexer::{JobLine, lines};
use super::setting::{self, Setting, Settings};
use crate::error::{At, Trouble};
use crate::notes::Notes;

/// The jobs of a command line or of job files, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// One a section or `--name`; a name can stand more than once.
    pub jobs: Vec<Section>,
    /// The options for all jobs: of the last `[global]` section, with those before it.
    pub globals: Settings,
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

/// The text of a job file.
pub(super) struct Text<'a> {
    /// Its path: what it includes may lie beside it.
    pub name: &'a str,
    pub text: &'a str,
    pub source: usize,
}

/// True if options of a section of this name are for all jobs after it: fio compares six letters.
pub(super) fn is_global(name: &str) -> bool {
    name.starts_with("global")
}

/// Adds the jobs of a text to `file`. `defaults` are the options before it on the command line; `only` the
/// sections to take, all where it is empty.
pub(super) fn add_text(
    file: &mut JobFile,
    text: &Text<'_>,
    defaults: &Settings,
    only: &[String],
    reader: &mut JobFileReader<'_>,
) {
    let name_of_file = text.name;
    let mut global = defaults.clone();
    let mut section = Open::Nothing;
    for (line, at) in lines(text.text, text.source, reader.trouble) {
        match line {
            JobLine::Section(name) => {
                section.close(file, &mut global, only);
                section = if is_global(name) {
                    if name != "global" {
                        reader.notes.add(format!("[{name}]"), "read as [global], as fio does");
                    }
                    Open::Global(Vec::new())
                } else {
                    if file.jobs.len() >= MOST_JOBS {
                        let what = format!("more than {MOST_JOBS} jobs, fio's own limit");
                        reader.trouble.add(at, what, "use numjobs for clones of a job");
                        return;
                    }
                    Open::Job(
                        Section { name: name.to_string(), settings: global.to_inherit(), at },
                        Vec::new(),
                    )
                };
            }
            JobLine::Option(name, value) => {
                let Some(setting) = setting::read(name, value, at, reader.context, reader.trouble) else {
                    continue;
                };
                section.set(&mut global, setting, reader.trouble);
            }
            JobLine::Include(name) => {
                include(
                    &Included { name, by: name_of_file, depth: 1 },
                    at,
                    &mut global,
                    &mut section,
                    reader,
                );
            }
        }
    }
    section.close(file, &mut global, only);
    file.globals = global;
}

/// Context for reading, besides the text.
pub(super) struct JobFileReader<'a> {
    pub context: &'a dyn Context,
    pub trouble: &'a mut Trouble,
    pub notes: &'a mut Notes,
    included: u32,
}

impl<'a> JobFileReader<'a> {
    /// Nothing included yet.
    pub(super) fn new(
        context: &'a dyn Context,
        trouble: &'a mut Trouble,
        notes: &'a mut Notes,
    ) -> JobFileReader<'a> {
        JobFileReader { context, trouble, notes, included: 0 }
    }
}

/// The section that options go to. fio adds the files that a section names after its other options, so that a
/// `directory` below `filename` counts too: they are set when the section is complete.
enum Open {
    Nothing,
    Global(Vec<Setting>),
    Job(Section, Vec<Setting>),
}

impl Open {
    fn set(&mut self, global: &mut Settings, setting: Setting, trouble: &mut Trouble) {
        match self {
            Open::Nothing => trouble.add(
                setting.at,
                format!("`{}` is before the first section", setting.written),
                "put [global] or [a job's name] above it",
            ),
            Open::Global(files) | Open::Job(_, files) if setting.option.name == "filename" => {
                files.push(setting);
            }
            Open::Global(_) => global.set(setting),
            Open::Job(section, _) => section.settings.set(setting),
        }
    }

    fn close(&mut self, file: &mut JobFile, global: &mut Settings, only: &[String]) {
        match std::mem::replace(self, Open::Nothing) {
            Open::Nothing => {}
            Open::Global(files) => files.into_iter().for_each(|setting| global.set(setting)),
            Open::Job(mut section, files) => {
                files.into_iter().for_each(|setting| section.settings.set(setting));
                if only.is_empty() || only.contains(&section.name) {
                    file.jobs.push(section);
                }
            }
        }
    }
}

/// A file that another one includes.
struct Included<'a> {
    /// Its path as it is written.
    name: &'a str,
    /// The path of the file that includes it.
    by: &'a str,
    depth: u32,
}

/// The options of an included file, as if they stood in the place of the `include`. As in fio, its path is seen from
/// here, or else from the file that includes it.
fn include(
    file: &Included<'_>,
    at: At,
    global: &mut Settings,
    section: &mut Open,
    reader: &mut JobFileReader<'_>,
) {
    reader.included += 1;
    if file.depth > DEEPEST || reader.included > MOST_INCLUDED {
        let what = format!("files include each other more than {DEEPEST} deep, or {MOST_INCLUDED} times");
        reader.trouble.add(at, what, "remove the circular include");
        return;
    }
    let beside = file.by.rsplit_once('/').map(|(folder, _)| format!("{folder}/{}", file.name));
    let paths = std::iter::once(file.name.to_string()).chain(beside);
    let found = paths.into_iter().find_map(|path| Some((reader.context.file(&path)?, path)));
    let Some((text, path)) = found else {
        reader.trouble.add(
            at,
            format!("the included file {} does not exist", file.name),
            "give its path from the working directory or from the job file's directory",
        );
        return;
    };
    let source = reader.trouble.source(Some(&path), &text);
    for (line, at) in lines(&text, source, reader.trouble) {
        match line {
            JobLine::Section(_) => {
                let what = "an included file has a section, which fio does not allow";
                reader.trouble.add(at, what, "include options only, or name both files on the command line");
                return;
            }
            JobLine::Option(name, value) => {
                if let Some(setting) = setting::read(name, value, at, reader.context, reader.trouble) {
                    section.set(global, setting, reader.trouble);
                }
            }
            JobLine::Include(name) => {
                let nested = Included { name, by: &path, depth: file.depth + 1 };
                include(&nested, at, global, section, reader);
            }
        }
    }
}
