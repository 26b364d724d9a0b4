//! The page's own files, which are part of the program.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// Each file, some of which pages of `--html` share: its path, its type, its bytes.
const FILES: [(&str, &str, &str); 21] = [
    ("/", HTML, include_str!("../assets/index.html")),
    ("/style.css", CSS, include_str!("../assets/style.css")),
    ("/look.css", CSS, include_str!("../../report/assets/look.css")),
    ("/charts.js", JS, include_str!("../../report/assets/charts.js")),
    ("/uplot.css", CSS, include_str!("../../report/vendor/uplot/uPlot.min.css")),
    ("/uplot.js", JS, include_str!("../../report/vendor/uplot/uPlot.iife.min.js")),
    ("/app.js", JS, include_str!("../assets/app.js")),
    ("/address.js", JS, include_str!("../assets/address.js")),
    ("/show.js", JS, include_str!("../assets/show.js")),
    ("/options.js", JS, include_str!("../assets/options.js")),
    ("/catalogue.js", JS, include_str!("../assets/catalogue.js")),
    ("/fields.js", JS, include_str!("../assets/fields.js")),
    ("/chart.js", JS, include_str!("../assets/chart.js")),
    ("/bench.js", JS, include_str!("../assets/bench.js")),
    ("/plan.js", JS, include_str!("../assets/plan.js")),
    ("/results.js", JS, include_str!("../assets/results.js")),
    ("/names.js", JS, include_str!("../assets/names.js")),
    ("/live.js", JS, include_str!("../assets/live.js")),
    ("/machine.js", JS, include_str!("../assets/machine.js")),
    ("/explanation.js", JS, include_str!("../assets/explanation.js")),
    ("/lab.js", JS, include_str!("../assets/lab.js")),
];

/// The file of that path.
pub(crate) fn file(path: &str) -> Response {
    match FILES.iter().find(|(of, ..)| *of == path) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, format!("no page at {path}; the page is at /\n")).into_response(),
    }
}
