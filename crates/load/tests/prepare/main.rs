//! Preparation on the file system of the machine: small files, no privileges.
#![cfg(target_os = "linux")]

mod bench;
mod consent;
mod content;
mod files;
mod hostile;
mod interrupted;
mod refusals;
