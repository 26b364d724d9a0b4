//! `--html FILE`: the answer as one file for a browser, beside what is printed.

use iobound_app::Failure;
use iobound_app::page::PageChoice;
use iobound_report::{Document, html_page};
use serde_json::Value;

use crate::outfile::{DocumentKind, OutFile};

/// Writes the page that was asked for.
pub(crate) trait WritePage {
    /// Checks that it can be written, before there is anything to write. A file that is no page is left alone.
    ///
    /// # Errors
    /// Something else is there, or nothing can be written there.
    fn can_be_written(&self) -> Result<(), Failure>;

    /// The file that it goes to.
    ///
    /// # Errors
    /// As [`WritePage::can_be_written`].
    fn out_file(&self) -> Result<Option<OutFile>, Failure>;

    /// Writes the page of a document, where one was asked for.
    ///
    /// # Errors
    /// It can't be written.
    fn write<D: Into<Document>>(&self, document: impl FnOnce() -> D) -> Result<(), Failure>;

    /// The same of a document that is kept.
    ///
    /// # Errors
    /// It can't be written.
    fn write_value(&self, document: &Value) -> Result<(), Failure>;
}

impl WritePage for PageChoice {
    fn can_be_written(&self) -> Result<(), Failure> {
        self.out_file().map(drop)
    }

    fn out_file(&self) -> Result<Option<OutFile>, Failure> {
        self.file.as_ref().map(|given| OutFile::given(given, DocumentKind::Page)).transpose()
    }

    fn write<D: Into<Document>>(&self, document: impl FnOnce() -> D) -> Result<(), Failure> {
        if self.is_asked() { self.write_value(&document().into().into_value()) } else { Ok(()) }
    }

    fn write_value(&self, document: &Value) -> Result<(), Failure> {
        let Some(given) = &self.file else { return Ok(()) };
        let page = html_page(document, self.names).map_err(Failure::input)?;
        OutFile::given(given, DocumentKind::Page)?.write(&page)
    }
}
