//! What a question asked within another program brings with it: texts that stand for files, and a way to end it. All of it
//! is the asking thread's, so that questions of several threads know nothing of each other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

thread_local! {
    static ASKING: RefCell<Option<Rc<Asking>>> = const { RefCell::new(None) };
}

/// What belongs to the question that this thread is asking.
pub(crate) struct Asking {
    texts: BTreeMap<String, String>,
    stop: Option<Rc<dyn Fn() -> bool>>,
    stopped: Cell<bool>,
    notes: RefCell<Vec<String>>,
}

impl Asking {
    /// Carries a question out with these texts by their names; `stop` is asked now and then whether it shall end. With
    /// what was noted beside the answer, and whether it was stopped.
    pub(crate) fn with<T>(
        texts: BTreeMap<String, String>,
        stop: Option<Rc<dyn Fn() -> bool>>,
        question: impl FnOnce() -> T,
    ) -> (T, Vec<String>, bool) {
        let asking =
            Rc::new(Asking { texts, stop, stopped: Cell::new(false), notes: RefCell::new(Vec::new()) });
        let before = ASKING.replace(Some(Rc::clone(&asking)));
        let _restored = Restored(before);
        let answer = question();
        (answer, asking.notes.take(), asking.stopped.get())
    }

    fn current() -> Option<Rc<Asking>> {
        ASKING.with_borrow(Clone::clone)
    }
}

/// The question that was being asked before, again, also after a panic.
struct Restored(Option<Rc<Asking>>);

impl Drop for Restored {
    fn drop(&mut self) {
        ASKING.set(self.0.take());
    }
}

/// Whether another program asks.
pub(crate) fn is_within() -> bool {
    Asking::current().is_some()
}

/// The text that stands for a file of this name.
pub(crate) fn text(name: &str) -> Option<String> {
    Asking::current()?.texts.get(name).cloned()
}

/// Whether the one who asked wants no answer any more. Once it is so, it stays so.
pub(crate) fn is_stopped() -> bool {
    let Some(asking) = Asking::current() else { return false };
    if !asking.stopped.get() && asking.stop.as_ref().is_some_and(|stop| stop()) {
        asking.stopped.set(true);
    }
    asking.stopped.get()
}

/// Keeps a note for the one who asked; `false` where nobody did, and it is to be said on standard error.
pub(crate) fn note(text: &str) -> bool {
    let asking = Asking::current();
    if let Some(asking) = &asking {
        asking.notes.borrow_mut().push(text.to_string());
    }
    asking.is_some()
}
