use crate::data;

/// Source of figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The key that rows name.
    pub key: String,
    /// Date of its figures: a day, a month or a year; `None` where the source states none.
    pub as_of: Option<String>,
    /// The document, file or publication.
    pub title: String,
}

impl Source {
    /// The source of that key. A key that the catalogue does not have (of the user's own file) is its own title, and ends with
    /// its date in brackets where it has one: `skus.json [2026-11-22]`.
    pub fn of(key: &str) -> Source {
        match data::SOURCES.table().row_named(key) {
            Some(row) => Source {
                key: key.to_string(),
                as_of: row.owned("as_of"),
                title: row.owned("title").unwrap_or_default(),
            },
            None => {
                let (title, as_of) = dated(key);
                Source { key: title.to_string(), as_of: as_of.map(str::to_string), title: title.to_string() }
            }
        }
    }

    /// True if it is an assumption: nothing published and nothing measured stands behind its figures.
    pub fn is_assumption(&self) -> bool {
        self.title.starts_with("assumption")
    }

    /// True if the catalogue itself has a source of that key.
    pub fn is_shipped(key: &str) -> bool {
        data::SOURCES.table().row_named(key).is_some()
    }
}

/// A title and the date in brackets at its end: a year, a month or a day.
fn dated(key: &str) -> (&str, Option<&str>) {
    let Some((title, date)) = key.strip_suffix(']').and_then(|key| key.rsplit_once(" [")) else {
        return (key, None);
    };
    let parts: Vec<&str> = date.split('-').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = parts.len() <= 3 && parts[0].len() == 4 && parts.iter().all(is_number);
    if is_date { (title, Some(date)) } else { (key, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_of_ones_own_ends_with_its_date() {
        for (key, title, as_of) in [
            ("az vm list-skus, a.json [2026-11-22]", "az vm list-skus, a.json", Some("2026-11-22")),
            ("mine [2026-11]", "mine", Some("2026-11")),
            ("mine [of last year]", "mine [of last year]", None),
            ("mine", "mine", None),
            ("]", "]", None),
        ] {
            let source = Source::of(key);
            assert_eq!((source.title.as_str(), source.as_of.as_deref()), (title, as_of), "{key}");
        }
    }
}
