//! The page of an answer that is asked for.

use iobound_report::{Document, Names, html_page};
use serde_json::Value;

use crate::options::{Options, PageOptions};
use crate::outfile::{DocumentKind, OutFile};
use crate::settings::{Origin, SettingValue, Settings};
use crate::{Env, Failure};

/// The page that is asked for, or none: the answer as one file for a browser.
#[derive(Clone, Debug)]
pub struct PageChoice {
    /// The file that it goes to.
    pub file: Option<SettingValue>,
    /// True if names of hosts and the like are in it.
    pub names: Names,
    env: Env,
}

impl PageChoice {
    /// Reads the options, variables and the file.
    ///
    /// # Errors
    /// Returns an error if names are requested for a page but no page is written.
    pub fn of(options: &PageOptions, settings: &mut Settings) -> Result<PageChoice, Failure> {
        let file = settings.text("html", options.get("html"), None);
        let with_names = settings.switch("html-with-names", options.get("html-with-names"))?;
        if with_names
            && file.is_none()
            && let Some(given) = settings.given("html-with-names")
            && let Origin::Flag(_) = given.from
        {
            return Err(given.refuse("it has no effect without a page").help("add --html FILE"));
        }
        let names = if with_names { Names::Kept } else { Names::LeftOut };
        Ok(PageChoice { file, names, env: settings.env().clone() })
    }

    /// The page of options alone, without variables and a configuration file.
    ///
    /// # Errors
    /// Returns an error if names are requested for a page but no page is written.
    pub fn plain(options: &PageOptions, env: &Env) -> Result<PageChoice, Failure> {
        let with_names = options.get("html-with-names").is_some_and(|text| text == "true");
        let Some(file) = options.get("html") else {
            return match with_names {
                true => Err(Failure::input("--html-with-names: it has no effect without a page")
                    .help("add --html FILE")),
                false => Ok(PageChoice { file: None, names: Names::LeftOut, env: env.clone() }),
            };
        };
        let given = SettingValue { text: file.to_string(), from: Origin::Flag("--html".into()) };
        let names = if with_names { Names::Kept } else { Names::LeftOut };
        Ok(PageChoice { file: Some(given), names, env: env.clone() })
    }

    /// A page whose file is a word of its own.
    pub fn at(file: &str, with_names: bool, env: &Env) -> PageChoice {
        let given = SettingValue { text: file.to_string(), from: Origin::Flag("FILE".into()) };
        let names = if with_names { Names::Kept } else { Names::LeftOut };
        PageChoice { file: Some(given), names, env: env.clone() }
    }

    /// True if there is to be one.
    pub fn is_asked(&self) -> bool {
        self.file.is_some()
    }

    /// Refuses a page of what has no answer.
    ///
    /// # Errors
    /// Returns an error if a page is requested.
    pub fn refuse(&self, why: &str, help: &str) -> Result<(), Failure> {
        match &self.file {
            Some(given) => Err(given.refuse(format!("cannot write a page: {why}")).help(help)),
            None => Ok(()),
        }
    }

    /// Checks that it can be written before the work begins. A file that is not a page is left unchanged.
    ///
    /// # Errors
    /// Returns an error if something else exists there, or the folder is not writable.
    pub fn can_be_written(&self) -> Result<(), Failure> {
        self.out_file().map(drop)
    }

    /// The file that it goes to.
    ///
    /// # Errors
    /// As [`PageChoice::can_be_written`].
    pub fn out_file(&self) -> Result<Option<OutFile>, Failure> {
        self.file.as_ref().map(|given| OutFile::given(given, DocumentKind::Page, &self.env)).transpose()
    }

    /// Writes the page of a document, where one was asked for.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write<D: Into<Document>>(&self, document: impl FnOnce() -> D) -> Result<(), Failure> {
        if self.is_asked() { self.write_value(&document().into().into_value()) } else { Ok(()) }
    }

    /// The same of a document that is kept.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_value(&self, document: &Value) -> Result<(), Failure> {
        let Some(given) = &self.file else { return Ok(()) };
        let page = html_page(document, self.names).map_err(Failure::input)?;
        OutFile::given(given, DocumentKind::Page, &self.env)?.write(&page)
    }
}
