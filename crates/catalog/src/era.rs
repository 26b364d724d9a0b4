use std::sync::OnceLock;

use crate::data;
use crate::error::CatalogError;

/// A time whose figures, disk counts and rules the catalogue keeps; ordered from the oldest to the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Era(u8);

/// Figures and rules in force in an era.
#[derive(Clone, Debug)]
pub struct EraFacts {
    /// `2016`, `2018-06`, `2020-08`, `current`.
    pub name: String,
    /// Its meaning.
    pub what: String,
    /// True if VMs burst.
    pub vm_bursting: bool,
    /// True if disks burst.
    pub disk_bursting: bool,
    /// True if Standard disks are page blobs in storage accounts, which have limits of their own.
    pub unmanaged_standard: bool,
    /// The source's key.
    pub source: String,
    /// The last month of measurements that its figures fit best, or the last day; `None` of the current era.
    pub until: Option<String>,
    /// The one cloud whose figures it is of, where it is not of all.
    pub cloud: Option<String>,
}

fn all() -> &'static [EraFacts] {
    static ERAS: OnceLock<Vec<EraFacts>> = OnceLock::new();
    ERAS.get_or_init(|| {
        let table = data::ERAS.table();
        table
            .rows()
            .map(|row| EraFacts {
                name: row.owned("name").unwrap_or_default(),
                what: row.owned("what").unwrap_or_default(),
                vm_bursting: row.text("vm_bursting") == Some("true"),
                disk_bursting: row.text("disk_bursting") == Some("true"),
                unmanaged_standard: row.text("unmanaged_standard") == Some("true"),
                source: row.owned("source").unwrap_or_default(),
                until: row.owned("until"),
                cloud: row.owned("cloud"),
            })
            .collect()
    })
}

impl Era {
    /// The era of the newest figures.
    pub fn current() -> Era {
        Era((all().len() - 1) as u8)
    }

    /// All eras, the oldest first.
    pub fn list() -> impl DoubleEndedIterator<Item = Era> {
        (0..all().len() as u8).map(Era)
    }

    /// The era of that name, or of a day such as `2026-07-01`.
    pub fn parse(name: &str) -> Result<Era, CatalogError> {
        let wanted = name.trim();
        let named = Era::list().find(|era| era.facts().name.eq_ignore_ascii_case(wanted));
        named.or_else(|| Era::of_day(wanted)).ok_or_else(|| CatalogError::Unknown {
            what: "era",
            name: name.to_string(),
            nearest: Era::list().map(|era| era.facts().name.clone()).collect(),
        })
    }

    /// The era whose figures fit a date best: a year, a month or a day as `2017`, `2019-04` or `2019-04-19`.
    pub fn of_date(date: &str) -> Era {
        let month = date.get(..7).unwrap_or(date);
        // Measurements of other clouds fit no era that is of one cloud.
        let fits = |era: &Era| {
            era.facts().cloud.is_none() && era.facts().until.as_deref().is_none_or(|until| month <= until)
        };
        Era::list().find(fits).unwrap_or(Era::current())
    }

    /// The first era that lasts to a day or longer; `None`: it is no day.
    fn of_day(day: &str) -> Option<Era> {
        let is_day = day.len() == 10 && day.split('-').map(str::len).eq([4, 2, 2]);
        let is_day = is_day && day.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        let lasts = |era: &Era| era.facts().until.as_deref().is_none_or(|until| &day[..until.len()] <= until);
        is_day.then(|| Era::list().find(lasts)).flatten()
    }

    /// Figures and rules in force.
    pub fn facts(self) -> &'static EraFacts {
        &all()[usize::from(self.0)]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        &self.facts().name
    }

    /// This era and the later ones, in order: where a figure is looked for when this era has none.
    pub fn and_later(self) -> impl Iterator<Item = Era> {
        Era::list().filter(move |era| *era >= self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eras_are_ordered_and_the_last_is_the_current_one() {
        let names: Vec<&str> = Era::list().map(Era::name).collect();
        let google = ["2026-03-23", "2026-03-30", "2026-07-27"];
        assert_eq!(names, [&["2016", "2018-06", "2020-08"], &google[..], &["current"]].concat());
        assert_eq!(Era::current().name(), "current");
        assert!(Era::parse("2019").unwrap_err().to_string().contains("2018-06"));
    }

    #[test]
    fn a_date_has_the_era_that_fits_it_best() {
        for (date, era) in [
            ("2015-06", "2016"),
            ("2017", "2016"),
            ("2017-10-06", "2018-06"),
            ("2019-12-31", "2018-06"),
            ("2020-08", "2020-08"),
            ("2020-12-21", "2020-08"),
            ("2021", "current"),
            ("2026-11-23", "current"),
        ] {
            assert_eq!(Era::of_date(date).name(), era, "{date}");
        }
    }

    #[test]
    fn a_day_has_the_era_that_lasts_to_it() {
        for (day, era) in [
            ("2016-05-01", "2016"),
            ("2020-12-31", "2020-08"),
            ("2026-03-23", "2026-03-23"),
            ("2026-03-24", "2026-03-30"),
            ("2026-03-31", "2026-07-27"),
            ("2026-07-28", "current"),
        ] {
            assert_eq!(Era::parse(day).unwrap().name(), era, "{day}");
        }
        assert!(Era::parse("2026-7-28").is_err() && Era::parse("2026-07").is_err());
    }

    #[test]
    fn nothing_burst_in_2016() {
        let era = Era::parse("2016").unwrap().facts();
        assert!(!era.vm_bursting && !era.disk_bursting && era.unmanaged_standard);
    }
}
