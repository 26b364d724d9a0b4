//! A case in a few words, and what is found in it.
#![allow(dead_code, reason = "each test takes what it needs")]

use iobound_catalog::{Catalog, Configuration, Resolved, UnknownLimits, parse_spec, resolve};
use iobound_explain::{Case, Explanation, Finding, Observed, Want, explain, findings};
use iobound_predict::{Age, CacheState};
use iobound_units::{Bytes, Span};

/// `--vm`, `--disk`s, and options by one letter each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// `--vm`.
    pub(crate) vm: &'static str,
    /// `--disk`s; `os=` before the one of `--os-disk`.
    pub(crate) disk: &'static str,
    /// `s` separate, `cN` columns, `oN` partition offset in sectors of 512 bytes, `eERA` era.
    pub(crate) options: &'static str,
    /// `--observed`.
    pub(crate) observed: &'static str,
    /// `--want`.
    pub(crate) want: &'static str,
    /// `--cache-state`.
    pub(crate) cache: CacheState,
    /// The text of `--catalog`.
    pub(crate) own: &'static str,
    /// `--at`, in seconds.
    pub(crate) at: Option<u64>,
}

/// A case without options.
pub(crate) const fn given(vm: &'static str, disk: &'static str, observed: &'static str) -> Given {
    Given { vm, disk, options: "", observed, want: "", cache: CacheState::Warm, own: "", at: None }
}

impl Given {
    pub(crate) const fn with(self, options: &'static str) -> Given {
        Given { options, ..self }
    }

    pub(crate) const fn want(self, want: &'static str) -> Given {
        Given { want, ..self }
    }

    pub(crate) const fn cold(self) -> Given {
        Given { cache: CacheState::Cold, ..self }
    }

    pub(crate) const fn at(self, seconds: u64) -> Given {
        Given { at: Some(seconds), ..self }
    }

    pub(crate) const fn own(self, own: &'static str) -> Given {
        Given { own, ..self }
    }

    pub(crate) fn configuration(&self) -> Configuration {
        let unknown_limits = UnknownLimits::LeftOut;
        let mut configuration = Configuration { unknown_limits, ..Configuration::of(self.vm) };
        for word in self.disk.split(' ') {
            match word.strip_prefix("os=") {
                Some(os) => configuration.os_disk = Some(parse_spec(os).unwrap()),
                None => configuration.volumes.push(parse_spec(word).unwrap()),
            }
        }
        for option in self.options.split(' ').filter(|option| !option.is_empty()) {
            let (which, value) = option.split_at(1);
            match which {
                "s" => configuration.separate = true,
                "c" => configuration.columns = Some(value.parse().unwrap()),
                "o" => configuration.partition_offset = Bytes(value.parse::<u64>().unwrap() * 512),
                "e" => configuration.era = Some(value.to_string()),
                other => panic!("{other}"),
            }
        }
        configuration
    }

    fn catalog(&self) -> Catalog {
        let catalog = Catalog::shipped();
        match self.own {
            "" => catalog,
            own => catalog.with_user("own.toml", own).unwrap_or_else(|error| panic!("{error}")),
        }
    }

    /// True if the catalogue can't build the configuration.
    pub(crate) fn is_refused(&self) -> bool {
        resolve(&self.configuration(), &self.catalog()).is_err()
    }

    pub(crate) fn case<T>(&self, then: impl FnOnce(&Case<'_>) -> T) -> T {
        let catalog = self.catalog();
        let configuration = self.configuration();
        let resolved: Resolved =
            resolve(&configuration, &catalog).unwrap_or_else(|error| panic!("{}: {error}", self.disk));
        let observed = Observed::parse(self.observed).unwrap_or_else(|error| panic!("{error}"));
        let want = (!self.want.is_empty()).then(|| Want::parse(self.want).unwrap());
        let case = Case::new(&configuration, &catalog, &resolved, &observed, want, self.cache);
        let age = self.at.map_or(Age::Sustained, |seconds| Age::At(Span::from_secs(seconds)));
        then(&case.aged(age))
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.case(findings)
    }

    pub(crate) fn rules(&self) -> Vec<&'static str> {
        self.findings().iter().map(|finding| finding.rule).collect()
    }

    pub(crate) fn explained(&self) -> Explanation {
        self.case(|case| explain(case, &mut |_| iobound_drive::Flow::Continue).unwrap())
    }
}
