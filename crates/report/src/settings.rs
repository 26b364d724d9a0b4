use iobound_documents::{ConfigDocument, SettingPart, Version};

use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// A setting of the program: which value won, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, as its flag has it: `partition-offset`.
    pub name: String,
    /// The value; `None`: none was given and there is no default.
    pub value: Option<String>,
    /// `flag`, `environment`, `file`, `default`.
    pub from: &'static str,
    /// The variable or the file's name and line.
    pub place: Option<String>,
}

/// The table of `--show-config`.
pub fn settings_text(settings: &[Setting], style: Style) -> String {
    let mut page = Page::new(style);
    let mut table = Table::new(vec![Column::words("setting"), Column::words("from"), Column::words("value")]);
    for setting in settings {
        let from = match &setting.place {
            Some(place) => format!("{} {place}", setting.from),
            None => setting.from.to_string(),
        };
        table.row(vec![setting.name.clone(), from, setting.value.clone().unwrap_or_else(|| "-".into())]);
    }
    for line in table.lines(page.width()) {
        page.line(&line);
    }
    page.text()
}

/// The document of `--show-config`.
pub fn settings_document(settings: &[Setting]) -> ConfigDocument {
    let part = |setting: &Setting| SettingPart {
        name: setting.name.clone(),
        value: setting.value.clone(),
        from: setting.from.to_string(),
        place: setting.place.clone(),
    };
    ConfigDocument { schema: Version::default(), settings: settings.iter().map(part).collect() }
}
