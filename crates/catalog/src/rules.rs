use std::collections::BTreeMap;
use std::sync::OnceLock;

use iobound_units::{Bytes, Ppm, Span};

use crate::data;
use crate::era::Era;
use crate::error::CatalogError;
use crate::table::{Row, decimal};

/// A figure that is not a limit of one entry but a rule of a type: how limits are enforced, what the media takes,
/// what may be provisioned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A disk type's word (`premium`, `gp3`), `azure-vm`, `aws-vm`, `account`, `cache`, `local`, `azure`, `aws`.
    pub scope: String,
    /// The era it held in; `None`: in every era that has no row of its own.
    pub era: Option<Era>,
    /// Its statement.
    pub parameter: String,
    /// The figure in use.
    pub value: String,
    /// The low end of its scatter.
    pub low: Option<String>,
    /// The high end of its scatter.
    pub high: Option<String>,
    /// `ms`, `x`, `KiB`, ...
    pub unit: Option<String>,
    /// The source's key.
    pub source: String,
    /// Further notes.
    pub note: Option<String>,
}

/// The rules in force: the user's own first, then the shipped ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) own: Vec<Rule>,
}

impl Rule {
    pub(crate) fn from_row(row: &Row) -> Result<Rule, CatalogError> {
        Ok(Rule {
            scope: row.required("scope")?,
            era: row.text("era").map(Era::parse).transpose()?,
            parameter: row.required("parameter")?,
            value: row.required("value")?,
            low: row.owned("low"),
            high: row.owned("high"),
            unit: row.owned("unit"),
            source: row.owned("source").unwrap_or_else(|| row.file.to_string()),
            note: row.owned("note"),
        })
    }

    /// A rule of the user's: one of those that are shipped, with another figure or for another scope.
    pub(crate) fn of_user(row: &Row) -> Result<Rule, CatalogError> {
        let rule = Rule::from_row(row)?;
        if shipped().iter().all(|shipped| shipped.parameter != rule.parameter) {
            return Err(row.error(format!(
                "there is no rule `{}`: `iobound catalog show premium` lists the rules of a disk",
                rule.parameter
            )));
        }
        Ok(rule)
    }

    fn scaled(&self, text: &str, places: u32) -> Result<u64, CatalogError> {
        decimal(text, places).ok_or_else(|| CatalogError::File {
            file: format!("rule {} {}", self.scope, self.parameter),
            line: 0,
            why: format!("`{text}` is not a number with at most {places} decimals"),
        })
    }

    /// The value × 10^6: ms as ns, MB/s as bytes a second, factors as ppm.
    pub(crate) fn micro(&self) -> Result<u64, CatalogError> {
        self.scaled(&self.value, 6)
    }

    /// The value as a whole number.
    pub(crate) fn count(&self) -> Result<u64, CatalogError> {
        self.scaled(&self.value, 0)
    }

    /// Low, value and high × 10^6; an end that is not given is the value.
    pub(crate) fn band_micro(&self) -> Result<[u64; 3], CatalogError> {
        let value = self.micro()?;
        let end = |text: &Option<String>| text.as_deref().map_or(Ok(value), |t| self.scaled(t, 6));
        Ok([end(&self.low)?, value, end(&self.high)?])
    }
}

fn shipped() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules = Vec::new();
        for table in [data::RULES.table(), data::DISK_RULES.table()] {
            for row in table.rows() {
                rules.push(Rule::from_row(&row).expect("the shipped rules can be read: tested"));
            }
        }
        rules
    })
}

/// The shipped rules of one figure, in their order. A plan asks for tens of thousands of figures.
fn shipped_of<'a>(scope: &'a str, parameter: &'a str) -> &'a [&'static Rule] {
    type Index = BTreeMap<(&'static str, &'static str), Vec<&'static Rule>>;
    static INDEX: OnceLock<Index> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = Index::new();
        for rule in shipped() {
            index.entry((&rule.scope, &rule.parameter)).or_default().push(rule);
        }
        index
    });
    index.get(&(scope, parameter)).map_or(&[], Vec::as_slice)
}

/// Of the rules of one figure, the one in force in `era`: the era's own, else the nearest later era's, else the one of every
/// era. The first of equals.
fn in_force<'r>(rules: impl Iterator<Item = &'r Rule>, era: Era) -> Option<&'r Rule> {
    let holding = rules.filter(|rule| rule.era.is_none_or(|of| of >= era));
    holding.min_by_key(|rule| (rule.era.is_none(), rule.era))
}

