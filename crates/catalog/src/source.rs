use crate::data;
use crate::table::Table;

/// Where figures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The key that rows name.
    pub key: String,
    /// When it held: a date, a month or a year; `None` where the source states none.
    pub as_of: Option<String>,
    /// The document, file or publication.
    pub title: String,
}

impl Source {
    /// The source of that key. A key that the catalogue does not have (of the user's own file) is its own title.
    pub fn of(key: &str) -> Source {
        let table = Table::of("sources.csv", data::SOURCES);
        match table.rows_named(key).first() {
            Some(row) => Source {
                key: key.to_string(),
                as_of: row.owned("as_of"),
                title: row.owned("title").unwrap_or_default(),
            },
            None => Source { key: key.to_string(), as_of: None, title: key.to_string() },
        }
    }

    /// Whether the catalogue itself has a source of that key.
    pub fn is_shipped(key: &str) -> bool {
        !Table::of("sources.csv", data::SOURCES).rows_named(key).is_empty()
    }
}
