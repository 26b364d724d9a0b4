//! One connection as the protocol sees it: bytes in, requests and the handshake's answers out. No socket, no clock.

use super::handshake::{self, Haggled, MOST_OPTION, Next};
use super::input::{Input, OWN};
use super::reply::{self, Form};
use super::wire::{Header, MOST_PAYLOAD, OPTION, REQUEST_LEN, be32, be64, command};
use crate::export::{Export, ExportId};
use crate::request::{Action, Errno};

/// Time that an option is without its data.
const OPTION_LEN: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The client's flags are expected.
    Flags,
    /// Options are.
    Options(Haggled),
    /// Requests are.
    Transmission(ExportId),
}

/// Input of one connection.
#[derive(Debug)]
pub(super) struct Session {
    phase: Phase,
    form: Form,
    /// True if it may ask what is allocated.
    allocation: bool,
    input: Input,
    /// Bytes of the input that belong to a refused request.
    skip: u64,
    /// Number of bytes that have to be there before it is worth looking again.
    wanted: usize,
}

/// Received input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Not a whole message yet.
    More,
    /// Something that is answered already.
    Answered,
    /// A request that makes sense, with a write's data.
    Request { export: ExportId, action: Action, cookie: u64, offset: u64, len: u32, payload: &'a [u8] },
    /// A question for what is allocated, of the first run or of as many as there are.
    Allocation { export: ExportId, cookie: u64, offset: u64, len: u32, only_one: bool },
    /// The client is done, or is not one: nothing more is read, what is under way is replied to.
    Close,
}

impl Session {
    /// A connection that was just accepted; the greeting is appended.
    pub(super) fn new(out: &mut Vec<u8>) -> Session {
        handshake::greet(out);
        Session {
            phase: Phase::Flags,
            form: Form::Simple,
            allocation: false,
            input: Input::default(),
            skip: 0,
            wanted: 4,
        }
    }

    /// Format of replies to requests.
    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Buffer for the next bytes: at most `most` of them, or the limit of a connection; empty once that is full.
    pub(super) fn room(&mut self, most: usize) -> &mut [u8] {
        self.input.room(self.wanted, most)
    }

    /// Memory that the message needs which comes, beyond what every connection may have.
    pub(super) fn needs(&self) -> usize {
        self.wanted.saturating_sub(OWN)
    }

    /// True if the handshake is not over.
    pub(super) fn is_haggling(&self) -> bool {
        !matches!(self.phase, Phase::Transmission(_))
    }

    /// True if a part of a message has come.
    pub(super) fn is_within_message(&self) -> bool {
        !self.input.bytes().is_empty()
    }

    /// Memory of what has come, beyond what every connection may have.
    pub(super) fn held(&self) -> usize {
        self.input.held()
    }

    /// Gives memory back that nothing is in.
    pub(super) fn release(&mut self) {
        self.input.release();
    }

    /// Number of received bytes.
    pub(super) fn filled(&mut self, len: usize) {
        self.input.filled(len);
    }

