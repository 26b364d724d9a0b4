//! The server: its address, its routes, its end.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use serde_json::json;
use tokio::sync::{Semaphore, watch};

use crate::backend::{Answer, Backend, Word};
use crate::{connections, guard, live, page};

/// Number of questions that are answered at a time: more only make each other slower.
const AT_A_TIME: usize = 4;

/// A server that listens, and does not serve yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    stop: watch::Sender<bool>,
}

/// Ends a server from another thread.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Takes no more connections, ends those that watch, and stops what is being answered.
    pub fn stop(&self) {
        // Also before anybody serves: a value that is sent to nobody is not kept.
        self.0.send_replace(true);
    }
}

pub(crate) struct Shared {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) stopped: watch::Receiver<bool>,
    turns: Arc<Semaphore>,
}

impl Server {
    /// Listens at an address of the loopback; port 0 is any that is free.
    ///
    /// # Errors
    /// Returns an error if the address is not a loopback address or is in use.
    pub fn listen(at: SocketAddr) -> io::Result<Server> {
        if !at.ip().is_loopback() {
            let why =
                format!("{} is not a loopback address, and only this machine may open the page", at.ip());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        Ok(Server { listener, stop: watch::channel(false).0 })
    }

    /// Address in use.
    ///
    /// # Errors
    /// Returns an error if the system does not tell the address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Signal that ends it.
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Serves until it is stopped, on this thread and those that answer.
    ///
    /// # Errors
    /// Returns an error if no thread or no descriptor is available.
    pub fn serve(self, backend: Arc<dyn Backend>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let stopped = self.stop.subscribe();
        let port = self.address()?.port();
        let shared = Arc::new(Shared {
            backend,
            stopped: stopped.clone(),
            turns: Arc::new(Semaphore::new(AT_A_TIME)),
        });
        let routes = Router::new()
            .route("/api/running", get(running))
            .route("/api/live/{of}", get(live::states))
            .route("/api/{question}", get(question))
            .route("/pages/{question}", get(answer_page))
            .fallback(get(async |uri: Uri| page::file(uri.path())))
            .layer(middleware::from_fn_with_state(port, guard::guard))
            .with_state(shared);
        let ended = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            connections::serve(listener, routes, stopped).await;
            Ok(())
        });
        // Questions were stopped; one that is between two looks at its flag is not waited for.
        runtime.shutdown_background();
        ended
    }
}

async fn question(
    State(shared): State<Arc<Shared>>,
    Path(question): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let words = words_of(query);
    let backend = Arc::clone(&shared.backend);
    respond(asked(&shared, move |stop| backend.ask(&question, &words, stop)).await)
}

/// An answer as a page. Its own policy, which names its one style and its one script by their digests, is stricter than that
/// of the served page.
async fn answer_page(
    State(shared): State<Arc<Shared>>,
    Path(question): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let words = words_of(query);
    let backend = Arc::clone(&shared.backend);
    match asked(&shared, move |stop| backend.page(&question, &words, stop)).await {
        Answer::Document(html) => {
            let policy = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, policy),
            ];
            (headers, html).into_response()
        }
        other => respond(other),
    }
}

/// The words of an address.
fn words_of(query: Option<String>) -> Vec<Word> {
    let pairs = form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
    pairs.map(|(name, value)| Word { name: name.into_owned(), value: value.into_owned() }).collect()
}

async fn running(State(shared): State<Arc<Shared>>) -> Response {
    let backend = Arc::clone(&shared.backend);
    respond(asked(&shared, move |_| backend.running()).await)
}

/// Sets the flag of a question when nobody waits for its answer any more: the server drops what it does for a client that
/// has left.
struct Unwanted(Arc<AtomicBool>);

impl Drop for Unwanted {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The backend's answer, from a thread that may block, when it is the question's turn. A question whose client has left is
/// stopped, and its turn is the next one's as soon as the work has ended.
pub(crate) async fn asked(
    shared: &Shared,
    ask: impl FnOnce(&Arc<AtomicBool>) -> Answer + Send + 'static,
) -> Answer {
    let Ok(turn) = Arc::clone(&shared.turns).acquire_owned().await else { return Answer::Unknown };
    let stop = Arc::new(AtomicBool::new(false));
    let unwanted = Unwanted(Arc::clone(&stop));
    let work = tokio::task::spawn_blocking(move || {
        // The work has the turn, not the client: work that goes on would otherwise not count.
        let _turn = turn;
        ask(&stop)
    });
    let mut stopped = shared.stopped.clone();
    let answer = tokio::select! {
        answer = work => answer.unwrap_or_else(|_| Answer::Refused {
            what: "the program failed on this question".into(),
            help: Some("run it on the command line, and report the error".into()),
        }),
        _ = stopped.wait_for(|stopped| *stopped) => Answer::refused("the server is stopping", "start it again"),
    };
    drop(unwanted);
    answer
}

pub(crate) fn respond(answer: Answer) -> Response {
    let (status, body) = match answer {
        Answer::Document(text) => (StatusCode::OK, text),
        Answer::Refused { what, help } => {
            (StatusCode::BAD_REQUEST, json!({ "error": what, "help": help }).to_string())
        }
        Answer::Unknown => (StatusCode::NOT_FOUND, json!({ "error": "unknown name" }).to_string()),
    };
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
