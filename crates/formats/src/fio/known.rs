//! Options by their names: those of every job, and those of engines.

use super::engine_options::ENGINE_OPTIONS;
use super::options::{FioOption, OPTIONS};

/// The option of that name or alias.
pub fn find(name: &str) -> Option<&'static FioOption> {
    let all = OPTIONS.iter().chain(ENGINE_OPTIONS);
    all.into_iter().find(|option| option.name == name || (!option.alias.is_empty() && option.alias == name))
}

/// Every name and alias, for the answer to an unknown one.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS
        .iter()
        .chain(ENGINE_OPTIONS)
        .flat_map(|option| [option.name, option.alias])
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_for_two_options() {
        let mut seen: Vec<&str> = names().collect();
        seen.sort_unstable();
        let count = seen.len();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
