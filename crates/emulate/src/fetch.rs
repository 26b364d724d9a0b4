//! Reads that wait for the machine's own disk, in threads of their own: the one that paces everyone waits for none of them.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use iobound_units::{Instant, Tag};

use crate::request::Errno;
use crate::store::Cold;

/// Number that wait at a time, at most. A read that was tried has the kernel read ahead already, so that more are seldom faster.
const THREADS: usize = 8;

/// Number of times that a read is tried again: memory may be so short that what was fetched is gone when it is looked for. Then it is waited
/// for where it is.
const MOST_TRIES: u32 = 3;

/// A read that is due, and whose data is fetched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    pub(crate) tag: Tag,
    pub(crate) due: Instant,
    tries: u32,
}

impl Late {
    pub(crate) fn new(tag: Tag, due: Instant) -> Late {
        Late { tag, due, tries: 0 }
    }

    /// True if it is to be waited for where it is.
    pub(crate) fn waits(&self) -> bool {
        self.tries >= MOST_TRIES
    }
}

struct Job {
    id: u64,
    cold: Cold,
}

/// Fetched data, and its receiver.
struct Mail {
    fetched: Mutex<Vec<(u64, Result<(), Errno>)>>,
    wake: Box<dyn Fn() + Send + Sync>,
}

/// Reads whose data is fetched.
pub(crate) struct Fetches {
    jobs: Sender<Job>,
    /// Queue of the threads' jobs.
    queue: Arc<Mutex<Receiver<Job>>>,
    threads: usize,
    mail: Arc<Mail>,
    /// By number, which is never given twice: what comes late of a read that has failed meanwhile is of nobody.
    late: BTreeMap<u64, Late>,
    next: u64,
}

impl Fetches {
    /// None yet, and no thread. `wake` is called, from any thread, when something came.
    pub(crate) fn new(wake: impl Fn() + Send + Sync + 'static) -> Fetches {
        let (jobs, queue) = channel();
        let mail = Arc::new(Mail { fetched: Mutex::default(), wake: Box::new(wake) });
        let queue = Arc::new(Mutex::new(queue));
        Fetches { jobs, queue, threads: 0, mail, late: BTreeMap::new(), next: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.late.is_empty()
    }

    /// Has it fetched; says whether there is a thread that does.
    pub(crate) fn begin(&mut self, late: Late, cold: &mut Cold) -> bool {
        if self.threads < THREADS.min(self.late.len() + 1) && self.start_thread() {
            self.threads += 1;
        }
        if self.threads == 0 {
            cold.take();
            return false;
        }
        let id = self.next;
        self.next += 1;
        self.late.insert(id, Late { tries: late.tries + 1, ..late });
        self.jobs.send(Job { id, cold: std::mem::take(cold) }).expect("the queue is here as well");
        true
    }

    /// Threads end with the queue. Nobody waits for them: a disk of the machine that does not answer holds no one else.
    fn start_thread(&self) -> bool {
        let (queue, mail) = (Arc::clone(&self.queue), Arc::clone(&self.mail));
        let work = move || {
            loop {
                let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job { id, mut cold }) = job else { return };
                let fetched = cold.fetch();
                mail.fetched.lock().unwrap_or_else(PoisonError::into_inner).push((id, fetched));
                (mail.wake)();
            }
        };
        thread::Builder::new().name("fetch".into()).spawn(work).is_ok()
    }

    /// Data that arrived since the last call, appended to `came`.
    pub(crate) fn take(&mut self, came: &mut Vec<(Late, Result<(), Errno>)>) {
        let fetched = std::mem::take(&mut *self.mail.fetched.lock().unwrap_or_else(PoisonError::into_inner));
        came.extend(fetched.into_iter().filter_map(|(id, result)| Some((self.late.remove(&id)?, result))));
    }

    /// Nobody waits for what is fetched any more.
    pub(crate) fn forget(&mut self) {
        self.late.clear();
    }
}
