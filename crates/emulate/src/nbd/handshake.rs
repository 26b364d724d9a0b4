//! Fixed newstyle negotiation: what a client asks before it uses an export.

use super::wire::{
    BLOCK_SIZES, GREETING, MOST_STRING, OPTION, OPTION_REPLY, allocation, answer, be16, be32, handshake,
    info, option, transmission,
};
use crate::export::{Export, ExportId};

/// Longest data of an option that is read: a name and its requests.
pub(super) const MOST_OPTION: u32 = 2 * MOST_STRING as u32;

/// Negotiated options so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Haggled {
    /// No 124 bytes of zeroes after the flags of an export.
    pub(super) no_zeroes: bool,
    /// Reads are replied to in chunks.
    pub(super) structured: bool,
    /// The export of which it can be asked what is allocated.
    pub(super) allocation: Option<ExportId>,
}

/// The text that follows an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another one.
    Option,
    /// Requests to this export.
    Transmission(ExportId),
    /// Nothing: the connection ends when what was said is sent.
    Close,
}

/// First message of the server.
pub(super) fn greet(out: &mut Vec<u8>) {
    out.extend_from_slice(&GREETING.to_be_bytes());
    out.extend_from_slice(&OPTION.to_be_bytes());
    out.extend_from_slice(&(handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES).to_be_bytes());
}

/// Meaning of the client's flags; `None` for an unknown flag: then the connection ends.
pub(super) fn client_flags(flags: u32) -> Option<Haggled> {
    let known = u32::from(handshake::FIXED_NEWSTYLE | handshake::NO_ZEROES);
    let no_zeroes = flags & u32::from(handshake::NO_ZEROES) != 0;
    (flags & !known == 0).then_some(Haggled { no_zeroes, ..Haggled::default() })
}

/// Answers an option.
pub(super) fn answer(
    number: u32,
    data: &[u8],
    exports: &[Export],
    haggled: &mut Haggled,
    out: &mut Vec<u8>,
) -> Next {
    match number {
        option::EXPORT_NAME => return enter(data, exports, *haggled, out),
        option::ABORT => {
            put(out, number, answer::ACK, &[]);
            return Next::Close;
        }
        option::LIST if data.is_empty() => {
            for export in exports {
                let mut entry = (export.name.len() as u32).to_be_bytes().to_vec();
                entry.extend_from_slice(export.name.as_bytes());
                put(out, number, answer::SERVER, &entry);
            }
            put(out, number, answer::ACK, &[]);
        }
        option::STRUCTURED_REPLY if data.is_empty() => {
            haggled.structured = true;
            put(out, number, answer::ACK, &[]);
        }
        option::LIST | option::STRUCTURED_REPLY => {
            put(out, number, answer::INVALID, b"this option has no data");
        }
        option::LIST_META_CONTEXT | option::SET_META_CONTEXT => contexts(number, data, exports, haggled, out),
        option::INFO | option::GO => return tell(number, data, exports, *haggled, out),
        _ => put(out, number, answer::UNSUPPORTED, b"this server does not know this option"),
    }
    Next::Option
}

/// Refuses an option whose data is longer than anything that this server knows.
pub(super) fn refuse_long(number: u32, out: &mut Vec<u8>) {
    put(
        out,
        number,
        answer::TOO_BIG,
        format!("an option has at most {MOST_OPTION} bytes of data").as_bytes(),
    );
}

/// Tells which metadata there is of an export, or has it told later.
fn contexts(number: u32, data: &[u8], exports: &[Export], haggled: &mut Haggled, out: &mut Vec<u8>) {
    let sets = number == option::SET_META_CONTEXT;
    if sets {
        // Earlier settings no longer apply, even if this fails.
        haggled.allocation = None;
    }
    if !haggled.structured {
        return put(out, number, answer::INVALID, b"structured replies have to be negotiated before");
    }
    let Some((name, queries)) = context_request(data) else {
        return put(
            out,
            number,
            answer::INVALID,
            b"expected a name, and a count of queries, each with its length",
        );
    };
    let Some(id) = find(name, exports) else { return unknown(number, exports, out) };
    let is_all = |query: &&[u8]| *query == b"base:" && !sets;
    let lists_all = queries.is_empty() && !sets;
    if lists_all || queries.iter().any(|query| *query == allocation::NAME || is_all(query)) {
        // In a list the number has no meaning.
        let id_told = if sets { allocation::ID } else { 0 };
        put(out, number, answer::META_CONTEXT, &[&id_told.to_be_bytes()[..], allocation::NAME].concat());
        if sets {
            haggled.allocation = Some(id);
        }
    }
    put(out, number, answer::ACK, &[]);
}

