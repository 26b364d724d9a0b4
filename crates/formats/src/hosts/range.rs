//! Ranges in the names of an inventory: `db[01:16]`, `rack[a:c]-[1:9:2]`, ends included.

use super::Hosts;

/// The names that a pattern stands for.
///
/// # Errors
/// Returns an error if the pattern is not valid; it names the fix.
pub(super) fn expand(pattern: &str) -> Result<Vec<String>, (String, String)> {
    let mut names = vec![String::new()];
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inside, behind)) = after.split_once(']') else {
            return Err((
                format!("`{pattern}` has a range that does not end"),
                "write ] after it, as in db[01:16]".into(),
            ));
        };
        let values = values(inside)?;
        if names.len().saturating_mul(values.len()) > Hosts::MOST {
            return Err((
                format!("`{pattern}` stands for more than {} hosts", Hosts::MOST),
                "write a smaller range".into(),
            ));
        }
        names = names
            .iter()
            .flat_map(|name| values.iter().map(move |value| format!("{name}{before}{value}")))
            .collect();
        rest = behind;
    }
    if rest.contains(']') {
        return Err((
            format!("`{pattern}` has a range that does not begin"),
            "write [ before it, as in db[01:16]".into(),
        ));
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    Ok(names)
}

/// The values of one range.
fn values(inside: &str) -> Result<Vec<String>, (String, String)> {
    let wrong = |why: &str| {
        let help = "write first and last, as in [01:16] or [a:f], followed by a step if needed";
        Err((format!("`[{inside}]` is not a range: {why}"), help.to_string()))
    };
    let parts: Vec<&str> = inside.split(':').collect();
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, "1"),
        [first, last, step] => (first, last, step),
        _ => return wrong("a colon stands between its ends"),
    };
    let Some(step) = step.parse::<usize>().ok().filter(|step| *step > 0) else {
        return wrong("its step is a number from 1");
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits(last) && (digits(first) || first.is_empty()) {
        // Nothing before the colon is 0, as Ansible has it.
        let first = if first.is_empty() { "0" } else { first };
        let (Ok(from), Ok(to)) = (first.parse::<u64>(), last.parse::<u64>()) else {
            return wrong("its ends are too large");
        };
        if from > to {
            return wrong("its first is above its last");
        }
        // A zero in front asks for all of them to be as wide.
        let width = if first.len() > 1 && first.starts_with('0') { first.len() } else { 0 };
        if width > 0 && width != last.len() {
            return wrong("its ends have different numbers of digits");
        }
        if (to - from) / step as u64 >= Hosts::MOST as u64 {
            return wrong(&format!("it stands for more than {} hosts", Hosts::MOST));
        }
        return Ok((from..=to).step_by(step).map(|number| format!("{number:0width$}")).collect());
    }
    match (first.as_bytes(), last.as_bytes()) {
        ([first], [last]) if first.is_ascii_alphabetic() && last.is_ascii_alphabetic() => {
            if first.is_ascii_lowercase() != last.is_ascii_lowercase() || first > last {
                return wrong("its letters go from a to z, or from A to Z");
            }
            Ok((*first..=*last).step_by(step).map(|letter| char::from(letter).to_string()).collect())
        }
        _ => wrong("its ends are two numbers or two letters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_both_its_ends_and_keeps_its_zeros() {
        assert_eq!(expand("db[08:10].x").unwrap(), ["db08.x", "db09.x", "db10.x"]);
        assert_eq!(expand("r[a:b]-[1:5:2]").unwrap(), ["ra-1", "ra-3", "ra-5", "rb-1", "rb-3", "rb-5"]);
        assert_eq!(expand("[8:11]").unwrap(), ["8", "9", "10", "11"]);
        assert_eq!(expand("db[:2]").unwrap(), ["db0", "db1", "db2"]);
        assert_eq!(expand("db1").unwrap(), ["db1"]);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        let wrong = [
            "db[1:",
            "db1:2]",
            "db[2:1]",
            "db[1-9]",
            "db[1:9:0]",
            "db[01:100]",
            "db[a:F]",
            "db[1:a]",
            "[1:99999999999999999999]",
            "[0:10000]",
            "[0:999][0:999]",
        ];
        for wrong in wrong {
            assert!(expand(wrong).is_err(), "{wrong}");
        }
    }
}
