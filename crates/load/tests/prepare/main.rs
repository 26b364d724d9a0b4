//! Preparation on the file system of the machine: small files, no privileges.
#![cfg(target_os = "linux")]

mod bench;
mod consent;
mod files;
mod interrupted;
mod refusals;
