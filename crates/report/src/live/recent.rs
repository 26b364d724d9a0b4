//! The last seconds of each thing that is watched.

use std::collections::{BTreeMap, VecDeque};

use iobound_units::Span;

/// Values by name and by time, of the last forty seconds.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    by_name: BTreeMap<String, VecDeque<(Span, f64)>>,
}

impl Recent {
    /// Length of the kept past.
    pub const KEPT: Span = Span::from_secs(40);

    /// Takes in the value of an interval that ended at `at`, since the start.
    pub fn take(&mut self, name: &str, at: Span, value: f64) {
        if !self.by_name.contains_key(name) {
            self.by_name.insert(name.to_string(), VecDeque::new());
        }
        let Some(values) = self.by_name.get_mut(name) else { return };
        values.push_back((at, value));
        while values.front().is_some_and(|(then, _)| at.ns().saturating_sub(then.ns()) >= Recent::KEPT.ns()) {
            values.pop_front();
        }
    }

    /// The values of a name, the oldest first.
    pub fn of(&self, name: &str) -> Vec<f64> {
        self.by_name.get(name).into_iter().flatten().map(|(_, value)| *value).collect()
    }

    /// From the first of a name's values to the last.
    pub fn past(&self, name: &str) -> Span {
        let ends = self.by_name.get(name).and_then(|values| values.front().zip(values.back()));
        ends.map_or(Span::ZERO, |((first, _), (last, _))| Span::from_ns(last.ns().saturating_sub(first.ns())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forty_seconds_of_each_name_are_kept() {
        let mut recent = Recent::default();
        for second in 1..=100_u64 {
            recent.take("data", Span::from_secs(second), second as f64);
        }
        recent.take("log", Span::from_secs(100), 7.0);
        let values = recent.of("data");
        assert_eq!((values.len(), values[0], values[39]), (40, 61.0, 100.0));
        assert_eq!(recent.past("data"), Span::from_secs(39));
        assert_eq!((recent.of("log"), recent.past("log")), (vec![7.0], Span::ZERO));
        assert_eq!((recent.of("none"), recent.past("none")), (Vec::new(), Span::ZERO));
    }
}
