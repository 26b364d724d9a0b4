//! The option about the results store.

use super::options;

options! {
    /// Where runs are kept. The value is read by `results::place_of`.
    pub struct StoreOptions {
        /// The store [default: IOBOUND_RESULTS, else in the user's data]
        results: Option<String> = Form::One, "FILE";
    }
}
