//! The invariants of ARCHITECTURE.md that hold of the sources as a whole: who depends on whom, what pure crates do
//! not name, what no file holds. A rule that only a reader can keep is not here.
#![allow(clippy::disallowed_methods, reason = "it reads the sources")]

mod dependencies;
mod documents;
mod language;
mod modules;
mod one_cloud;
mod platforms;
mod program;
mod sources;
mod workspace;
