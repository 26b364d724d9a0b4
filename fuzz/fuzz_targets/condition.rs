//! No condition is a panic, and what is read of one is read again from how it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;

use iobound_measure::compare::Condition;

fuzz_target!(|text: &str| {
    match Condition::parse(text) {
        Ok(condition) => assert_eq!(Condition::parse(&condition.to_string()), Ok(condition)),
        Err(error) => assert!(!error.is_empty()),
    }
});
