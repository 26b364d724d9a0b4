//! Google Cloud's offers against brute force, with the published rules written out anew in whole numbers.
//!
//! `PROPTEST_CASES=1700` tries 212 needs.

mod ask;
mod hyperdisk;
mod local;
mod persistent;
