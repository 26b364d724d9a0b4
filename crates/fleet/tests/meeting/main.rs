//! Coordinator and ranks over real sockets: what they promise each other on the network.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, reason = "a meeting is of moments and folders of this machine")]

mod lost;
mod met;
mod proxy;
#[path = "../simulated/run.rs"]
mod run;
mod strangers;
mod tls;
/// What the recorded run needs of the simulated world.
mod world {
    pub(crate) const SECOND: u64 = 1_000_000_000;
}

use std::time::{Duration, Instant};

use iobound_fleet::{
    Coordinator, Event, Gathered, Hello, Host, JoinError, Meet, Rank, RankInfo, RankReport, RankTls, Rules,
    Token,
};

/// Longer than any of this takes, so that nothing fails on a busy machine; what is awaited ends it sooner.
const LONG: Duration = Duration::from_secs(60);

fn token() -> Token {
    Token::new("a-token-of-these-tests").unwrap()
}

fn loopback() -> Meet {
    Meet::Tcp { host: "127.0.0.1".into(), port: 0 }
}

/// Rules for a machine that does a hundred things at once.
fn rules() -> Rules {
    Rules { join: LONG, silent: LONG, stuck: LONG, beat: Duration::from_millis(100) }
}

fn hello(rank: u32) -> Hello {
    Hello {
        host: Host { name: format!("db{rank}"), pid: 1_000 + rank, facts: "{}".into() },
        fingerprint: "scan".into(),
        stages: 1,
        version: "1.0.0".into(),
    }
}

/// Arrival of a rank in a test.
#[derive(Clone)]
struct Comer {
    meet: Meet,
    token: Option<Token>,
    tls: Option<RankTls>,
    rules: Rules,
    rank: u32,
    of: u32,
}

impl Comer {
    fn new(coordinator: &Coordinator, rank: u32, of: u32) -> Comer {
        let meet = coordinator.address();
        let token = matches!(meet, Meet::Tcp { .. }).then(token);
        Comer { meet, token, tls: None, rules: rules(), rank, of }
    }

    fn join(self) -> Result<Rank, JoinError> {
        let rank_info = RankInfo::given(self.rank, self.of).unwrap();
        Rank::join(&self.meet, self.token, self.tls, &rank_info, hello(self.rank), self.rules)
    }

    /// Does all that a rank does; tells when it began, or why it did not.
    fn takes_part(self, report: RankReport) -> Result<Instant, String> {
        let rank = self.join().map_err(|error| error.to_string())?;
        let start = rank.ready(0).map_err(|error| error.to_string())?;
        rank.began(0, start);
        rank.report(0, report).map_err(|error| error.to_string())?;
        Ok(start)
    }
}

fn nothing() -> RankReport {
    RankReport { measured: None, document: "{}".into(), failed: None }
}

/// Everything that happens until the coordinator is done.
fn all(coordinator: &Coordinator) -> Vec<Event> {
    let mut events = Vec::new();
    let until = Instant::now() + LONG;
    while Instant::now() < until {
        let Some(event) = coordinator.next(Duration::from_millis(200)) else { continue };
        let over = matches!(event, Event::Over);
        events.push(event);
        if over {
            break;
        }
    }
    assert!(matches!(events.last(), Some(Event::Over)), "it is not over: {events:?}");
    // Nothing comes after it, and nobody waits for it.
    let before = Instant::now();
    assert!(coordinator.next(LONG).is_none() && before.elapsed() < LONG / 2);
    events
}

/// A fleet of so many threads that take part, to its end.
fn fleet(coordinator: Coordinator, of: u32, report: &RankReport) -> (Gathered, Vec<Result<Instant, String>>) {
    let comers: Vec<_> = (0..of)
        .map(|rank| {
            let (comer, report) = (Comer::new(&coordinator, rank, of), report.clone());
            std::thread::spawn(move || comer.takes_part(report))
        })
        .collect();
    all(&coordinator);
    let ends = comers.into_iter().map(|comer| comer.join().unwrap()).collect();
    (coordinator.gathered(), ends)
}
