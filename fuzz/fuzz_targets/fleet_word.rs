//! Any bytes as what a rank says, what a coordinator says, and a rank's report: refused, or figures that hold together.
#![no_main]

use iobound_fleet::protocol::ToCoordinator;
use iobound_fleet::wire::{report_of, to_coordinator_bytes, to_coordinator_of, to_rank_bytes, to_rank_of};
use iobound_measure::Measured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(word) = to_coordinator_of(bytes) {
        assert!(
            to_coordinator_of(&to_coordinator_bytes(&word)).is_ok(),
            "a word that was read is one that can be said"
        );
        if let ToCoordinator::Tick { mut together, .. } = word {
            let other = together.clone();
            together.merge(&other);
        }
    }
    if let Ok(word) = to_rank_of(bytes) {
        assert_eq!(to_rank_of(&to_rank_bytes(&word)), Ok(word));
    }
    if let Ok(report) = report_of(bytes)
        && let Some(measured) = report.measured
    {
        assert_eq!(measured.check(), Ok(()));
        // It adds up, or is refused.
        let _ = Measured::beside(&[("a", &measured), ("b", &measured)]);
    }
});
