//! Metrics for Prometheus: one page over HTTP, on a thread of its own.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest request: its line and headers.
const LONGEST: u64 = 16 << 10;
/// How long a client may take, from connecting to the last byte of its request.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers `GET /metrics` until it is dropped.
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsServer {
    /// Listens; `page` gives the text of the moment. Port 0 is any that is free.
    ///
    /// # Errors
    /// The address is taken, or not this machine's.
    pub fn listen(
        address: SocketAddr,
        page: impl Fn() -> String + Send + 'static,
    ) -> io::Result<MetricsServer> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                // Who goes away has no page.
                let _ = stream.and_then(|stream| answer(&stream, &page));
            }
        })?;
        Ok(MetricsServer { address, stop, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Who waits for the next client is woken by one.
        if TcpStream::connect(self.address).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn answer(stream: &TcpStream, page: &impl Fn() -> String) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let (status, kind, text) = match request_line(stream)?.as_deref() {
        Some(line) => match line.split(' ').collect::<Vec<_>>()[..] {
            ["GET", "/metrics", _] => {
                // The version is part of the format, by its specification.
                ("200 OK", "text/plain; version=0.0.4; charset=utf-8", page())
            }
            ["GET" | "HEAD", _, _] => ("404 Not Found", "text/plain", "there is /metrics only\n".to_string()),
            [_, _, _] => ("405 Method Not Allowed", "text/plain", "GET only\n".to_string()),
            _ => ("400 Bad Request", "text/plain", "no request of HTTP/1.1\n".to_string()),
        },
        None => ("400 Bad Request", "text/plain", "the request is too long\n".to_string()),
    };
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(text.as_bytes())
}

/// The first line of a request that is read to its end; `None` of one that is too long.
fn request_line(stream: &TcpStream) -> io::Result<Option<String>> {
    let end = Instant::now() + PATIENCE;
    let mut reader = BufReader::new(stream.take(LONGEST));
    let mut first = None;
    loop {
        // A client that sends a byte a second is not waited for longer.
        let left = end.saturating_duration_since(Instant::now());
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_string();
        if line.is_empty() {
            return Ok(Some(first.unwrap_or_default()));
        }
        first.get_or_insert(line);
        if Instant::now() > end {
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn the_page_is_given_to_whoever_asks_for_it_and_nothing_else_is() {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = MetricsServer::listen(loopback, || "up 1\n".to_string()).expect("a port is free");
        let page = get(server.address(), "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("\r\n\r\nup 1\n"), "{page}");
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("\r\n", "400"),
            ("nonsense\r\n\r\n", "400"),
        ] {
            let answer = get(server.address(), request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {answer}");
        }
        // Longer than any request.
        let long = format!("GET /metrics HTTP/1.1\r\n{}", "x".repeat(LONGEST as usize));
        assert!(!get(server.address(), &long).contains("up 1"));
        let address = server.address();
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }
}