/// The name of an export and its requested information; `None` if the lengths contradict each other.
fn context_request(data: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let counted = |data: &'_ [u8]| data.first_chunk::<4>().map(|bytes| be32(bytes, 0) as usize);
    let (name, rest) = data[4.min(data.len())..].split_at_checked(counted(data)?)?;
    let count = counted(rest)?;
    let mut rest = &rest[4..];
    let mut queries = Vec::new();
    for _ in 0..count {
        let (query, after) = rest[4.min(rest.len())..].split_at_checked(counted(rest)?)?;
        queries.push(query);
        rest = after;
    }
    rest.is_empty().then_some((name, queries))
}

fn unknown(number: u32, exports: &[Export], out: &mut Vec<u8>) {
    let names: Vec<&str> = exports.iter().map(|export| export.name.as_str()).collect();
    let why = format!("no export with that name; the exports are {}", names.join(", "));
    put(out, number, answer::UNKNOWN, &why.as_bytes()[..why.len().min(MOST_STRING)]);
}

/// The oldest way into an export, which has no words for an error.
fn enter(name: &[u8], exports: &[Export], haggled: Haggled, out: &mut Vec<u8>) -> Next {
    let Some(id) = find(name, exports) else { return Next::Close };
    out.extend_from_slice(&exports[usize::from(id.0)].size.get().to_be_bytes());
    out.extend_from_slice(&flags(haggled).to_be_bytes());
    if !haggled.no_zeroes {
        out.extend_from_slice(&[0; 124]);
    }
    Next::Transmission(id)
}

/// Tells of an export, and lets the client in if that is what it wants.
fn tell(number: u32, data: &[u8], exports: &[Export], haggled: Haggled, out: &mut Vec<u8>) -> Next {
    let Some((name, asked)) = info_request(data) else {
        put(out, number, answer::INVALID, b"expected a name, and 16 bits for each thing asked");
        return Next::Option;
    };
    let Some(id) = find(name, exports) else {
        unknown(number, exports, out);
        return Next::Option;
    };
    let export = &exports[usize::from(id.0)];
    let mut about = |what: u16, parts: &[&[u8]]| {
        let mut bytes = what.to_be_bytes().to_vec();
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        put(out, number, answer::INFO, &bytes);
    };
    about(info::EXPORT, &[&export.size.get().to_be_bytes(), &flags(haggled).to_be_bytes()]);
    let sizes = BLOCK_SIZES.map(u32::to_be_bytes);
    // Also where it is not asked for: a client that has not heard of sectors learns of them before its first request.
    about(info::BLOCK_SIZE, &[&sizes[0], &sizes[1], &sizes[2]]);
    for what in asked {
        match what {
            info::NAME => about(what, &[export.name.as_bytes()]),
            info::DESCRIPTION => {
                let kind = if export.disks == 1 { "disk" } else { "disks" };
                about(what, &[format!("{} on {} {kind}", export.size, export.disks).as_bytes()]);
            }
            _ => {}
        }
    }
    put(out, number, answer::ACK, &[]);
    if number == option::GO { Next::Transmission(id) } else { Next::Option }
}

/// The name and its queries; `None` if the lengths contradict each other.
fn info_request(data: &[u8]) -> Option<(&[u8], impl Iterator<Item = u16>)> {
    let len = data.first_chunk::<4>().map(|bytes| be32(bytes, 0) as usize)?;
    let (name, rest) = data[4..].split_at_checked(len)?;
    let count = rest.first_chunk::<2>().map(|bytes| usize::from(be16(bytes, 0)))?;
    let asked = &rest[2..];
    (asked.len() == 2 * count).then(|| (name, asked.chunks_exact(2).map(|bytes| be16(bytes, 0))))
}

/// The export of that name; without a name the first.
fn find(name: &[u8], exports: &[Export]) -> Option<ExportId> {
    let found = |export: &Export| name.is_empty() || export.name.as_bytes() == name;
    exports.iter().position(found).map(|n| ExportId(n as u16))
}

/// Transmission flags of an export. All connections have one stack behind them: a flush on one covers all.
fn flags(haggled: Haggled) -> u16 {
    use transmission as flag;
    let always = flag::HAS_FLAGS
        | flag::SEND_FLUSH
        | flag::SEND_FUA
        | flag::SEND_TRIM
        | flag::SEND_WRITE_ZEROES
        | flag::CAN_MULTI_CONN;
    if haggled.structured { always | flag::SEND_DF } else { always }
}

fn put(out: &mut Vec<u8>, number: u32, kind: u32, data: &[u8]) {
    out.extend_from_slice(&OPTION_REPLY.to_be_bytes());
    out.extend_from_slice(&number.to_be_bytes());
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    out.extend_from_slice(data);
}
