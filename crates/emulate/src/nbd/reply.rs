//! Replies: simple ones, and chunks where a client has negotiated them.

use super::wire::{CHUNK_LEN, SIMPLE_LEN, SIMPLE_REPLY, STRUCTURED_REPLY, allocation, chunk, number};
use crate::request::{Action, Errno};
use crate::store::{Allocation, Run};

/// The kind of reply that goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A header, and a read's data.
    Simple,
    /// Chunks for reads and for errors; what else succeeds is replied to with a simple one, which is shorter and allowed.
    Structured,
}

/// Appends the reply to a request, but for a read's data, which follows.
#[inline]
pub(super) fn put(
    form: Form,
    action: Action,
    cookie: u64,
    offset: u64,
    result: Result<usize, Errno>,
    out: &mut Vec<u8>,
) {
    match (form, result) {
        (Form::Structured, Ok(len)) if action == Action::Read => {
            let mut bytes = [0; CHUNK_LEN + 8];
            bytes[..CHUNK_LEN].copy_from_slice(&head(chunk::OFFSET_DATA, cookie, len as u32 + 8));
            bytes[CHUNK_LEN..].copy_from_slice(&offset.to_be_bytes());
            out.extend_from_slice(&bytes);
        }
        (Form::Simple, Ok(_)) | (Form::Structured, Ok(_)) => simple(0, cookie, out),
        (form, Err(errno)) => put_error(form, errno, cookie, out),
    }
}

/// Appends the reply to a request that failed or was refused.
pub(super) fn put_error(form: Form, errno: Errno, cookie: u64, out: &mut Vec<u8>) {
    if form == Form::Simple {
        simple(number(errno), cookie, out);
        return;
    }
    let why = match errno {
        Errno::Io => "the disk failed this I/O",
        Errno::NoSpace => "no space: beyond the end, or more than the backing can hold",
        Errno::Invalid => {
            "expected a known request of whole sectors of 512 bytes within the export, with at most 32 MiB of data"
        }
        Errno::Busy => "too many requests are outstanding",
    };
    out.extend_from_slice(&head(chunk::ERROR, cookie, 6 + why.len() as u32));
    out.extend_from_slice(&number(errno).to_be_bytes());
    out.extend_from_slice(&(why.len() as u16).to_be_bytes());
    out.extend_from_slice(why.as_bytes());
}

/// Appends what is allocated, as one chunk.
pub(super) fn put_allocation(runs: &[Run], cookie: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&head(chunk::BLOCK_STATUS, cookie, 4 + 8 * runs.len() as u32));
    out.extend_from_slice(&allocation::ID.to_be_bytes());
    for run in runs {
        let flags = match run.allocation {
            Allocation::Hole => allocation::HOLE | allocation::ZERO,
            Allocation::Zero => allocation::ZERO,
            Allocation::Data => 0,
        };
        // No longer than what was asked, which has 32 bits.
        out.extend_from_slice(&(run.len as u32).to_be_bytes());
        out.extend_from_slice(&flags.to_be_bytes());
    }
}

#[inline]
fn simple(error: u32, cookie: u64, out: &mut Vec<u8>) {
    let mut bytes = [0; SIMPLE_LEN];
    bytes[..4].copy_from_slice(&SIMPLE_REPLY.to_be_bytes());
    bytes[4..8].copy_from_slice(&error.to_be_bytes());
    bytes[8..].copy_from_slice(&cookie.to_be_bytes());
    out.extend_from_slice(&bytes);
}

/// A chunk's header; it is the only one of its reply.
fn head(kind: u16, cookie: u64, len: u32) -> [u8; CHUNK_LEN] {
    let mut bytes = [0; CHUNK_LEN];
    bytes[..4].copy_from_slice(&STRUCTURED_REPLY.to_be_bytes());
    bytes[4..6].copy_from_slice(&chunk::DONE.to_be_bytes());
    bytes[6..8].copy_from_slice(&kind.to_be_bytes());
    bytes[8..16].copy_from_slice(&cookie.to_be_bytes());
    bytes[16..].copy_from_slice(&len.to_be_bytes());
    bytes
}
