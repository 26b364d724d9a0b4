//! Opening of files such that no other user can redirect the program to another file.
//!
//! A path is resolved one component at a time, from one open directory to the next ([`resolve`]). A symbolic link is
//! followed only if root or the user of this process owns it, and it lies in a directory that no other user can
//! write to. The result is an open [`Directory`] and a name in it; everything that follows (open, create, replace,
//! remove) is relative to that descriptor and never follows a link. A second descriptor of an open file comes from
//! [`reopen`], which cannot reach another file.

mod facts;
mod seal;

pub use crate::sys::error::PathError;
pub use crate::sys::open::{
    Directory, OpenWatch, Resolved, SocketName, Temporary, reopen, resolve, resolve_in, unstable_identity,
    user,
};
pub use facts::{Access, Birth, Facts, FileKind, Identity};
pub use seal::Seal;
