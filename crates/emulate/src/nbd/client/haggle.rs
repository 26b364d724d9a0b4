//! The handshake, as a client sees it.

use crate::nbd::input::Input;
use crate::nbd::wire::{
    GREETING, MOST_STRING, OPTION, OPTION_REPLY, answer, be16, be32, be64, handshake, info, option,
};

/// An export that a client has entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// Its size in bytes.
    pub size: u64,
    /// Permitted operations: the protocol's transmission flags.
    pub flags: u16,
    /// The smallest block in bytes, if the server says.
    pub smallest: Option<u32>,
    /// True if reads are replied to in chunks.
    pub structured: bool,
}

/// The expected value next.
#[derive(Debug)]
pub(super) struct Haggle {
    greeted: bool,
    entered: Entered,
}

impl Haggle {
    pub(super) fn new() -> Haggle {
        Haggle { greeted: false, entered: Entered { size: 0, flags: 0, smallest: None, structured: false } }
    }

    /// Processes the received bytes; returns the export once it is entered. Data to send is appended.
    pub(super) fn go_on(
        &mut self,
        name: &str,
        structured: bool,
        input: &mut Input,
        out: &mut Vec<u8>,
    ) -> Result<Option<Entered>, String> {
        if !self.greeted {
            if input.bytes().len() < 18 {
                return Ok(None);
            }
            let greeting = input.take(18);
            let is_newstyle = be64(greeting, 0) == GREETING && be64(greeting, 8) == OPTION;
            if !is_newstyle || be16(greeting, 16) & handshake::FIXED_NEWSTYLE == 0 {
                return Err("the server does not speak NBD's fixed newstyle".into());
            }
            self.greeted = true;
            ask(name, structured, be16(greeting, 16) & handshake::NO_ZEROES, out);
        }
        while let Some(len) = whole(input.bytes())? {
            let reply = input.take(len);
            let (number, kind, data) = (be32(reply, 8), be32(reply, 12), &reply[20..]);
            if kind & answer::ERROR != 0 {
                // Without chunks it works as well.
                if number == option::STRUCTURED_REPLY {
                    continue;
                }
                return Err(format!("the server refuses {name:?}: {}", String::from_utf8_lossy(data)));
            }
            match (number, kind) {
                (option::STRUCTURED_REPLY, answer::ACK) => self.entered.structured = true,
                (option::GO, answer::ACK) => return Ok(Some(self.entered)),
                (option::GO, answer::INFO) => self.learn(data),
                _ => {}
            }
        }
        Ok(None)
    }

    fn learn(&mut self, data: &[u8]) {
        match data.first_chunk::<2>().map(|what| (be16(what, 0), data.len())) {
            Some((info::EXPORT, 12)) => {
                (self.entered.size, self.entered.flags) = (be64(data, 2), be16(data, 10));
            }
            Some((info::BLOCK_SIZE, 14)) => self.entered.smallest = Some(be32(data, 2)),
            _ => {}
        }
    }
}

/// The client's flags, and its options, without waiting for the answer to the first.
fn ask(name: &str, structured: bool, no_zeroes: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::from(handshake::FIXED_NEWSTYLE | no_zeroes).to_be_bytes());
    let mut put = |number: u32, data: &[u8]| {
        out.extend_from_slice(&OPTION.to_be_bytes());
        out.extend_from_slice(&number.to_be_bytes());
        out.extend_from_slice(&(data.len() as u32).to_be_bytes());
        out.extend_from_slice(data);
    };
    if structured {
        put(option::STRUCTURED_REPLY, &[]);
    }
    let mut data = (name.len() as u32).to_be_bytes().to_vec();
    data.extend_from_slice(name.as_bytes());
    data.extend_from_slice(&1u16.to_be_bytes());
    data.extend_from_slice(&info::BLOCK_SIZE.to_be_bytes());
    put(option::GO, &data);
}

/// Time that the reply to an option is, once all of it is there.
fn whole(bytes: &[u8]) -> Result<Option<usize>, String> {
    let Some(head) = bytes.first_chunk::<20>() else { return Ok(None) };
    let len = be32(head, 16) as usize;
    if be64(head, 0) != OPTION_REPLY || len > 2 * MOST_STRING {
        return Err("the server's answer to an option is invalid".into());
    }
    Ok((bytes.len() >= 20 + len).then_some(20 + len))
}
