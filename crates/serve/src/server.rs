//! The server: its address, its routes, its end.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use serde_json::json;
use tokio::sync::{Semaphore, watch};

use crate::desk::{Answer, Desk, Word};
use crate::{guard, live, page};

/// How many questions are answered at a time: more only make each other slower.
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
    /// Takes no more connections, ends those that watch, finishes what is being answered.
    pub fn stop(&self) {
        let _ = self.0.send(true);
    }
}

pub(crate) struct Shared {
    pub(crate) desk: Arc<dyn Desk>,
    pub(crate) stopped: watch::Receiver<bool>,
    turns: Semaphore,
}

impl Server {
    /// Listens at an address of the loopback; port 0 is any that is free.
    ///
    /// # Errors
    /// The address is none of the loopback, or taken.
    pub fn listen(at: SocketAddr) -> io::Result<Server> {
        if !at.ip().is_loopback() {
            let why =
                format!("{} is no address of the loopback, and the page is for this machine alone", at.ip());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        Ok(Server { listener, stop: watch::channel(false).0 })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What ends it.
    pub fn stop(&self) -> Stop {
        Stop(self.stop.clone())
    }

    /// Serves until it is stopped, on this thread and those that answer.
    ///
    /// # Errors
    /// No thread or descriptor to be had.
    pub fn serve(self, desk: Arc<dyn Desk>) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut stopped = self.stop.subscribe();
        let shared = Arc::new(Shared { desk, stopped: stopped.clone(), turns: Semaphore::new(AT_A_TIME) });
        let routes = Router::new()
            .route("/api/running", get(running))
            .route("/api/live/{of}", get(live::states))
            .route("/api/{question}", get(question))
            .fallback(get(async |uri: Uri| page::file(uri.path())))
            .layer(middleware::from_fn(guard::guard))
            .with_state(shared);
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            axum::serve(listener, routes)
                .with_graceful_shutdown(async move {
                    let _ = stopped.wait_for(|stopped| *stopped).await;
                })
                .await
        })
    }
}

async fn question(
    State(shared): State<Arc<Shared>>,
    Path(question): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let pairs = form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
    let words: Vec<Word> =
        pairs.map(|(name, value)| Word { name: name.into_owned(), value: value.into_owned() }).collect();
    let desk = Arc::clone(&shared.desk);
    respond(asked(&shared, move || desk.ask(&question, &words)).await)
}

async fn running(State(shared): State<Arc<Shared>>) -> Response {
    let desk = Arc::clone(&shared.desk);
    respond(asked(&shared, move || desk.running()).await)
}

/// The desk's answer, from a thread that may block, when it is the question's turn. Who has gone meanwhile is not
/// answered: the turn is another's.
pub(crate) async fn asked(shared: &Shared, ask: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    let Ok(_turn) = shared.turns.acquire().await else { return Answer::Unknown };
    tokio::task::spawn_blocking(ask).await.unwrap_or_else(|_| Answer::Refused {
        what: "this question ended in an error of the program".into(),
        mend: Some("ask it on the command line, and report what it says".into()),
    })
}

pub(crate) fn respond(answer: Answer) -> Response {
    let (status, body) = match answer {
        Answer::Document(text) => (StatusCode::OK, text),
        Answer::Refused { what, mend } => {
            (StatusCode::BAD_REQUEST, json!({ "error": what, "help": mend }).to_string())
        }
        Answer::Unknown => {
            (StatusCode::NOT_FOUND, json!({ "error": "there is nothing of that name" }).to_string())
        }
    };
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
