//! The option about the results store.

use super::options;

options! {
    /// Where runs are kept. The value is read by `results::place_of`.
    pub struct StoreOptions {
        /// Results store [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE";
    }
}
