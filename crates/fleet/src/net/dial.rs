//! Connection of a rank to its coordinator.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Uri};
use tower_service::Service;

use iobound_units::Problem;

use super::causes;
use super::local::{LocalStream, check, connect};
use crate::error::JoinError;
use crate::meet::Meet;
use crate::tls::RankTls;

/// Time that one try may take.
const TRY: Duration = Duration::from_secs(5);

/// Address of a rank's coordinator, and the means to verify it.
pub(crate) struct Dial {
    endpoint: Endpoint,
    socket: Option<PathBuf>,
}

/// A try that failed.
pub(super) struct Failed {
    pub(super) why: String,
    /// Another try would fail as well.
    pub(super) for_good: bool,
}

impl Dial {
    pub(crate) fn new(meet: &Meet, tls: Option<&RankTls>) -> Result<Dial, JoinError> {
        let given = |what: String, help: &str| JoinError::Given(Problem::new(what).help(help));
        let (endpoint, socket) = match meet {
            Meet::Socket(path) => {
                check(path).map_err(JoinError::Given)?;
                // The name is nobody's: the connector knows where to go.
                (Endpoint::from_static("http://coordinator"), Some(path.clone()))
            }
            Meet::Tcp { .. } => {
                let scheme = if tls.is_some() { "https" } else { "http" };
                let endpoint = Endpoint::from_shared(format!("{scheme}://{meet}")).map_err(|error| {
                    given(format!("{meet} is not an address: {error}"), "--meet takes HOST:PORT")
                })?;
                (endpoint, None)
            }
        };
        let mut endpoint = endpoint
            .connect_timeout(TRY)
            .tcp_nodelay(true)
            .initial_stream_window_size(1 << 20)
            .initial_connection_window_size(1 << 20);
        if let Some(RankTls { ca, name }) = tls {
            if socket.is_some() {
                let what = "TLS needs a network address, and --meet names a socket of this machine";
                return Err(given(what.into(), "leave --tls-ca out, or give --meet HOST:PORT"));
            }
            let mut config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
            if let Some(name) = name {
                config = config.domain_name(name);
            }
            endpoint = endpoint.tls_config(config).map_err(|error| {
                given(
                    format!("cannot use the CA certificate: {}", causes(&error)),
                    "--tls-ca takes a file with a certificate as PEM",
                )
            })?;
        }
        Ok(Dial { endpoint, socket })
    }

    /// One try.
    pub(super) async fn connect(&self) -> Result<Channel, Failed> {
        let tried = match &self.socket {
            None => self.endpoint.connect().await,
            Some(path) => self.endpoint.connect_with_connector(At(path.clone())).await,
        };
        tried.map_err(|error| {
            let why = causes(&error);
            // An error in a certificate does not go away with time. A name or a port that does not exist yet may
            // appear.
            let for_good = why.contains("certificate") || why.contains("belongs to another user");
            Failed { why, for_good }
        })
    }
}

/// Connects to a socket, whatever name is asked for.
struct At(PathBuf);

impl Service<Uri> for At {
    type Response = TokioIo<LocalStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<LocalStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let path = self.0.clone();
        Box::pin(async move { connect(&path).await.map(TokioIo::new) })
    }
}
