//! Access specifications.

use std::collections::BTreeMap;

use super::config::{AccessLine, AccessSpec, Assignment, Config};
use super::icf::ReadConfig;
use super::lines::{IcfLine, IcfLines};
use crate::error::{At, Trouble};

/// The most lines that Iometer keeps.
const MOST_LINES: usize = 100;

/// `'ACCESS SPECIFICATIONS`, after its label, to its end.
pub(super) fn read_section(
    lines: &mut IcfLines<'_>,
    config: &mut Config,
    places: &mut BTreeMap<usize, At>,
    trouble: &mut Trouble,
) {
    loop {
        let Some(label) = lines.take_said() else {
            // A file that holds only these may end without the last label.
            return;
        };
        if label.is("END access specifications") {
            return;
        }
        if label.is_label() && label.begins("Access specification name") {
            let Some(name) = lines.expected(label, trouble) else { return };
            if let Some(spec) = spec(lines, name, trouble) {
                // A later one of the same name replaces the first.
                let known = config.specs.iter().position(|known| known.name.eq_ignore_ascii_case(&spec.name));
                let index = known.unwrap_or(config.specs.len());
                match config.specs.get_mut(index) {
                    Some(known) => *known = spec,
                    None => config.specs.push(spec),
                }
                places.insert(index, name.at);
            }
            continue;
        }
        trouble.add(
            label.at,
            format!("unexpected `{}` among access specifications", label.text),
            "a specification begins with 'Access specification name,default assignment",
        );
        return;
    }
}

/// One specification after the line with its name.
fn spec(lines: &mut IcfLines<'_>, name: IcfLine<'_>, trouble: &mut Trouble) -> Option<AccessSpec> {
    let (text, assignment) = name.text.rsplit_once(',').unwrap_or((name.text, "NONE"));
    let assignment = match assignment.trim().to_ascii_uppercase().as_str() {
        "NONE" | "0" => Assignment::None,
        "ALL" | "1" => Assignment::All,
        "DISK" | "2" => Assignment::Disk,
        "NET" | "3" => Assignment::Network,
        other => {
            let what = format!("`{other}` is not a default assignment");
            trouble.add(name.at, what, "write the name, a comma and NONE, ALL, DISK or NET");
            return None;
        }
    };
    let mut spec = AccessSpec { name: text.trim().to_string(), assignment, lines: Vec::new() };
    match lines.peek() {
        Some(caption) if caption.is_label() => {
            lines.take();
        }
        _ => {
            let what = format!("the columns of `{}` have no label", spec.name);
            trouble.add(name.at, what, "'size,% of size,% reads,% random,delay,burst,align,reply comes next");
            return None;
        }
    }
    while let Some(line) = lines.peek().filter(|line| !line.is_label()) {
        lines.take();
        if line.text.is_empty() {
            continue;
        }
        spec.lines.push(access_line(line.text, line.at, trouble)?);
    }
    check(&spec, name.at, trouble).then_some(spec)
}

/// The eight numbers of a line.
fn access_line(text: &str, at: At, trouble: &mut Trouble) -> Option<AccessLine> {
    let help = "write size,% of size,% reads,% random,delay,burst,align,reply: 4096,100,100,100,0,1,0,0";
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    if fields.len() != 8 {
        trouble.add(at, format!("`{text}` has {} numbers, not 8", fields.len()), help);
        return None;
    }
    let mut numbers = [0u32; 8];
    for (number, field) in numbers.iter_mut().zip(&fields) {
        match field.parse() {
            Ok(read) => *number = read,
            Err(_) => {
                trouble.add(at, format!("`{field}` is not a whole number"), help);
                return None;
            }
        }
    }
    let [size, of_size, reads, random, delay_ms, burst, align, reply] = numbers;
    if size == 0 {
        trouble.add(at, "an I/O of zero bytes", help);
        return None;
    }
    for (name, percent) in [("% of size", of_size), ("% reads", reads), ("% random", random)] {
        if percent > 100 {
            trouble.add(at, format!("{name} is {percent}"), "0 to 100 percent are possible");
            return None;
        }
    }
    Some(AccessLine { size, of_size, reads, random, delay_ms, burst, align, reply })
}

fn check(spec: &AccessSpec, at: At, trouble: &mut Trouble) -> bool {
    let total: u32 = spec.lines.iter().map(|line| line.of_size).sum();
    if spec.lines.len() > MOST_LINES {
        let what = format!("`{}` has {} lines", spec.name, spec.lines.len());
        trouble.add(at, what, "Iometer keeps 100 at most");
    } else if total != 100 {
        let what = format!("the shares (% of size) of `{}` add to {total}", spec.name);
        trouble.add(at, what, "make the second numbers of its lines add to 100");
    } else {
        return true;
    }
    false
}

/// Lines without labels: one specification.
pub(super) fn read_bare(text: &str, source: usize, trouble: &mut Trouble) -> Option<ReadConfig> {
    let mut spec = AccessSpec { name: "access specification".to_string(), ..AccessSpec::default() };
    let mut start = 0;
    for piece in text.split_inclusive(['\n', ';']) {
        let line = piece.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '"' | '\u{feff}'));
        let at = At { source, at: start + piece.find(line).unwrap_or(0), len: line.len() };
        start += piece.len();
        if !line.is_empty() {
            spec.lines.push(access_line(line, at, trouble)?);
        }
        if spec.lines.len() > MOST_LINES {
            break;
        }
    }
    let whole = At { source, at: 0, len: text.trim_end().len().max(1) };
    check(&spec, whole, trouble).then(|| ReadConfig {
        config: Config { specs: vec![spec], ..Config::default() },
        specs: BTreeMap::from([(0, whole)]),
        workers: BTreeMap::new(),
        setup: whole,
        timed: false,
    })
}
