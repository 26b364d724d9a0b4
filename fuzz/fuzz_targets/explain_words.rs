//! No words of `--observed` or `--want` are a panic, and the rules can judge whatever is read of them.
#![no_main]

use std::sync::OnceLock;

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
use iobound_explain::{Case, Observed, Want, findings};
use iobound_predict::CacheState;
use libfuzzer_sys::fuzz_target;

fn configured() -> &'static (Catalog, Configuration, Resolved) {
    static CONFIGURED: OnceLock<(Catalog, Configuration, Resolved)> = OnceLock::new();
    CONFIGURED.get_or_init(|| {
        let catalog = Catalog::shipped();
        let mut configuration = Configuration::of("D8s_v3");
        configuration.volumes =
            vec![parse_spec("data=2xP20:readonly").unwrap(), parse_spec("log=P10").unwrap()];
        let resolved = resolve(&configuration, &catalog).unwrap();
        (catalog, configuration, resolved)
    })
}

fuzz_target!(|text: &str| {
    let want = Want::parse(text).ok();
    let Ok(observed) = Observed::parse(text) else { return };
    let (catalog, configuration, resolved) = configured();
    let case = Case::new(configuration, catalog, resolved, &observed, want, CacheState::Warm);
    for finding in findings(&case) {
        assert!(!finding.claim.contains("NaN"), "{finding:?}");
    }
});
