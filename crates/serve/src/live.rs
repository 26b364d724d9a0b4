//! The events now, second by second: server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::time::{MissedTickBehavior, interval};

use crate::backend::Answer;
use crate::server::{Shared, asked, respond};

/// Interval at which a state is told.
const EVERY: Duration = Duration::from_secs(1);

/// The states of something that runs, until it ends (`event: end`, with a clause that says so) or nobody listens. What is not there at all is an
/// error, so that a browser does not come again.
pub(crate) async fn states(State(shared): State<Arc<Shared>>, Path(of): Path<String>) -> Response {
    let backend = Arc::clone(&shared.backend);
    let name = of.clone();
    let first = asked(&shared, move |_| backend.state(&name)).await;
    let Answer::Document(_) = first else { return respond(first) };
    let mut tick = interval(EVERY);
    // Who sleeps through a second gets the next one, not two at once.
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let events = stream::unfold(Some((shared, tick)), move |next| {
        let of = of.clone();
        async move {
            let (shared, mut tick) = next?;
            let mut stopped = shared.stopped.clone();
            tokio::select! {
                _ = tick.tick() => {}
                _ = stopped.wait_for(|stopped| *stopped) => return None,
            }
            let backend = Arc::clone(&shared.backend);
            let event = match asked(&shared, move |_| backend.state(&of)).await {
                // Several lines are several `data:` fields, which the browser joins again.
                Answer::Document(text) => {
                    return Some((Ok(Event::default().data(text)), Some((shared, tick))));
                }
                Answer::Refused { what, .. } => {
                    Event::default().event("end").data(format!("it has ended: {what}"))
                }
                Answer::Unknown => Event::default().event("end").data("it has ended"),
            };
            Some((Ok::<Event, Infallible>(event), None))
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}
