//! Limits and bindings in words.

use iobound_model::Dimension;
use iobound_predict::Binding;
use iobound_units::{Grouped, format_throughput};

use crate::number::count_text;

/// A limit's name for people: `disks IOPS` of several, `VM uncached`; throughput is told by its unit.
pub fn limit_title(name: &str, count: usize) -> String {
    let (group, dimension) = name.rsplit_once('.').unwrap_or((name, ""));
    let group = match group {
        "disk" if count > 1 => "disks".to_string(),
        "account" if count > 1 => "accounts".to_string(),
        group => match group.strip_prefix("vm.") {
            Some("ebs") => "instance EBS".into(),
            Some(part) => format!("VM {}", part.replace('.', " ")),
            None => group.replace('.', " "),
        },
    };
    if dimension == Dimension::Ios.name() { format!("{group} IOPS") } else { group }
}

/// A figure of a limit with its unit where it is bytes: `51,000`, `522 MB/s`.
pub(crate) fn limit_figure(value: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Ios => count_text(value),
        Dimension::Bytes => format_throughput(value),
    }
}

/// The title of one family of limiters: `data disks IOPS`, `VM cached read`.
pub(crate) fn family_title(name: &str, of: Option<&str>, count: usize) -> String {
    let title = limit_title(name, count);
    let Some(of) = of else { return title };
    let of = of.replace('.', " ");
    match (title.strip_suffix(" IOPS"), name.starts_with("vm.")) {
        (Some(group), true) => format!("{group} {of} IOPS"),
        (None, true) => format!("{title} {of}"),
        (_, false) => format!("{of} {title}"),
    }
}

/// The binding limit, in words: `disk IOPS`, `VM uncached throughput`, `queue depth`.
pub fn binding_title(binding: &Binding) -> String {
    match binding {
        Binding::Limit(group, dimension) => {
            let title = limit_title(&format!("{group}.{}", dimension.name()), 1);
            match dimension {
                Dimension::Ios => title,
                Dimension::Bytes => format!("{title} throughput"),
            }
        }
        Binding::CacheDirty => "dirty limit of the host cache".into(),
        Binding::QueueDepth => "queue depth".into(),
        Binding::Rate => "the requested rate".into(),
        Binding::Client => "the client".into(),
        Binding::Unknown => "nothing known".into(),
    }
}

/// The binding limit, in words: `disk.iops` is `disk IOPS`.
pub(crate) fn binding_words(binding: &str) -> String {
    match binding {
        "queue_depth" => "queue depth".into(),
        "cache.dirty" => "dirty limit of the host cache".into(),
        "rate" => "the requested rate".into(),
        "client" => "the client".into(),
        "device" => "the device".into(),
        "" | "unknown" => "nothing known".into(),
        limit => match limit.strip_suffix(".throughput") {
            Some(_) => format!("{} throughput", limit_title(limit, 1)),
            None => limit_title(limit, 1),
        },
    }
}

/// A text in which limits are named by their keys, with their names for people: `disk.iops at 98 %` is `disk IOPS at 98 %`.
pub(crate) fn with_names(text: &str) -> String {
    let is_key = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        let is_of_limit = matches!(parts.first(), Some(&"disk" | &"vm" | &"account"));
        is_of_limit && parts.len() > 1 && matches!(parts.last(), Some(&"iops" | &"throughput"))
    };
    let words = text.split_inclusive(' ').map(|word| {
        let key = word.trim_end_matches([' ', ',', ':', ';', '.']);
        if is_key(key) { format!("{}{}", binding_words(key), &word[key.len()..]) } else { word.to_string() }
    });
    words.collect()
}

/// A whole number with its thousands grouped.
pub(crate) fn grouped(value: u64) -> String {
    Grouped(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_a_text_become_names() {
        for (text, named) in [
            ("misses pass vm.cached.throughput as well", "misses pass VM cached throughput as well"),
            ("disk.iops at 98 %, vm.ebs.iops.", "disk IOPS at 98 %, instance EBS IOPS."),
            ("data.iops of vm.toml", "data.iops of vm.toml"),
            ("", ""),
        ] {
            assert_eq!(with_names(text), named);
        }
    }

    #[test]
    fn limits_are_named_as_people_do() {
        for (name, count, title) in [
            ("disk.iops", 10, "disks IOPS"),
            ("disk.iops", 1, "disk IOPS"),
            ("disk.throughput", 2, "disks"),
            ("vm.uncached.iops", 1, "VM uncached IOPS"),
            ("vm.ebs.iops", 1, "instance EBS IOPS"),
            ("vm.ebs.throughput", 1, "instance EBS"),
            ("vm.cached.throughput", 1, "VM cached"),
            ("account.iops", 1, "account IOPS"),
        ] {
            assert_eq!(limit_title(name, count), title);
        }
        for (name, of, count, title) in [
            ("disk.iops", Some("data"), 8, "data disks IOPS"),
            ("disk.throughput", Some("log"), 1, "log disk"),
            ("vm.cached.throughput", Some("read"), 1, "VM cached read"),
            ("vm.uncached.iops", Some("v2-ultra"), 1, "VM uncached v2-ultra IOPS"),
            ("disk.iops", None, 8, "disks IOPS"),
        ] {
            assert_eq!(family_title(name, of, count), title);
        }
        let binding = Binding::Limit("vm.cached".into(), Dimension::Bytes);
        assert_eq!(binding_title(&binding), "VM cached throughput");
    }
}
