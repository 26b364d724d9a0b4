//! Metrics for Prometheus: one page over HTTP, on a thread of its own.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use iobound_machine::kernel::Kernel;
use iobound_machine::{Authority, World};

use crate::exchange::{End, Terms, serve};
use crate::sys::source_of;

/// A scraper sends its request at once, and a page takes milliseconds.
const TERMS: Terms = Terms { patience: Duration::from_secs(2), longest: 16 << 10, clients: 64 };

/// Answers `GET /metrics` until it is dropped. Serves several clients at once; silent ones are closed after two seconds.
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    end: Arc<End>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsServer {
    /// Listens at an address; `page` returns the current text. Port 0 takes any free port.
    ///
    /// # Errors
    /// Returns an error if the address is in use or does not belong to this machine.
    pub fn listen(
        address: SocketAddr,
        page: impl Fn() -> String + Send + 'static,
    ) -> io::Result<MetricsServer> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let end = Arc::new(End::new()?);
        let ends = Arc::clone(&end);
        let work = move || {
            serve(source_of(&listener), &ends, TERMS, is_whole, |request| answer(request, address, &page))
        };
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(work)?;
        Ok(MetricsServer { address, end, thread: Some(thread) })
    }

    /// Address of the listener, with the port that 0 became.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.end.ask();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so on stderr.
            let _ = thread.join();
        }
    }
}

/// True if the empty line after the headers has come.
fn is_whole(request: &[u8]) -> bool {
    let mut lines = request.split_inclusive(|byte| *byte == b'\n');
    lines.any(|line| line == b"\n" || line == b"\r\n")
}

/// The HTTP response to a request.
fn answer(request: &[u8], address: SocketAddr, page: &impl Fn() -> String) -> Vec<u8> {
    let text = String::from_utf8_lossy(request);
    let first = text.lines().next().unwrap_or_default();
    let (status, kind, text) = match first.split(' ').collect::<Vec<_>>()[..] {
        _ if !is_whole(request) => {
            let longest = TERMS.longest >> 10;
            ("400 Bad Request", "text/plain", format!("the request is longer than {longest} KiB\n"))
        }
        _ if !is_for(&text, address) => {
            let why = "Host must be an IP address of this machine, its name or localhost, with the port\n";
            ("403 Forbidden", "text/plain", why.to_string())
        }
        ["GET", "/metrics", _] => {
            // The version is part of the format, by its specification.
            ("200 OK", "text/plain; version=0.0.4; charset=utf-8", page())
        }
        ["GET" | "HEAD", _, _] => ("404 Not Found", "text/plain", "the only path is /metrics\n".to_string()),
        [_, _, _] => ("405 Method Not Allowed", "text/plain", "GET only\n".to_string()),
        _ => ("400 Bad Request", "text/plain", "not an HTTP/1.1 request\n".to_string()),
    };
    let length = text.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
    .into_bytes()
}

/// True if a request is for the server at that address.
///
/// A page of another site can make its own name mean this machine (DNS rebinding), and its browser then sends that name. So a
/// name must be this machine's. On the loopback the port must be the server's too; elsewhere a forwarded port may be another.
fn is_for(request: &str, server: SocketAddr) -> bool {
    let headers = request.lines().skip(1).filter_map(|line| line.split_once(':'));
    let mut hosts = headers.filter(|(name, _)| name.eq_ignore_ascii_case("host"));
    let (Some((_, host)), None) = (hosts.next(), hosts.next()) else { return false };
    let Some(host) = Authority::parse(host.trim()) else { return false };
    if server.ip().is_loopback() {
        return host.is_loopback_at(server.port());
    }
    let is_name = |name: &str| host.name.eq_ignore_ascii_case(name);
    let own = Kernel::of(&World::real()).host;
    host.address().is_some() || is_name("localhost") || own.is_some_and(|own| is_name(&own))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

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
        let host = format!("Host: {}\r\n", server.address());
        let page = get(server.address(), &format!("GET /metrics HTTP/1.1\r\n{host}\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("\r\n\r\nup 1\n"), "{page}");
        for (request, status) in [
            ("GET / HTTP/1.1\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n", "405"),
            ("nonsense\r\n", "400"),
            ("GET /metrics HTTP/1.1\r\nHost: evil.com\r\n", "403"),
        ] {
            let answer = get(server.address(), &format!("{request}{host}\r\n"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request:?}: {answer}");
        }
        for other in ["", "Host: evil.com\r\n", "Host: localhost\r\n", "Host: [::1].evil.com\r\n"] {
            let answer = get(server.address(), &format!("GET /metrics HTTP/1.1\r\n{other}\r\n"));
            assert!(answer.starts_with("HTTP/1.1 403"), "{other:?}: {answer}");
        }
        // Longer than any request.
        let long = format!("GET /metrics HTTP/1.1\r\n{}", "x".repeat(TERMS.longest));
        assert!(!get(server.address(), &long).contains("up 1"));
        let address = server.address();
        drop(server);
        assert!(TcpStream::connect(address).is_err());
    }
    #[test]
    fn silent_clients_delay_no_scrape_and_are_closed() {
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = MetricsServer::listen(loopback, || "up 1\n".to_string()).expect("a port is free");
        // Nothing, half of a request, and more of them than the server keeps.
        let mut silent: Vec<TcpStream> = Vec::new();
        for n in 0..3 * TERMS.clients {
            let mut stream = TcpStream::connect(server.address()).expect("it listens");
            stream.write_all(if n % 2 == 0 { b"" } else { b"GET /metrics HT" }).expect("it reads");
            silent.push(stream);
        }
        for _ in 0..10 {
            let host = format!("Host: {}\r\n", server.address());
            let page = get(server.address(), &format!("GET /metrics HTTP/1.1\r\n{host}\r\n"));
            assert!(page.ends_with("up 1\n"), "{page}");
        }
        for mut stream in silent {
            // Reads end: the server has closed the connection.
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            assert!(rest.is_empty(), "a silent client gets no answer");
        }
        let _pending = TcpStream::connect(server.address()).expect("it listens");
        drop(server);
    }

    #[test]
    fn a_server_that_others_reach_takes_addresses_and_names_of_this_machine() {
        let at: SocketAddr = ([192, 0, 2, 1], 9100).into();
        let is_for = |host: &str| is_for(&format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"), at);
        assert!(is_for("192.0.2.1:9100") && is_for("localhost") && is_for("[2001:db8::1]:30100"));
        assert!(Kernel::of(&World::real()).host.is_some_and(|own| is_for(&own)));
        assert!(!is_for("evil.com:9100") && !is_for("") && !is_for("192.0.2.1.evil.com"));
    }
}
