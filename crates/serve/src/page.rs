//! The page's own files, which are part of the program.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Each file: its path, its type, its bytes.
const FILES: [(&str, &str, &str); 9] = [
    ("/", "text/html; charset=utf-8", include_str!("../assets/index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("../assets/style.css")),
    ("/app.js", "text/javascript; charset=utf-8", include_str!("../assets/app.js")),
    ("/address.js", "text/javascript; charset=utf-8", include_str!("../assets/address.js")),
    ("/show.js", "text/javascript; charset=utf-8", include_str!("../assets/show.js")),
    ("/bench.js", "text/javascript; charset=utf-8", include_str!("../assets/bench.js")),
    ("/plan.js", "text/javascript; charset=utf-8", include_str!("../assets/plan.js")),
    ("/results.js", "text/javascript; charset=utf-8", include_str!("../assets/results.js")),
    ("/live.js", "text/javascript; charset=utf-8", include_str!("../assets/live.js")),
];

/// The file of that path.
pub(crate) fn file(path: &str) -> Response {
    match FILES.iter().find(|(of, ..)| *of == path) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => {
            (StatusCode::NOT_FOUND, format!("there is nothing at {path}; the page is at /\n")).into_response()
        }
    }
}
