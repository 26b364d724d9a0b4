//! Peers that are not let in, and such that speak no gRPC at all.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use iobound_fleet::{Coordinator, Event, JoinError, Meet, Rules, Token};

use super::{Comer, all, loopback, nothing, rules, token};
use iobound_units::Problem;

#[test]
fn a_meeting_over_the_network_without_a_token_is_refused_on_both_sides() {
    let refused = Coordinator::open(&loopback(), 2, None, None, rules()).unwrap_err();
    assert!(refused.what.contains("need a token"), "{}", refused.what);
    assert!(refused.help.contains("--token-file"));
    let comer = Comer { meet: loopback(), token: None, tls: None, rules: rules(), rank: 0, of: 2 };
    let JoinError::Given(Problem { what, help }) = comer.join().unwrap_err() else { panic!("it was let in") };
    assert!(what.contains("needs a token") && help.contains("--token-file"));
}

#[test]
fn who_has_another_token_is_refused_and_the_others_meet() {
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    let stranger = Comer { token: Some(Token::drawn().unwrap()), ..Comer::new(&coordinator, 1, 2) };
    let JoinError::Refused(why) = stranger.join().unwrap_err() else { panic!("it was let in") };
    assert!(why.contains("its token differs from the coordinator's"), "{why}");
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let comer = Comer::new(&coordinator, rank, 2);
            std::thread::spawn(move || comer.takes_part(nothing()))
        })
        .collect();
    let events = all(&coordinator);
    assert!(comers.into_iter().all(|comer| comer.join().unwrap().is_ok()));
    let Some(Event::Refused { why }) = events.first() else { panic!("{events:?}") };
    assert!(why.starts_with("127.0.0.1:"), "{why}");
}

#[test]
fn who_speaks_something_else_harms_nobody_and_is_cut_off() {
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap();
    let Meet::Tcp { port, .. } = coordinator.address() else { panic!("a coordinator on the network") };
    // Nothing at all, what no HTTP is, and the beginning of HTTP/2 with frames of anything.
    let preface: &[u8] =
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x04\x01\x05\x00\x00\x00\x01\xde\xad\xbe\xef";
    let mut strangers = Vec::new();
    for bytes in [&b""[..], b"GET / HTTP/1.1\r\n\r\n", &[0xff; 4_096], preface] {
        for _ in 0..20 {
            let mut stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
            // Whoever is cut off already can't be written to.
            let _ = stranger.write_all(bytes);
            strangers.push(stranger);
        }
    }
    let comer = Comer::new(&coordinator, 0, 1);
    let end = std::thread::spawn(move || comer.takes_part(nothing()));
    all(&coordinator);
    assert!(end.join().unwrap().is_ok());
    // Those that say nothing are cut off too, after the time that a stranger has.
    for mut stranger in strangers {
        stranger.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut rest = Vec::new();
        match stranger.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }
}

#[test]
fn three_hundred_strangers_delay_no_rank() {
    let coordinator = Coordinator::open(&loopback(), 2, Some(token()), None, rules()).unwrap();
    let Meet::Tcp { port, .. } = coordinator.address() else { panic!("a coordinator on the network") };
    let strangers: Vec<TcpStream> = (0..300)
        .map(|n| {
            let mut stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let says: &[u8] = if n % 2 == 0 { b"" } else { b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" };
            stranger.write_all(says).unwrap();
            stranger
        })
        .collect();
    let began = Instant::now();
    let comers: Vec<_> = (0..2)
        .map(|rank| {
            let comer = Comer::new(&coordinator, rank, 2);
            std::thread::spawn(move || comer.takes_part(nothing()))
        })
        .collect();
    all(&coordinator);
    assert!(comers.into_iter().all(|comer| comer.join().unwrap().is_ok()));
    // One after the other, as many as had a place until their 5 s were over, it took 25 s.
    assert!(began.elapsed() < Duration::from_secs(15), "it took {:?}", began.elapsed());
    drop(strangers);
}

#[test]
fn who_says_more_than_a_greeting_before_it_is_let_in_is_cut_off() {
    let coordinator = Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap();
    let Meet::Tcp { port, .. } = coordinator.address() else { panic!("a coordinator on the network") };
    let mut stranger = TcpStream::connect(("127.0.0.1", port)).unwrap();
    // A connection of HTTP/2, and pings on it (RFC 9113, section 6.7) that never end.
    let mut says = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00".to_vec();
    says.extend(b"\x00\x00\x08\x06\x01\x00\x00\x00\x0012345678".repeat(100));
    let mut said = 0;
    while stranger.write_all(&says).is_ok() {
        said += says.len();
        says.drain(..says.len() - 1_700);
        assert!(said < 64 << 20, "it is heard for ever");
    }
    let comer = Comer::new(&coordinator, 0, 1);
    let end = std::thread::spawn(move || comer.takes_part(nothing()));
    all(&coordinator);
    assert!(end.join().unwrap().is_ok());
}

#[test]
fn where_no_coordinator_is_a_rank_says_what_it_tried_and_for_how_long() {
    // A port that was free a moment ago.
    let Meet::Tcp { host, port } =
        Coordinator::open(&loopback(), 1, Some(token()), None, rules()).unwrap().address()
    else {
        panic!("a coordinator on the network")
    };
    let rules = Rules { join: Duration::from_millis(300), ..rules() };
    let meet = Meet::Tcp { host, port };
    let comer = Comer { meet, token: Some(token()), tls: None, rules, rank: 0, of: 1 };
    let JoinError::Unreachable(why) = comer.join().unwrap_err() else { panic!("there is a coordinator") };
    assert!(why.contains(&format!("no coordinator answers at 127.0.0.1:{port}: tried for 0.3 s")), "{why}");
    assert!(why.to_lowercase().contains("refused"), "{why}");
}
