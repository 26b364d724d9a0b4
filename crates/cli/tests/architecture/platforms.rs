//! Calls to the operating system.

use crate::sources::source_of;
use crate::workspace::assert_none;

/// Crates whose calls to the operating system are all in their `sys`.
const WITH_SYS: [&str; 2] = ["load", "machine"];

/// Names that only a platform's own code contains.
const PLATFORM: [&str; 7] =
    ["libc::", "rustix::", "io_uring::", "procfs::", "windows_sys::", "std::os::", "core::arch::"];

#[test]
fn only_sys_calls_the_operating_system() {
    let mut wrong = Vec::new();
    for name in WITH_SYS {
        for line in source_of(name) {
            let is_apart = line.place.contains("/sys/")
                || line.place.contains("tests")
                || line.place.contains("fixture");
            let named = PLATFORM.iter().find(|word| !is_apart && line.code.contains(*word));
            wrong.extend(named.map(|word| format!("{} names {word}", line.place)));
        }
    }
    assert_none(&wrong, "put the call into sys, with a neutral type, and into sys/unsupported too");
}
