//! Options about the page of an answer.

use super::options;

options! {
    /// The page, and its content.
    pub struct PageOptions in "Answer" {
        /// Also write the answer as one HTML page with charts, without external resources. Replaces an existing iobound page
        html: Option<String> = Form::One, "FILE";
        /// Keep host names, users' folders and cloud ids in the page [default: left out]
        html_with_names: Option<String> = TOGGLE, "true|false";
    }
}
