//! No JSON of a cloud's tools is a panic, nor what is merged of it into any catalogue file: what stands before a form feed is that file.
#![no_main]

use iobound_catalog::{Catalog, ImportFile, merge, read_listing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (existing, json) = text.split_once('\u{c}').unwrap_or(("", text));
    let Ok(listing) = read_listing(json).map_err(|error| error.to_string()) else { return };
    let file =
        ImportFile { name: "a.json".into(), as_of: "2026-11-22".into(), region: Some("r".into()), listing };
    for complete in [false, true] {
        let Ok(import) = merge("a.toml", existing, std::slice::from_ref(&file), complete) else { continue };
        // What was written is read, and the same import changes nothing of it.
        Catalog::shipped().with_user("a.toml", &import.text).expect("what an import writes is read");
        let again =
            merge("a.toml", &import.text, std::slice::from_ref(&file), complete).expect("it merges again");
        assert_eq!(again.text, import.text);
    }
});
