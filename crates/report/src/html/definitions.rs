//! The definition of each figure: of a document that is a struct from the comments of its fields, of others from
//! docs/definitions.md, which is part of the program.

/// The page.
const PAGE: &str = include_str!("../../../../docs/definitions.md");

/// Keys that have the meaning of others: what begins so is looked up as what stands beside it.
const ALIKE: [(&str, &str); 15] = [
    ("runs[].real_time.", "runs[].simulated."),
    ("runs[].rehearsed.", "runs[].simulated."),
    ("runs[].measured.", "runs[].simulated."),
    ("stages[].", ""),
    ("jobs[].", ""),
    ("threads[].", ""),
    ("targets[].", ""),
    ("cells[].", ""),
    ("hosts[].", ""),
    ("read.", ""),
    ("write.", ""),
    ("flush.", ""),
    ("discard.", ""),
    ("service_us.", "latency_us."),
    ("series[].write.", "series[].read."),
];

/// Meaning of a key, with what the thing is that it is of: of `expected.iops`, first what `expected` is.
pub(super) fn meaning(schema: &str, key: &str) -> Option<String> {
    let own = definition(schema, key)?;
    let of =
        key.rsplit_once('.').filter(|(of, _)| !of.ends_with("[]")).and_then(|(of, _)| definition(schema, of));
    Some(match of {
        Some(of) if of != own && !of.is_empty() && !own.is_empty() => format!("{of}; {own}"),
        Some(of) if own.is_empty() => of.to_string(),
        _ => own.to_string(),
    })
}

/// Definition of a key of a document: `iobound.predict/1`, `gates[].held_us`.
pub(super) fn definition(schema: &str, key: &str) -> Option<&'static str> {
    if let Some(found) = iobound_documents::definition(schema, key).or_else(|| entry(schema, key)) {
        return Some(found);
    }
    for (alike, same) in ALIKE {
        if let Some(rest) = key.strip_prefix(alike)
            && let Some(found) = definition(schema, &format!("{same}{rest}"))
        {
            return Some(found);
        }
    }
    // The lab's runs and the prediction beside a run have the keys of a prediction.
    let rest = match schema {
        "iobound.lab/1" => key.strip_prefix("runs[]."),
        "iobound.result/1" => key.strip_prefix("predicted."),
        _ => None,
    };
    rest.and_then(|rest| definition("iobound.predict/1", rest))
}

/// The meaning in the row that names this key in backquotes, below the heading that names the schema.
fn entry(schema: &str, key: &str) -> Option<&'static str> {
    let (schema, key) = (format!("`{schema}`"), format!("`{key}`"));
    let mut is_below = false;
    for line in PAGE.lines() {
        if line.starts_with("## ") || line.starts_with("`iobound ") {
            is_below = line.ends_with(&schema);
        } else if is_below && line.starts_with("| `") {
            let mut cells = line.trim_end_matches(" |").split(" | ");
            if cells.next().is_some_and(|first| first.contains(&key)) {
                return cells.last().map(|meaning| meaning.trim_start_matches("| ").trim());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_what_the_page_says() {
        let held = "how long an I/O waited there for this limit, on average over all I/Os";
        assert_eq!(definition("iobound.predict/1", "gates[].held_us"), Some(held));
        assert_eq!(definition("iobound.lab/1", "runs[].gates[].held_us"), Some(held));
        assert_eq!(definition("iobound.result/1", "predicted.gates[].held_us"), Some(held));
        let measured = definition("iobound.lab/1", "runs[].measured.iops");
        assert_eq!(measured, Some("mean of the counted time"));
        assert!(definition("iobound.result/1", "targets[].latency_us.p99").is_some());
        assert_eq!(definition("iobound.predict/1", "gates[].nothing"), None);
        let expected = meaning("iobound.predict/1", "expected.iops").unwrap();
        assert!(expected.starts_with("what to expect: the simulation; the mean of"), "{expected}");
    }
}