impl Rules {
    /// All rules, the user's own first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Rule> {
        self.own.iter().chain(shipped())
    }

    /// The rule in force in `era`, of the user's own rules if one of them holds.
    pub(crate) fn get(&self, scope: &str, parameter: &str, era: Era) -> Option<&Rule> {
        let own = self.own.iter().filter(|rule| rule.scope == scope && rule.parameter == parameter);
        in_force(own, era).or_else(|| in_force(shipped_of(scope, parameter).iter().copied(), era))
    }

    pub(crate) fn require(&self, scope: &str, parameter: &str, era: Era) -> Result<&Rule, CatalogError> {
        self.get(scope, parameter, era).ok_or_else(|| CatalogError::UnknownLimit {
            of: scope.to_string(),
            missing: vec![parameter.to_string()],
            help: "give it in a catalogue file: [[rule]] with scope, parameter, value and source".into(),
        })
    }

    pub(crate) fn ppm(&self, scope: &str, parameter: &str, era: Era) -> Result<[Ppm; 3], CatalogError> {
        let band = self.require(scope, parameter, era)?.band_micro()?;
        Ok(band.map(|micro| Ppm(u32::try_from(micro).unwrap_or(u32::MAX))))
    }

    pub(crate) fn span(&self, scope: &str, parameter: &str, era: Era) -> Result<[Span; 3], CatalogError> {
        Ok(self.require(scope, parameter, era)?.band_micro()?.map(Span::from_ns))
    }

    pub(crate) fn kib(&self, scope: &str, parameter: &str, era: Era) -> Result<Bytes, CatalogError> {
        let micro = self.require(scope, parameter, era)?.micro()?;
        Ok(Bytes(u64::try_from(u128::from(micro) * 1024 / 1_000_000).unwrap_or(u64::MAX)))
    }

    pub(crate) fn gib(&self, scope: &str, parameter: &str, era: Era) -> Result<Bytes, CatalogError> {
        let micro = self.require(scope, parameter, era)?.micro()?;
        Ok(Bytes(u64::try_from((u128::from(micro) << 30) / 1_000_000).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn era(name: &str) -> Era {
        Era::parse(name).unwrap()
    }

    #[test]
    fn an_era_without_a_rule_of_its_own_takes_the_nearest_later_one() {
        let rules = Rules::default();
        let max = |name| rules.get("ultra", "iops_max", era(name)).unwrap().value.clone();
        assert_eq!(
            (max("2016"), max("2020-08"), max("current")),
            ("160000".into(), "160000".into(), "400000".into())
        );
        let write = |name| rules.span("standardhdd", "media_write", era(name)).unwrap()[1];
        assert_eq!((write("2016"), write("current")), (Span::from_us(5_270), Span::from_us(2_900)));
    }

    #[test]
    fn the_media_mean_in_use_is_that_of_queue_depth_four_and_more() {
        // The documented experiments were derived with 2.1 ms; ends 1.6 x 0.94 and 3.2 x 0.94.
        let band = Rules::default().span("premium", "media_read", Era::current()).unwrap();
        assert_eq!(band, [Span::from_us(1_500), Span::from_us(2_100), Span::from_us(3_000)]);
    }

    #[test]
    fn a_rule_that_nothing_reads_is_refused() {
        let mut row = Row::new("my.toml", 3);
        for (column, cell) in [("scope", "premium"), ("parameter", "discipline"), ("value", "bucket")] {
            row.push(column.into(), cell.into());
        }
        let refused = Rule::of_user(&row).unwrap_err().to_string();
        assert!(refused.contains("my.toml") && refused.contains("no rule `discipline`"), "{refused}");
        assert!(Rule::from_row(&row).is_ok());
    }

    #[test]
    fn the_users_own_rule_wins() {
        let own = Rule {
            scope: "premium".into(),
            era: None,
            parameter: "enforced_factor".into(),
            value: "1.05".into(),
            low: None,
            high: None,
            unit: None,
            source: "mine".into(),
            note: None,
        };
        let rules = Rules { own: vec![own] };
        assert_eq!(rules.ppm("premium", "enforced_factor", Era::current()).unwrap(), [Ppm(1_050_000); 3]);
        assert_eq!(rules.ppm("azure-vm", "enforced_factor", Era::current()).unwrap()[1], Ppm(1_020_000));
    }
}
