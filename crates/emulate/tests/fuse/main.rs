//! The files as other programs find them: through the kernel. Where there is no FUSE these tests say so and check nothing;
//! `.ci/interop` is where it has to be.
// Files are what these tests are about.
#![allow(clippy::disallowed_methods)]

mod bench;
mod data;
mod mounts;
mod system;
