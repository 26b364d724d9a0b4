//! A host a line, with or without the sections of an Ansible inventory.

use super::groups::{ALL, Groups, UNGROUPED};
use super::name::{host, split_port};
use super::range::expand;
use super::variables::{Value, Variables};
use super::words::split;
use super::{Host, Hosts};
use crate::error::{At, Trouble};

/// Meaning of the lines below a header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SectionKind {
    Hosts,
    Children,
    Variables,
}

/// Reads all lines into `groups`.
pub(super) fn read(text: &str, source: usize, groups: &mut Groups, trouble: &mut Trouble) {
    let mut below = (UNGROUPED.to_string(), SectionKind::Hosts);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = at + (line.len() - line.trim_start().len());
        at += line.len();
        let line = line.trim();
        let place = |from: usize, len: usize| At { source, at: begins + from, len };
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if is_header(line) {
            match header(line) {
                Ok((name, kind)) => {
                    if kind != SectionKind::Variables {
                        groups.declare(&name);
                    }
                    below = (name, kind);
                }
                Err((what, help)) => trouble.add(place(0, line.len()), what, help),
            }
            continue;
        }
        match below.1 {
            SectionKind::Hosts => host_line(line, &below.0, &place, groups, trouble),
            SectionKind::Children => match split(line).ok().as_deref() {
                Some([child]) if is_group(&child.text) => {
                    groups.add_child(&below.0, &child.text, place(0, child.len));
                }
                _ => trouble.add(
                    place(0, line.len()),
                    format!("`{line}` is not a group"),
                    "write the name of a group",
                ),
            },
            SectionKind::Variables => match line.split_once('=') {
                Some((name, value)) if !name.trim().is_empty() => {
                    let value = Value { text: literal(value).to_string(), at: place(0, line.len()) };
                    groups.set(&below.0, name.trim(), value);
                }
                _ => trouble.add(
                    place(0, line.len()),
                    format!("`{line}` is not a variable"),
                    "write NAME=VALUE below a header of [GROUP:vars]",
                ),
            },
        }
        if groups.count() > Hosts::MOST {
            let what = format!("there are more than {} hosts", Hosts::MOST);
            trouble.add(place(0, line.len()), what, "name fewer");
            return;
        }
    }
}

/// A header stands in brackets; so does an address of IPv6, with a port or without.
fn is_header(line: &str) -> bool {
    line.starts_with('[')
        && match line.split_once(']') {
            Some((_, behind)) => {
                let ends = behind.trim_start();
                (ends.is_empty() || ends.starts_with('#')) && split_port(line).is_none()
            }
            None => true,
        }
}

fn header(line: &str) -> Result<(String, SectionKind), (String, String)> {
    let inside = line.trim_start_matches('[').split(']').next().unwrap_or_default();
    let (name, kind) = match inside.split_once(':') {
        None => (inside, SectionKind::Hosts),
        Some((name, "children")) => (name, SectionKind::Children),
        Some((name, "vars")) => (name, SectionKind::Variables),
        Some((name, "hosts")) => (name, SectionKind::Hosts),
        Some((_, other)) => {
            return Err((
                format!("`[{inside}]` has the unknown kind `{other}`"),
                "write [GROUP], [GROUP:children] or [GROUP:vars]".into(),
            ));
        }
    };
    if !line.contains(']') || !is_group(name) {
        return Err((
            format!("`{line}` is not a header of a group"),
            "write [GROUP], without spaces; a range follows a name, as in db[01:16]".into(),
        ));
    }
    Ok((name.to_string(), kind))
}

fn is_group(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | ':' | '='))
}

/// A host or a range of hosts, and variables behind.
fn host_line(
    line: &str,
    group: &str,
    place: &dyn Fn(usize, usize) -> At,
    groups: &mut Groups,
    trouble: &mut Trouble,
) {
    let words = match split(line) {
        Ok(words) => words,
        Err(at) => {
            let what = "a quotation mark is not closed";
            trouble.add(place(at, 1), what, "write the other one");
            return;
        }
    };
    let Some((first, rest)) = words.split_first() else { return };
    let mut variables = Variables::new();
    for word in rest {
        let at = place(word.at, word.len);
        match word.text.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                variables.insert(name.to_string(), Value { text: value.to_string(), at });
            }
            _ => {
                let what = format!("`{}` is not a variable of `{}`", word.text, first.text);
                trouble.add(at, what, "write one host on each line, followed by its variables as NAME=VALUE");
            }
        }
    }
    match hosts_of(&first.text) {
        Ok(hosts) => {
            for host in hosts {
                groups.add(if group == ALL { UNGROUPED } else { group }, host, variables.clone());
            }
        }
        Err((what, help)) => trouble.add(place(first.at, first.len), what, help),
    }
}

/// The hosts of a word: one, or those of its ranges.
fn hosts_of(word: &str) -> Result<Vec<Host>, (String, String)> {
    // Brackets may be those of an address.
    let names = if split_port(word).is_some() && word.starts_with('[') {
        vec![word.to_string()]
    } else {
        expand(word)?
    };
    names.iter().map(|name| host(name).map_err(|why| (why, String::new()))).collect()
}

/// A value as it stands behind an equals sign: without quotes around it, and without a comment.
fn literal(value: &str) -> &str {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some((inside, behind)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote))
            && (behind.trim().is_empty() || behind.trim_start().starts_with('#'))
        {
            return inside;
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end()
}
