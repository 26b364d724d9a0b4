//! Names that a page leaves out: the names of machines and users, and the ids of what they rent.

use std::collections::BTreeMap;

use serde_json::Value;

use super::value::{list, text};

/// True if a page has the names and ids that its document has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Names {
    /// Left out: the page may be sent to anybody.
    #[default]
    LeftOut,
    /// Kept.
    Kept,
}

/// Replacement of omitted names.
const ELLIPSIS: &str = "…";

/// Parent folders of users' folders.
const HOMES: [&str; 4] = ["/home/", "/users/", "\\users\\", "/run/media/"];

/// Folders of links that are called by serial numbers and ids.
const IDS: [&str; 5] = ["by-id/", "by-uuid/", "by-partuuid/", "by-label/", "by-partlabel/"];

/// Kinds of what Amazon rents out, each followed by eight hexadecimal digits or more.
const RENTED: [&str; 8] = ["vol", "i", "snap", "ami", "vpc", "subnet", "eni", "sg"];

/// The document without names and ids: the host by its key and wherever its name stands, ids by their shape. Of several
/// machines each is called by the number of its first rank, so that they can still be told apart.
pub(super) fn without_names(document: &Value) -> Value {
    let names = hosts_of(document);
    let renamed = if names.is_empty() { None } else { Some(renamed(document, &names)) };
    let document = renamed.as_ref().unwrap_or(document);
    let host = document.pointer("/start/host").and_then(Value::as_str).filter(|host| host.len() > 1);
    let mut document = strip(document, host.map(str::to_string).as_deref());
    for host in hosts_that_differ(&document) {
        document = strip(&document, Some(&host));
    }
    if let Some(start) = document.get_mut("start").and_then(Value::as_object_mut) {
        start.remove("host");
    }
    if let Some(stages) = document.get_mut("stages").and_then(Value::as_array_mut) {
        for start in stages.iter_mut().filter_map(|stage| stage.get_mut("start")?.as_object_mut()) {
            start.remove("host");
        }
    }
    document
}

/// The hosts of a comparison; a single machine needs no name.
fn hosts_that_differ(document: &Value) -> Vec<String> {
    let changed = list(document, "comparisons").iter().flat_map(|with| list(with, "changed"));
    let hosts = changed.filter(|one| text(one, "part") == "machine" && text(one, "what") == "host");
    hosts
        .flat_map(|one| [text(one, "a"), text(one, "b")])
        .filter(|host| host.len() > 1)
        .map(str::to_string)
        .collect()
}

/// Replacement names of the machines of a run on several.
fn hosts_of(document: &Value) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let stages = document.get("stages").and_then(Value::as_array).into_iter().flatten();
    for of in std::iter::once(document).chain(stages) {
        let hosts = of.get("hosts").and_then(Value::as_array).into_iter().flatten();
        let missing = of.pointer("/fleet/missing").and_then(Value::as_array).into_iter().flatten();
        for host in hosts.chain(missing) {
            let (name, rank) = (host.get("host").and_then(Value::as_str), host.get("rank"));
            if let (Some(name), Some(rank)) = (name.filter(|name| !name.is_empty()), rank) {
                names.entry(name.to_string()).or_insert_with(|| format!("host{rank}"));
            }
        }
    }
    names
}

/// The same with the machines' other names, wherever one stands as a word. One look at each word, however many there are.
fn renamed(value: &Value, names: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::String(renamed_in(text, names)),
        Value::Array(values) => values.iter().map(|value| renamed(value, names)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let own = OWN_WORDS.contains(&key.as_str());
                (key.clone(), if own { value.clone() } else { renamed(value, names) })
            })
            .collect(),
        other => other.clone(),
    }
}

