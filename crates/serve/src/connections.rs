//! Connections: how many there may be, how long one may be silent, and which one is closed when there are too many.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tower_service::Service;

/// Most connections at a time. When there is one more, the oldest one without a request in progress is closed.
const MOST: usize = 256;

/// Time for a request's headers, from the connection or from the last response: also the idle time of a connection.
const HEADERS: Duration = Duration::from_secs(5);

/// Minimum age of an idle connection that is closed for a new one: an honest client of this machine has sent its request
/// by then.
const GRACE: Duration = Duration::from_millis(100);

/// Minimum age of a response that is cut off for a new connection, if all connections have one.
const ANSWERED: Duration = Duration::from_secs(1);

/// Pause when no connection may be closed yet, or no descriptor is free.
const FULL: Duration = Duration::from_millis(20);

/// Most memory for the headers of a request, in bytes.
const LONGEST: usize = 64 << 10;

/// Time for responses in progress when the server is stopping.
const PARTING: Duration = Duration::from_millis(200);

/// Serves connections until `stopped` is true.
pub(crate) async fn serve(listener: TcpListener, routes: Router, stopped: watch::Receiver<bool>) {
    let places = Places::default();
    let mut connections = JoinSet::new();
    let mut stop = stopped.clone();
    let mut id = 0;
    loop {
        let accepted = tokio::select! {
            biased;
            _ = stop.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                while places.are_full() && !places.evict() {
                    tokio::time::sleep(FULL).await;
                }
                id += 1;
                places.take(id);
                let one =
                    connection(stream, routes.clone(), stopped.clone(), Held { places: places.clone(), id });
                let task = connections.spawn(one);
                places.lock().entry(id).and_modify(|place| place.task = Some(task));
            }
            // Gone before it was accepted.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => {}
            // No descriptor or no memory: a silent connection makes room.
            Err(_) => {
                places.evict();
                tokio::time::sleep(FULL).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Serves one connection until its end.
async fn connection(stream: TcpStream, routes: Router, mut stopped: watch::Receiver<bool>, held: Held) {
    let (places, id) = (held.places.clone(), held.id);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let answering = Answering::new(&places, id);
        let mut routes = routes.clone();
        async move {
            let request: Request = request.map(Body::new);
            let response = routes.call(request).await?;
            let kept = |body| Body::new(AnswerBody { body, _answering: answering });
            Ok::<Response, Infallible>(response.map(kept))
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS)
        .max_buf_size(LONGEST)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(served);
    let stop = async { drop(stopped.wait_for(|stopped| *stopped).await) };
    tokio::select! {
        // A client that goes away, is too slow or speaks no HTTP ends its own connection only.
        _ = served.as_mut() => {}
        () = stop => {
            served.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(PARTING, served.as_mut()).await;
        }
    }
    drop(held);
}

/// Known facts about an open connection.
struct Place {
    /// Since when it is idle, or its oldest response is in progress.
    since: Instant,
    /// Responses in progress.
    answers: u32,
    /// `None` until its task runs.
    task: Option<AbortHandle>,
}

/// All open connections.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<BTreeMap<u64, Place>>>);

impl Places {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Place>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn are_full(&self) -> bool {
        self.lock().len() >= MOST
    }

    /// A place for one connection more, under a number of its own.
    fn take(&self, id: u64) {
        self.lock().insert(id, Place { since: Instant::now(), answers: 0, task: None });
    }

    /// Closes the connection that has been idle longest, if that is long enough; where none is idle, the one whose response
    /// is oldest. Says whether there was one.
    fn evict(&self) -> bool {
        let mut places = self.lock();
        let oldest = places.iter().min_by_key(|(_, place)| (place.answers > 0, place.since));
        let may_go = oldest
            .filter(|(_, place)| place.since.elapsed() >= if place.answers > 0 { ANSWERED } else { GRACE });
        let Some(id) = may_go.map(|(id, _)| *id) else { return false };
        if let Some(Place { task: Some(task), .. }) = places.remove(&id) {
            task.abort();
        }
        true
    }
}

/// A connection's place, until its task ends.
struct Held {
    places: Places,
    id: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.places.lock().remove(&self.id);
    }
}

/// A response in progress, from its request to the last byte of its body.
struct Answering {
    places: Places,
    id: u64,
}

impl Answering {
    fn new(places: &Places, id: u64) -> Answering {
        Answering::count(places, id, 1);
        Answering { places: places.clone(), id }
    }

    fn count(places: &Places, id: u64, by: i32) {
        if let Some(place) = places.lock().get_mut(&id) {
            place.answers = place.answers.saturating_add_signed(by);
            place.since = Instant::now();
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        Answering::count(&self.places, self.id, -1);
    }
}

/// A response's body that says when it is over.
struct AnswerBody {
    body: Body,
    _answering: Answering,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
