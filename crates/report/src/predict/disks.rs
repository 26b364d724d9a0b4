//! The disks of a configuration in words.

use iobound_catalog::{CacheSetting, ResolvedDisk};

/// `10 x P30`, `6 x P30 and 1 x P10`: alike ones together, in order.
pub(crate) fn disks_text<'a>(disks: impl IntoIterator<Item = &'a ResolvedDisk>, with_cache: bool) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for disk in disks {
        let mut words = disk.described.clone();
        if with_cache && disk.disk.is_some() {
            words.push_str(match disk.cache {
                CacheSetting::None => " (cache none)",
                CacheSetting::ReadOnly => " (cache ReadOnly)",
                CacheSetting::ReadWrite => " (cache ReadWrite)",
            });
        }
        match kinds.iter_mut().find(|(kind, _)| *kind == words) {
            Some((_, count)) => *count += 1,
            None => kinds.push((words, 1)),
        }
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} x {kind}")).collect();
    match kinds.as_slice() {
        [] => "no disk".into(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
