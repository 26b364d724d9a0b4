//! The definition of each figure, from the comments of the documents' fields.

use iobound_documents::definition;

/// Meaning of a key, with what the thing is that it is of: of `expected.iops`, first what `expected` is. A page shows a dash where a
/// document has `null`.
pub(super) fn meaning(schema: &str, key: &str) -> Option<String> {
    let own = definition(schema, key)?;
    let of =
        key.rsplit_once('.').filter(|(of, _)| !of.ends_with("[]")).and_then(|(of, _)| definition(schema, of));
    let meaning = match of {
        Some(of) if of != own => format!("{of} {own}"),
        _ => own.to_string(),
    };
    Some(meaning.replace("`null`", "a dash"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meaning_begins_with_that_of_the_whole() {
        let expected = meaning("iobound.predict/2", "expected.iops").unwrap();
        assert!(expected.starts_with("Expected figures, from the simulation. Mean IOPS"), "{expected}");
        for (schema, key) in [
            ("iobound.lab/2", "runs[].limits[].held_us"),
            ("iobound.lab/2", "runs[].measured.iops"),
            ("iobound.result/1", "predicted.limits[].held_us"),
            ("iobound.result/1", "hosts[].latency_us.p99"),
        ] {
            assert!(meaning(schema, key).is_some(), "{key} has a definition");
        }
        assert_eq!(meaning("iobound.predict/2", "limits[].nothing"), None);
        let month = meaning("iobound.plan/1", "frontier[].month").unwrap();
        assert!(month.contains("a dash if nothing delivers them") && !month.contains("null"), "{month}");
    }
}