fn renamed_in(text: &str, names: &BTreeMap<String, String>) -> String {
    let is_of_a_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(begins) = rest.find(is_of_a_name) {
        out.push_str(&rest[..begins]);
        let at = &rest[begins..];
        let (whole, behind) = at.split_at(at.find(|c| !is_of_a_name(c)).unwrap_or(at.len()));
        // A full stop at the end of a sentence is not part of a name.
        let word = whole.trim_end_matches('.');
        out.push_str(names.get(word).map_or(word, String::as_str));
        out.push_str(&whole[word.len()..]);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Keys whose values are words of the program or of the catalogue: a machine that is called `vm` or `disk` takes nothing
/// out of them.
const OWN_WORDS: [&str; 10] =
    ["predicted", "schema", "source", "engine", "loop", "phase", "outcome", "ended", "kind", "workload"];

fn strip(value: &Value, host: Option<&str>) -> Value {
    match value {
        Value::String(text) => Value::String(strip_text(text, host)),
        Value::Array(values) => values.iter().map(|value| strip(value, host)).collect(),
        Value::Object(map) => {
            let host_of = |key: &String| host.filter(|_| !OWN_WORDS.contains(&key.as_str()));
            map.iter().map(|(key, value)| (key.clone(), strip(value, host_of(key)))).collect()
        }
        other => other.clone(),
    }
}

fn strip_text(text: &str, host: Option<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        // A word begins where no letter or digit stands before it.
        let begins = !out.ends_with(|c: char| c.is_alphanumeric());
        match found(rest, begins, host) {
            Some((kept, length)) => {
                out.push_str(&rest[..kept]);
                out.push_str(ELLIPSIS);
                rest = &rest[length..];
            }
            None => {
                out.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    out
}

/// Part to leave out of the beginning of a text: how much of it stays, and where it ends.
fn found(text: &str, begins: bool, host: Option<&str>) -> Option<(usize, usize)> {
    let component = |from: usize| from + end_of(&text[from..], |c| "/\\\"' ,;:".contains(c));
    let token = |from: usize| from + end_of(&text[from..], |c| "\"' ,;".contains(c));
    for folder in HOMES.iter().chain(&IDS) {
        if starts_with(text, folder) && component(folder.len()) > folder.len() {
            return Some((folder.len(), component(folder.len())));
        }
    }
    if !begins {
        return None;
    }
    for (prefix, to_the_end) in
        [("subscriptions/", true), ("resourcegroups/", true), ("projects/", false), ("arn:", true)]
    {
        if starts_with(text, prefix) {
            let end = if to_the_end { token(prefix.len()) } else { component(prefix.len()) };
            return (end > prefix.len()).then_some((prefix.len(), end));
        }
    }
    if let Some(share) = text.strip_prefix("\\\\")
        && share.starts_with(|c: char| c.is_alphanumeric())
    {
        return Some((2, component(2)));
    }
    if let Some(host) = host.filter(|host| starts_with(text, host)) {
        let ends = !text[host.len()..].starts_with(|c: char| c.is_alphanumeric());
        return ends.then_some((0, host.len()));
    }
    guid(text).or_else(|| address(text)).map(|end| (0, end)).or_else(|| rented(text))
}

/// True if a text begins so, whatever the case of its letters.
fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
}

fn end_of(text: &str, ends: impl Fn(char) -> bool) -> usize {
    text.find(ends).unwrap_or(text.len())
}

/// The length of a GUID: 8-4-4-4-12 hexadecimal digits.
fn guid(text: &str) -> Option<usize> {
    let candidate = text.get(..36)?;
    let mut groups = candidate.split('-');
    let fits = [8, 4, 4, 4, 12].iter().all(|length| {
        groups
            .next()
            .is_some_and(|group| group.len() == *length && group.chars().all(|c| c.is_ascii_hexdigit()))
    });
    (fits && groups.next().is_none()).then_some(36)
}

/// The length of an IPv4 address. One of the machine itself tells nobody anything.
fn address(text: &str) -> Option<usize> {
    let end = end_of(text, |c| !c.is_ascii_digit() && c != '.');
    let address = text[..end].trim_end_matches('.');
    let numbers: Vec<&str> = address.split('.').collect();
    let fits = numbers.len() == 4 && numbers.iter().all(|number| number.parse::<u8>().is_ok());
    (fits && !address.starts_with("127.")).then_some(address.len())
}

/// `vol-0123456789abcdef0`: what stays of it, and its length.
fn rented(text: &str) -> Option<(usize, usize)> {
    RENTED.iter().find_map(|kind| {
        let rest = text.strip_prefix(kind)?;
        // As part of a serial number a volume's id has no hyphen.
        let digits = rest.strip_prefix('-').or(Some(rest).filter(|_| *kind == "vol"))?;
        let length = end_of(digits, |c| !c.is_ascii_hexdigit());
        let from = text.len() - digits.len();
        (length >= 8).then_some((from, from + length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn users_hosts_and_ids_are_left_out_of_every_text() {
        for (text, left) in [
            ("iobound run /home/anna/data --json", "iobound run /home/…/data --json"),
            ("'C:\\Users\\Anna B\\io.dat'", "'C:\\Users\\… B\\io.dat'"),
            ("/mnt/data/file-1", "/mnt/data/file-1"),
            ("vm db-prod-7: /mnt/db-prod-7/x, db-prod-77", "vm …: /mnt/…/x, db-prod-77"),
            ("0b1f6471-1bf0-4dda-aec3-cb9272f09590", "…"),
            ("/subscriptions/abc/resourceGroups/rg1/providers/x y", "/subscriptions/… y"),
            ("/dev/disk/by-id/nvme-eui.0025", "/dev/disk/by-id/…"),
            ("arn:aws:ec2:eu-west-1:123456789012:volume/x", "arn:…"),
            ("vol-0123456789abcdef0 on i-0123456789abcdef0", "vol-… on i-…"),
            ("Amazon_Elastic_Block_Store_vol0123456789abcdef0", "Amazon_Elastic_Block_Store_vol…"),
            ("projects/mine/zones/a", "projects/…/zones/a"),
            ("\\\\server\\share\\f", "\\\\…\\share\\f"),
            ("10.0.0.7:9 and 127.0.0.1 and 6.12.48", "…:9 and 127.0.0.1 and 6.12.48"),
        ] {
            assert_eq!(strip_text(text, Some("db-prod-7")), left, "{text}");
        }
    }

    #[test]
    fn the_words_of_the_project_stay() {
        for text in [
            "10xP30:readonly",
            "vm.uncached.iops",
            "gp3@500GiB+6000iops",
            "4 KiB random read, 32 outstanding",
            "volumes",
            "i-o",
            "Standard_DS14",
            "65536",
            "2016-02-08",
        ] {
            assert_eq!(strip_text(text, None), text);
        }
    }

    proptest! {
        #[test]
        fn what_is_left_out_once_is_left_out(text in "(/home/|vol-|[0-9a-f]{8}-|db7|[.é/ ]|\\PC{0,3}){0,12}") {
            let left = strip_text(&text, Some("db7"));
            prop_assert_eq!(strip_text(&left, Some("db7")), left);
        }
    }

    #[test]
    fn several_hosts_are_called_by_their_ranks() {
        let document = json!({
            "hosts": [{ "rank": 0, "host": "db-1", "label": "db-1" }, { "rank": 1, "host": "db-10", "label": "db-10" }],
            "fleet": { "missing": [{ "rank": 2, "host": "db-2", "why": "db-2 is gone." }] },
            "notes": ["db-1, db-10: so. On db-2.", "...", "db-1:0", "by (db-1) ;)"],
            "iops": 1,
        });
        let left = without_names(&document);
        assert_eq!(left["hosts"][0]["label"], "host0");
        assert_eq!(left["hosts"][1]["label"], "host1");
        assert_eq!(left["fleet"]["missing"][0]["why"], "host2 is gone.");
        assert_eq!(left["notes"], json!(["host0, host1: so. On host2.", "...", "host0:0", "by (host0) ;)"]));
    }

    #[test]
    fn the_host_is_gone_by_its_key_and_by_its_name() {
        let document = json!({
            "start": { "host": "db7", "command": "iobound run /mnt/db7" },
            "stages": [{ "start": { "host": "db7" } }],
            "iops": 1.5,
            "phase": "db7",
        });
        let left = without_names(&document);
        assert_eq!(left["start"], json!({ "command": "iobound run /mnt/…" }));
        assert_eq!(left["stages"], json!([{ "start": {} }]));
        assert_eq!(left["iops"], json!(1.5));
        // A word of the program stays, whatever the machine is called.
        assert_eq!(left["phase"], json!("db7"));
    }
}
