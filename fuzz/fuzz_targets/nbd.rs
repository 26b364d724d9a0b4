//! Any bytes from a client: no panic, no more memory than is asked for in one request, and the same replies however the
//! bytes are cut.
#![no_main]

use std::io::IoSlice;
use std::sync::Arc;

use iobound_emulate::nbd::{Pipe, Server, Transport};
use iobound_emulate::store::Pool;
use iobound_emulate::{Emulator, FrontId, Shared, Time};
use iobound_model::{Blueprint, Start, StartCredits};
use iobound_units::{Bytes, Instant};
use libfuzzer_sys::fuzz_target;

/// Time stands still: without latency everything completes all the same.
struct Still;

impl Time for Still {
    fn now(&self) -> Instant {
        Instant::ZERO
    }
}

fn shared() -> Arc<Shared> {
    let blueprint = Blueprint::instant("data", 1, Bytes::mib(1));
    let start = Start { seed: 1, credits: StartCredits::Full };
    let memory = Pool::new(Bytes::mib(1)).expect("memory").disks(1);
    let emulator = Emulator::new(&blueprint, &start, 64, memory).expect("a valid blueprint");
    Shared::on(Box::new(Still), emulator).expect("a descriptor")
}

/// All that the server says to these bytes, sent in parts of at most `part`.
fn said(bytes: &[u8], part: usize) -> Vec<u8> {
    let shared = shared();
    let mut server = Server::new(FrontId(0)).expect("a descriptor");
    let (mut client, theirs) = Pipe::pair(1 << 20);
    let id = server.open(theirs, Instant::ZERO).expect("room for a client");
    let (mut all, mut back) = (Vec::new(), vec![0; 1 << 16]);
    for part in bytes.chunks(part).chain([&[][..]]) {
        if !part.is_empty() && client.send(&[IoSlice::new(part)]).is_err() {
            break;
        }
        loop {
            server.ready(id, true, true, false);
            let turn = server.turn(&shared);
            let again = turn.again || turn.next.is_some_and(|next| next <= Instant::ZERO);
            match client.receive(&mut back) {
                Ok(len @ 1..) => all.extend_from_slice(&back[..len]),
                _ if again => {}
                _ => break,
            }
        }
    }
    all
}

fuzz_target!(|bytes: &[u8]| {
    // Most inputs begin behind the handshake: flags without zeroes, chunks or none, what is allocated or not, the default export.
    let inside = [b"\0\0\0\x03".as_slice(), b"IHAVEOPT\0\0\0\x01\0\0\0\0"];
    let chunks = b"IHAVEOPT\0\0\0\x08\0\0\0\0".as_slice();
    let Some((how, rest)) = bytes.split_first() else { return };
    let asks = b"IHAVEOPT\0\0\0\x0a\0\0\0\x1b\0\0\0\0\0\0\0\x01\0\0\0\x0fbase:allocation".as_slice();
    let bytes = match how % 4 {
        0 => rest.to_vec(),
        1 => [inside[0], inside[1], rest].concat(),
        2 => [inside[0], chunks, inside[1], rest].concat(),
        _ => [inside[0], chunks, asks, inside[1], rest].concat(),
    };
    // Replies to requests that are under way at the same time come in any order, and reads may see writes or not: what is
    // the same is that everything is replied to. What is allocated is what the requests before it have made of it.
    let (whole, cut) = (said(&bytes, bytes.len().max(1)), said(&bytes, 1 + usize::from(*how)));
    assert_eq!(whole.len(), cut.len(), "how bytes are cut matters");
});
