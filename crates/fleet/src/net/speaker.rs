//! The thread of a rank: what its process wants to say goes to the coordinator, and what the coordinator says into the book.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::dial::Dial;
use super::{Clock, causes};
use crate::protocol::RankBook;
use crate::wire::{
    CoordinatorWord, MOST_OF_A_MESSAGE, RankWord, coordinator_word, fleet_client::FleetClient, to_rank,
};

/// Number of words that are on their way at a time: beyond, they wait in the book, where the eldest intervals give way.
const UNDER_WAY: usize = 4;

/// Time that the coordinator may take to hear the last word.
const FAREWELL: Duration = Duration::from_secs(2);

/// Time that is waited between two tries, at first and at most.
const AGAIN: Duration = Duration::from_millis(50);
const AGAIN_AT_MOST: Duration = Duration::from_secs(1);

/// State shared by a rank's process and its connection.
pub(crate) struct Shared {
    book: Mutex<RankBook>,
    changed: Condvar,
    /// There may be something to say.
    wake: Notify,
    /// The load is to end.
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) clock: Clock,
}

impl Shared {
    pub(crate) fn new(book: RankBook, clock: Clock) -> Shared {
        Shared {
            book: Mutex::new(book),
            changed: Condvar::new(),
            wake: Notify::new(),
            stop: Arc::default(),
            clock,
        }
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, RankBook> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the book do something, and its words go out.
    pub(crate) fn tell(&self, does: impl FnOnce(&mut RankBook)) {
        does(&mut self.book());
        self.wake.notify_one();
    }

    /// Waits until the book has an answer.
    pub(crate) fn wait<T>(&self, answer: impl Fn(&RankBook) -> Option<T>) -> T {
        let mut book = self.book();
        loop {
            if let Some(answer) = answer(&book) {
                return answer;
            }
            book = self.changed.wait(book).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The book has changed by what was heard, or by time.
    fn has_changed(&self, does: impl FnOnce(&mut RankBook)) {
        let mut book = self.book();
        does(&mut book);
        if book.ended().is_some() {
            self.stop.store(true, Ordering::Relaxed);
        }
        drop(book);
        self.changed.notify_all();
    }
}

/// A connection to be made, and to be served until its end.
pub(crate) struct Connection {
    pub(crate) dial: Dial,
    pub(crate) shared: Arc<Shared>,
    pub(crate) join: Duration,
    pub(crate) beat: Duration,
}

impl Connection {
    /// Works until there is nothing to send or receive. `connected` is called once: with the connection, or with the
    /// reason why there is none.
    pub(crate) fn work(self, connected: &dyn Fn(Result<(), String>)) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            match self.reach().await {
                Ok((says, hears)) => {
                    connected(Ok(()));
                    self.serve(says, hears).await;
                }
                Err(why) => connected(Err(why)),
            }
        });
        runtime.shutdown_background();
        Ok(())
    }

    /// Tries until there is a coordinator, or time is up.
    async fn reach(&self) -> Result<(mpsc::Sender<CoordinatorWord>, Streaming<RankWord>), String> {
        let until = tokio::time::Instant::now() + self.join;
        let mut pause = AGAIN;
        loop {
            let (why, for_good) = match self.dial.connect().await {
                Ok(channel) => {
                    let (says, said) = mpsc::channel(UNDER_WAY);
                    let mut client = FleetClient::new(channel)
                        .max_decoding_message_size(MOST_OF_A_MESSAGE)
                        .max_encoding_message_size(MOST_OF_A_MESSAGE);
                    match client.meet(ReceiverStream::new(said)).await {
                        Ok(response) => return Ok((says, response.into_inner())),
                        Err(status) => (causes(&status), status.code() == tonic::Code::Unimplemented),
                    }
                }
                Err(failed) => (failed.why, failed.for_good),
            };
            if for_good {
                return Err(why);
            }
            if tokio::time::Instant::now() + pause >= until {
                return Err(format!("tried for {} s; last error: {why}", self.join.as_secs_f64()));
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(AGAIN_AT_MOST);
        }
    }

    async fn serve(&self, says: mpsc::Sender<CoordinatorWord>, mut hears: Streaming<RankWord>) {
        let Connection { shared, .. } = self;
        // Time has gone by since the book was made: the coordinator could not be heard before it was there.
        shared.has_changed(|book| book.connected(shared.clock.now()));
        let mut ticks = tokio::time::interval(self.beat / 2);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut says = Some(says);
        let mut farewell = None;
        loop {
            if says.is_some() && shared.book().is_done() {
                // All messages are sent: the end of the stream follows, and the coordinator closes its side.
                says = None;
                if shared.book().is_lost() {
                    return;
                }
                farewell = Some(tokio::time::Instant::now() + FAREWELL);
            }
            let over = async {
                match farewell {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                heard = hears.next() => match heard {
                    Some(Ok(word)) => {
                        let now = shared.clock.now();
                        match to_rank(word) {
                            Ok(word) => shared.has_changed(|book| book.heard(word, now)),
                            Err(error) => shared.has_changed(|book| book.garbled(&error.0)),
                        }
                    }
                    Some(Err(status)) => {
                        shared.has_changed(|book| book.closed(&causes(&status)));
                        return;
                    }
                    None => {
                        shared.has_changed(|book| book.closed("it was closed"));
                        return;
                    }
                },
                () = speak(shared, says.as_ref()) => {}
                _ = ticks.tick() => shared.has_changed(|book| book.tick(shared.clock.now())),
                () = over => return,
            }
        }
    }
}

/// Says the next word, once there is one and room for it.
async fn speak(shared: &Shared, says: Option<&mpsc::Sender<CoordinatorWord>>) {
    let Some(says) = says else { return std::future::pending().await };
    // A connection that takes nothing any more is noticed where it is heard.
    let Ok(room) = says.reserve().await else { return std::future::pending().await };
    loop {
        let word = shared.book().say(shared.clock.now());
        match word {
            Some(word) => {
                room.send(coordinator_word(&word));
                return;
            }
            None => shared.wake.notified().await,
        }
        if shared.book().is_done() {
            return;
        }
    }
}
