//! Words between coordinator and ranks.

use iobound_units::{Instant, Op};

use super::measured::{read_together, wire_interval};
use super::messages::{self, to_coordinator as coordinator, to_rank as rank};
use super::{WireError, line, there};
use crate::hello::{Hello, Host};
use crate::protocol::{Greeting, ToCoordinator, ToRank};

pub(crate) fn coordinator_word(word: &ToCoordinator) -> messages::ToCoordinator {
    let word = match word {
        ToCoordinator::Hello(greeting) => coordinator::Word::Hello(greeting_wire(greeting)),
        ToCoordinator::Pong { number, at } => {
            coordinator::Word::Pong(messages::Pong { number: *number, at_ns: at.ns() })
        }
        ToCoordinator::Ready { stage } => coordinator::Word::Ready(messages::Ready { stage: *stage }),
        ToCoordinator::Began { stage, at } => {
            coordinator::Word::Began(messages::Began { stage: *stage, at_ns: at.ns() })
        }
        ToCoordinator::Tick { stage, together } => {
            // Of an interval by itself, no latencies are latencies that were not kept.
            let [reads, writes] = together.latencies();
            let interval = wire_interval(together.interval(), [Some(reads), Some(writes)]);
            coordinator::Word::Tick(messages::Tick { stage: *stage, interval: Some(interval) })
        }
        ToCoordinator::Beat { work } => coordinator::Word::Beat(messages::Beat { work: *work }),
        ToCoordinator::Fragment { stage, bytes, last } => coordinator::Word::Fragment(messages::Fragment {
            stage: *stage,
            bytes: bytes.clone(),
            last: *last,
        }),
        ToCoordinator::GiveUp { why } => coordinator::Word::GiveUp(messages::GiveUp { why: why.clone() }),
        ToCoordinator::Bye => coordinator::Word::Bye(messages::Bye {}),
    };
    messages::ToCoordinator { word: Some(word) }
}

pub(crate) fn to_coordinator(word: messages::ToCoordinator) -> Result<ToCoordinator, WireError> {
    Ok(match there(word.word, "what a rank says")? {
        coordinator::Word::Hello(hello) => ToCoordinator::Hello(Box::new(greeting(hello)?)),
        coordinator::Word::Pong(pong) => {
            ToCoordinator::Pong { number: pong.number, at: Instant::from_ns(pong.at_ns) }
        }
        coordinator::Word::Ready(ready) => ToCoordinator::Ready { stage: ready.stage },
        coordinator::Word::Began(began) => {
            ToCoordinator::Began { stage: began.stage, at: Instant::from_ns(began.at_ns) }
        }
        coordinator::Word::Tick(tick) => ToCoordinator::Tick {
            stage: tick.stage,
            together: Box::new(read_together(there(tick.interval, "an interval")?)?),
        },
        coordinator::Word::Beat(beat) => ToCoordinator::Beat { work: beat.work },
        coordinator::Word::Fragment(fragment) => {
            ToCoordinator::Fragment { stage: fragment.stage, bytes: fragment.bytes, last: fragment.last }
        }
        coordinator::Word::GiveUp(give_up) => {
            ToCoordinator::GiveUp { why: line(give_up.why, "why it leaves")? }
        }
        coordinator::Word::Bye(_) => ToCoordinator::Bye,
    })
}

pub(crate) fn rank_word(word: &ToRank) -> messages::ToRank {
    let word = match word {
        ToRank::Welcome => rank::Word::Welcome(messages::Welcome {}),
        ToRank::AllThere => rank::Word::AllThere(messages::AllThere {}),
        ToRank::Refused { why } => rank::Word::Refused(messages::Refused { why: why.clone() }),
        ToRank::Ping { number } => rank::Word::Ping(messages::Ping { number: *number }),
        ToRank::Start { stage, at } => rank::Word::Start(messages::Start { stage: *stage, at_ns: at.ns() }),
        ToRank::Stop { why } => rank::Word::Stop(messages::Stop { why: why.clone() }),
        ToRank::Got { stage } => rank::Word::Got(messages::Got { stage: *stage }),
        ToRank::Beat => rank::Word::Beat(messages::Beat { work: 0 }),
    };
    messages::ToRank { word: Some(word) }
}

pub(crate) fn to_rank(word: messages::ToRank) -> Result<ToRank, WireError> {
    Ok(match there(word.word, "what the coordinator says")? {
        rank::Word::Welcome(_) => ToRank::Welcome,
        rank::Word::AllThere(_) => ToRank::AllThere,
        rank::Word::Refused(refused) => ToRank::Refused { why: line(refused.why, "why it is refused")? },
        rank::Word::Ping(ping) => ToRank::Ping { number: ping.number },
        rank::Word::Start(start) => ToRank::Start { stage: start.stage, at: Instant::from_ns(start.at_ns) },
        rank::Word::Stop(stop) => ToRank::Stop { why: line(stop.why, "why it ends")? },
        rank::Word::Got(got) => ToRank::Got { stage: got.stage },
        rank::Word::Beat(_) => ToRank::Beat,
    })
}

fn greeting_wire(greeting: &Greeting) -> messages::Hello {
    let Hello { host, fingerprint, stages, version } = &greeting.hello;
    messages::Hello {
        rank: greeting.rank,
        of: greeting.of,
        version: version.clone(),
        token: greeting.token.clone(),
        fingerprint: fingerprint.clone(),
        stages: *stages,
        host: host.name.clone(),
        pid: host.pid,
        facts: host.facts.clone(),
    }
}

fn greeting(wire: messages::Hello) -> Result<Greeting, WireError> {
    let host = Host { name: line(wire.host, "the host's name")?, pid: wire.pid, facts: wire.facts };
    let hello = Hello {
        host,
        fingerprint: line(wire.fingerprint, "the fingerprint")?,
        stages: wire.stages,
        version: line(wire.version, "the version")?,
    };
    Ok(Greeting { rank: wire.rank, of: wire.of, token: wire.token, hello })
}

// An operation that is added has a place in every message of figures.
const _: () = assert!(Op::ALL.len() == 4, "fleet.proto says which operations there are");
