//! `--html FILE`: the answer as one file for a browser, beside what is printed.

use std::io::Read;
use std::path::Path;

use clap::Args;
use iobound_report::{Document, Names, html_page};
use serde_json::Value;

use crate::failure::Failure;
use crate::files;
use crate::settings::{Given, Origin, Settings};

/// What a page begins with, by which one is told from other files.
const BEGINS: &str = "<!DOCTYPE html>";

/// Whether there is to be a page, and what it tells.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Answer")]
pub(crate) struct PageArgs {
    /// The answer as a page with pictures as well: one file that loads nothing; a page that is there is written over
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    /// The page keeps host names, users' folders and cloud ids [default: left out]
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    html_with_names: Option<String>,
}

/// A page that was asked for, or none.
pub(crate) struct AskedPage {
    file: Option<Given>,
    names: Names,
}

impl AskedPage {
    /// What the flags, the environment and the file ask.
    pub(crate) fn of(args: &PageArgs, settings: &mut Settings) -> Result<AskedPage, Failure> {
        let file = settings.text("html", args.html.as_deref(), None);
        let with_names = settings.switch("html-with-names", args.html_with_names.as_deref())?;
        if with_names
            && file.is_none()
            && let Some(given) = settings.given("html-with-names")
            && let Origin::Flag(_) = given.from
        {
            return Err(given.refuse("there is no page that could have names").mend("add --html FILE"));
        }
        Ok(AskedPage { file, names: if with_names { Names::Kept } else { Names::LeftOut } })
    }

    /// A page whose file is a word of its own.
    pub(crate) fn at(file: &str, with_names: bool) -> AskedPage {
        let given = Given { text: file.to_string(), from: Origin::Flag("FILE".into()) };
        AskedPage { file: Some(given), names: if with_names { Names::Kept } else { Names::LeftOut } }
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.file.is_some()
    }

    /// Refuses a page of what has no answer.
    pub(crate) fn refuse(&self, why: &str, mend: &str) -> Result<(), Failure> {
        match &self.file {
            Some(given) => Err(given.refuse(format!("there is no page: {why}")).mend(mend)),
            None => Ok(()),
        }
    }

    /// Sees that it can be written, before there is anything to write. What is there and is no page is left alone.
    pub(crate) fn can_be_written(&self) -> Result<(), Failure> {
        let Some(given) = &self.file else { return Ok(()) };
        let path = given.path();
        let other = "name a file that is not there yet, or a page";
        match std::fs::metadata(&path) {
            Ok(there) if !there.is_file() => {
                return Err(given.refuse(format!("{path} is no file")).mend(other));
            }
            Ok(there) if there.len() > 0 && !is_page(Path::new(&path)) => {
                return Err(given.refuse(format!("{path} is there, and is no page")).mend(other));
            }
            _ => {}
        }
        files::can_be_written(&path)
            .map_err(|error| given.refuse(format!("{path} can't be written: {error}")).mend(files::WRITABLE))
    }

    /// Writes the page of a document, where one was asked for.
    pub(crate) fn write(&self, document: impl FnOnce() -> Document) -> Result<(), Failure> {
        if self.is_asked() { self.write_value(&document().into_value()) } else { Ok(()) }
    }

    /// The same of a document that is kept.
    pub(crate) fn write_value(&self, document: &Value) -> Result<(), Failure> {
        let Some(given) = &self.file else { return Ok(()) };
        let page = html_page(document, self.names).map_err(Failure::input)?;
        let path = given.path();
        std::fs::write(&path, page).map_err(|error| Failure::io(format!("{path} can't be written: {error}")))
    }
}

fn is_page(path: &Path) -> bool {
    let mut beginning = [0; BEGINS.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning.eq_ignore_ascii_case(BEGINS.as_bytes())
}
