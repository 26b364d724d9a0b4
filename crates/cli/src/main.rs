//! The program `iobound`.
fn main() {}
