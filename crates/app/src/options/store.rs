//! The option about the results store.

use super::options;

options! {
    /// Place of the results store. `results::place_of` reads the value.
    pub struct StoreOptions {
        /// Results store [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE";
    }
}
