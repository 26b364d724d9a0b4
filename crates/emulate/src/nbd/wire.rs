//! The numbers and layouts of the NBD protocol, as its specification (`doc/proto.md` of the reference implementation) has
//! them. Everything is big-endian.

use crate::request::Errno;

/// `NBDMAGIC`: what every server says first.
pub(super) const GREETING: u64 = 0x4e42_444d_4147_4943;
/// `IHAVEOPT`: newstyle, and before every option.
pub(super) const OPTION: u64 = 0x4948_4156_454f_5054;
/// Before every reply to an option.
pub(super) const OPTION_REPLY: u64 = 0x0003_e889_0455_65a9;
/// Before every request.
pub(super) const REQUEST: u32 = 0x2560_9513;
/// Before every simple reply.
pub(super) const SIMPLE_REPLY: u32 = 0x6744_6698;
/// Before every chunk of a structured reply.
pub(super) const STRUCTURED_REPLY: u32 = 0x668e_33ef;

/// Flags of the handshake: the server's have 16 bits, the client's 32, with the same meaning.
pub(super) mod handshake {
    pub(crate) const FIXED_NEWSTYLE: u16 = 1 << 0;
    pub(crate) const NO_ZEROES: u16 = 1 << 1;
}

/// Options that a client may set, by number.
pub(super) mod option {
    pub(crate) const EXPORT_NAME: u32 = 1;
    pub(crate) const ABORT: u32 = 2;
    pub(crate) const LIST: u32 = 3;
    pub(crate) const INFO: u32 = 6;
    pub(crate) const GO: u32 = 7;
    pub(crate) const STRUCTURED_REPLY: u32 = 8;
    pub(crate) const LIST_META_CONTEXT: u32 = 9;
    pub(crate) const SET_META_CONTEXT: u32 = 10;
}

/// Replies to an option.
pub(super) mod answer {
    pub(crate) const ACK: u32 = 1;
    pub(crate) const SERVER: u32 = 2;
    pub(crate) const INFO: u32 = 3;
    pub(crate) const META_CONTEXT: u32 = 4;
    pub(crate) const ERROR: u32 = 1 << 31;
    pub(crate) const UNSUPPORTED: u32 = ERROR + 1;
    pub(crate) const INVALID: u32 = ERROR + 3;
    pub(crate) const UNKNOWN: u32 = ERROR + 6;
    pub(crate) const TOO_BIG: u32 = ERROR + 9;
}

/// Information about an export.
pub(super) mod info {
    pub(crate) const EXPORT: u16 = 0;
    pub(crate) const NAME: u16 = 1;
    pub(crate) const DESCRIPTION: u16 = 2;
    pub(crate) const BLOCK_SIZE: u16 = 3;
}

/// Transmission flags of an export.
pub(super) mod transmission {
    pub(crate) const HAS_FLAGS: u16 = 1 << 0;
    pub(crate) const SEND_FLUSH: u16 = 1 << 2;
    pub(crate) const SEND_FUA: u16 = 1 << 3;
    pub(crate) const SEND_TRIM: u16 = 1 << 5;
    pub(crate) const SEND_WRITE_ZEROES: u16 = 1 << 6;
    pub(crate) const SEND_DF: u16 = 1 << 7;
    pub(crate) const CAN_MULTI_CONN: u16 = 1 << 8;
}

/// Requests, by number.
pub(super) mod command {
    pub(crate) const READ: u16 = 0;
    pub(crate) const WRITE: u16 = 1;
    pub(crate) const DISCONNECT: u16 = 2;
    pub(crate) const FLUSH: u16 = 3;
    pub(crate) const TRIM: u16 = 4;
    pub(crate) const WRITE_ZEROES: u16 = 6;
    pub(crate) const BLOCK_STATUS: u16 = 7;
    /// Flag: durable when it is replied to.
    pub(crate) const FUA: u16 = 1 << 0;
    /// Flag of write zeroes: the place stays taken.
    pub(crate) const NO_HOLE: u16 = 1 << 1;
    /// Flag of a read: one chunk.
    pub(crate) const DF: u16 = 1 << 2;
    /// Flag of block status: the first extent, and no more.
    pub(crate) const REQ_ONE: u16 = 1 << 3;
}

/// Chunks of structured replies.
pub(super) mod chunk {
    pub(crate) const DONE: u16 = 1 << 0;
    pub(crate) const NONE: u16 = 0;
    pub(crate) const OFFSET_DATA: u16 = 1;
    pub(crate) const BLOCK_STATUS: u16 = 5;
    pub(crate) const ERROR: u16 = (1 << 15) + 1;
}

/// The metadata context of what is allocated: `base:allocation`.
pub(super) mod allocation {
    /// Its name.
    pub(crate) const NAME: &[u8] = b"base:allocation";
    /// The number that this server gives it.
    pub(crate) const ID: u32 = 1;
    /// Flag of an extent: it takes no place.
    pub(crate) const HOLE: u32 = 1 << 0;
    /// Flag of an extent: it reads as zeroes.
    pub(crate) const ZERO: u32 = 1 << 1;
    /// The most extents of one reply.
    pub(crate) const MOST: usize = 4096;
}

/// Blocks: the smallest, what is best, and the most data of one request, in bytes.
pub(super) const BLOCK_SIZES: [u32; 3] = [512, 4096, MOST_PAYLOAD];
/// The most data of one request, in bytes.
pub const MOST_PAYLOAD: u32 = 32 << 20;
/// The longest a string may be, in bytes.
pub(super) const MOST_STRING: usize = 4096;

/// Time that a request is without its data.
pub(super) const REQUEST_LEN: usize = 28;
/// Time that a simple reply is without its data.
pub(super) const SIMPLE_LEN: usize = 16;
/// Time that a chunk is without its payload.
pub(super) const CHUNK_LEN: usize = 20;

/// The protocol's number of an error.
pub(super) fn number(errno: Errno) -> u32 {
    match errno {
        Errno::Io => 5,
        Errno::Busy => 12,
        Errno::Invalid => 22,
        Errno::NoSpace => 28,
    }
}

/// A request's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) flags: u16,
    pub(super) command: u16,
    pub(super) cookie: u64,
    pub(super) offset: u64,
    pub(super) len: u32,
}

impl Header {
    /// The header in these bytes; `None` if they are of something else.
    pub(super) fn parse(bytes: &[u8; REQUEST_LEN]) -> Option<Header> {
        (be32(bytes, 0) == REQUEST).then(|| Header {
            flags: be16(bytes, 4),
            command: be16(bytes, 6),
            cookie: be64(bytes, 8),
            offset: be64(bytes, 16),
            len: be32(bytes, 24),
        })
    }

    /// Appends it.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let mut bytes = [0; REQUEST_LEN];
        bytes[..4].copy_from_slice(&REQUEST.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.command.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_be_bytes());
        bytes[24..].copy_from_slice(&self.len.to_be_bytes());
        out.extend_from_slice(&bytes);
    }
}

/// The number at `at`, which is within the bytes.
pub(super) fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

/// The number at `at`, which is within the bytes.
pub(super) fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The number at `at`, which is within the bytes.
pub(super) fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from_be_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
