//! The page of an answer that is asked for.

use iobound_report::Names;

use crate::Failure;
use crate::options::{Options, PageOptions};
use crate::settings::{Given, Origin, Settings};

/// The page that is asked for, or none. Whoever asked writes it.
#[derive(Clone, Debug)]
pub struct PageChoice {
    /// The file that it goes to.
    pub file: Option<Given>,
    /// True if names of hosts and the like are in it.
    pub names: Names,
}

impl PageChoice {
    /// Reads the options, variables and the file.
    ///
    /// # Errors
    /// A page that is to have names, where there is none.
    pub fn of(options: &PageOptions, settings: &mut Settings) -> Result<PageChoice, Failure> {
        let file = settings.text("html", options.get("html"), None);
        let with_names = settings.switch("html-with-names", options.get("html-with-names"))?;
        if with_names
            && file.is_none()
            && let Some(given) = settings.given("html-with-names")
            && let Origin::Flag(_) = given.from
        {
            return Err(given.refuse("it has no effect without a page").mend("add --html FILE"));
        }
        Ok(PageChoice { file, names: if with_names { Names::Kept } else { Names::LeftOut } })
    }

    /// The page of options alone, without variables and a configuration file.
    ///
    /// # Errors
    /// A page that is to have names, where there is none.
    pub fn plain(options: &PageOptions) -> Result<PageChoice, Failure> {
        let with_names = options.get("html-with-names").is_some_and(|text| text == "true");
        let Some(file) = options.get("html") else {
            return match with_names {
                true => Err(Failure::input("--html-with-names: it has no effect without a page")
                    .mend("add --html FILE")),
                false => Ok(PageChoice { file: None, names: Names::LeftOut }),
            };
        };
        let given = Given { text: file.to_string(), from: Origin::Flag("--html".into()) };
        Ok(PageChoice { file: Some(given), names: if with_names { Names::Kept } else { Names::LeftOut } })
    }

    /// A page whose file is a word of its own.
    pub fn at(file: &str, with_names: bool) -> PageChoice {
        let given = Given { text: file.to_string(), from: Origin::Flag("FILE".into()) };
        PageChoice { file: Some(given), names: if with_names { Names::Kept } else { Names::LeftOut } }
    }

    /// True if there is to be one.
    pub fn is_asked(&self) -> bool {
        self.file.is_some()
    }

    /// Refuses a page of what has no answer.
    ///
    /// # Errors
    /// A page is asked for.
    pub fn refuse(&self, why: &str, mend: &str) -> Result<(), Failure> {
        match &self.file {
            Some(given) => Err(given.refuse(format!("cannot write a page: {why}")).mend(mend)),
            None => Ok(()),
        }
    }
}