    /// First part of the unread input.
    pub(super) fn next(&mut self, exports: &[Export], out: &mut Vec<u8>) -> Step<'_> {
        if self.skip > 0 {
            let there = self.input.bytes().len();
            let skipped = there.min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            self.input.take(skipped);
            self.skip -= skipped as u64;
            if self.skip > 0 {
                return self.more(1);
            }
        }
        match self.phase {
            Phase::Flags => self.flags(),
            Phase::Options(haggled) => self.option(haggled, exports, out),
            Phase::Transmission(export) => self.request(export, exports, out),
        }
    }

    fn more(&mut self, wanted: usize) -> Step<'static> {
        self.wanted = wanted;
        Step::More
    }

    fn flags(&mut self) -> Step<'_> {
        if self.input.bytes().len() < 4 {
            return self.more(4);
        }
        let Some(haggled) = handshake::client_flags(be32(self.input.take(4), 0)) else { return Step::Close };
        self.phase = Phase::Options(haggled);
        Step::Answered
    }

    fn option(&mut self, mut haggled: Haggled, exports: &[Export], out: &mut Vec<u8>) -> Step<'_> {
        let Some(head) = self.input.bytes().first_chunk::<OPTION_LEN>() else { return self.more(OPTION_LEN) };
        let (magic, number, len) = (be64(head, 0), be32(head, 8), be32(head, 12));
        if magic != OPTION {
            return Step::Close;
        }
        if len > MOST_OPTION {
            self.input.take(OPTION_LEN);
            self.skip = u64::from(len);
            handshake::refuse_long(number, out);
            return Step::Answered;
        }
        let whole = OPTION_LEN + len as usize;
        if self.input.bytes().len() < whole {
            return self.more(whole);
        }
        let data = &self.input.take(whole)[OPTION_LEN..];
        match handshake::answer(number, data, exports, &mut haggled, out) {
            Next::Option => self.phase = Phase::Options(haggled),
            Next::Transmission(export) => {
                self.form = if haggled.structured { Form::Structured } else { Form::Simple };
                self.allocation = haggled.allocation == Some(export);
                self.phase = Phase::Transmission(export);
            }
            Next::Close => return Step::Close,
        }
        Step::Answered
    }

    /// A query for the allocation, which needs a negotiation first.
    #[cold]
    fn allocation(&mut self, export: ExportId, header: &Header, size: u64, out: &mut Vec<u8>) -> Step<'_> {
        let &Header { flags, cookie, offset, len, .. } = header;
        self.input.take(REQUEST_LEN);
        let is_known = self.allocation && flags & !(command::FUA | command::REQ_ONE) == 0;
        if !is_known || !is_whole(offset, len) || !is_within(offset, len, size) {
            reply::put_error(self.form, Errno::Invalid, cookie, out);
            return Step::Answered;
        }
        Step::Allocation { export, cookie, offset, len, only_one: flags & command::REQ_ONE != 0 }
    }

    #[inline]
    fn request(&mut self, export: ExportId, exports: &[Export], out: &mut Vec<u8>) -> Step<'_> {
        let Some(head) = self.input.bytes().first_chunk::<REQUEST_LEN>() else {
            return self.more(REQUEST_LEN);
        };
        // The bytes after an invalid request have no known meaning.
        let Some(header) = Header::parse(head) else { return Step::Close };
        if header.command == command::DISCONNECT {
            return Step::Close;
        }
        let payload = if header.command == command::WRITE { header.len } else { 0 };
        let size = exports[usize::from(export.0)].size.get();
        if header.command == command::BLOCK_STATUS {
            return self.allocation(export, &header, size, out);
        }
        let action = match action(&header, size, self.form) {
            Ok(action) => action,
            Err(errno) => {
                self.input.take(REQUEST_LEN);
                self.skip = u64::from(payload);
                reply::put_error(self.form, errno, header.cookie, out);
                return Step::Answered;
            }
        };
        let whole = REQUEST_LEN + payload as usize;
        if self.input.bytes().len() < whole {
            return self.more(whole);
        }
        let Header { cookie, offset, len, .. } = header;
        let payload = &self.input.take(whole)[REQUEST_LEN..];
        Step::Request { export, action, cookie, offset, len, payload }
    }
}

/// True if a range has whole sectors, and at least one.
#[inline]
fn is_whole(offset: u64, len: u32) -> bool {
    let sector = u64::from(Export::SECTOR);
    len != 0 && offset.is_multiple_of(sector) && u64::from(len).is_multiple_of(sector)
}

#[inline]
fn is_within(offset: u64, len: u32, size: u64) -> bool {
    offset.checked_add(u64::from(len)).is_some_and(|end| end <= size)
}

/// Request of a request, if it makes sense on an export of so many bytes.
#[inline]
fn action(header: &Header, size: u64, form: Form) -> Result<Action, Errno> {
    let &Header { flags, command: number, offset, len, .. } = header;
    let fua = flags & command::FUA != 0;
    // Clients are known to set force unit access where it has no meaning, and may.
    let mut known = command::FUA;
    let action = match number {
        command::READ => {
            known |= if form == Form::Structured { command::DF } else { 0 };
            Action::Read
        }
        command::WRITE => Action::Write { fua },
        command::FLUSH => Action::Flush,
        command::TRIM => Action::Trim,
        command::WRITE_ZEROES => {
            known |= command::NO_HOLE;
            Action::Zero { fua, allocate: flags & command::NO_HOLE != 0 }
        }
        _ => return Err(Errno::Invalid),
    };
    if flags & !known != 0 {
        return Err(Errno::Invalid);
    }
    if action == Action::Flush {
        return if offset == 0 && len == 0 { Ok(action) } else { Err(Errno::Invalid) };
    }
    if !is_whole(offset, len) {
        return Err(Errno::Invalid);
    }
    let has_payload = matches!(action, Action::Read | Action::Write { .. });
    if has_payload && len > MOST_PAYLOAD {
        return Err(Errno::Invalid);
    }
    if !is_within(offset, len, size) {
        let writes = matches!(action, Action::Write { .. } | Action::Zero { .. });
        return Err(if writes { Errno::NoSpace } else { Errno::Invalid });
    }
    Ok(action)
}
