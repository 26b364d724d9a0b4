use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::answer::{Answer, MOST, NoAnswer, parse_answer};

/// Time that a service may take for an answer. It is on the host itself, and answers within milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);

/// Address of a metadata service: plain HTTP, never by way of a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    host: String,
    port: u16,
}

/// Reason why a metadata service gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// No connection.
    Unreachable(String),
    /// Nothing within a second.
    Late,
    /// The response is not a valid answer.
    Odd(NoAnswer),
    /// It answered that it does not know what was asked for.
    Status(u16, String),
    /// It answered something else than was asked for.
    Unexpected(String),
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unanswered::Unreachable(why) => write!(f, "it cannot be reached: {why}"),
            Unanswered::Late => f.write_str("it did not answer within a second"),
            Unanswered::Odd(why) => why.fmt(f),
            Unanswered::Status(status, path) => write!(f, "it answered {status} to {path}"),
            Unanswered::Unexpected(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            80 => write!(f, "http://{}", self.host),
            port => write!(f, "http://{}:{port}", self.host),
        }
    }
}

impl Endpoint {
    /// The link-local address that the clouds have in common.
    pub fn link_local() -> Endpoint {
        Endpoint { host: "169.254.169.254".to_string(), port: 80 }
    }

    /// Reads `http://HOST[:PORT]`.
    ///
    /// # Errors
    /// Returns an error if the address is not valid: a sentence with the expected form.
    pub fn parse(url: &str) -> Result<Endpoint, String> {
        const EXPECTED: &str = "write http://169.254.169.254, or off";
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(format!("`{url}` is not an address of a metadata service: {EXPECTED}"));
        };
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match authority.rsplit_once(':') {
            // The last colon may be one of an IPv6 address.
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().ok().filter(|port| *port > 0);
                (host, port.ok_or_else(|| format!("`{url}`: a port is 1 to 65535: {EXPECTED}"))?)
            }
            _ => (authority, 80),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(format!("`{url}` must name one host: {EXPECTED}"));
        }
        Ok(Endpoint { host: host.to_string(), port })
    }

    /// Asks for a path.
    ///
    /// # Errors
    /// Returns an error if there is no answer. A status other than 200 is an answer.
    pub(super) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<Answer, Unanswered> {
        let by = Instant::now() + PATIENCE;
        let unreachable = |error: std::io::Error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => Unanswered::Late,
            _ => Unanswered::Unreachable(error.to_string()),
        };
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        let address = (bare, self.port).to_socket_addrs().map_err(unreachable)?.next();
        let address = address.ok_or_else(|| Unanswered::Unreachable("the host has no address".into()))?;
        let mut stream = TcpStream::connect_timeout(&address, PATIENCE).map_err(unreachable)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(unreachable)?;
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.authority());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if method == "PUT" {
            request.push_str("Content-Length: 0\r\n");
        }
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).map_err(unreachable)?;
        let mut bytes = Vec::new();
        let mut part = [0u8; 1 << 16];
        loop {
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unanswered::Late);
            }
            stream.set_read_timeout(Some(left)).map_err(unreachable)?;
            let count = match stream.read(&mut part) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreachable(error)),
            };
            bytes.extend_from_slice(&part[..count]);
            match parse_answer(&bytes, count == 0) {
                Err(NoAnswer::Partial) if count > 0 && bytes.len() <= 2 * MOST => {}
                Ok(answer) => return Ok(answer),
                Err(why) => return Err(Unanswered::Odd(why)),
            }
        }
    }

    /// The text of an answer whose status is 200.
    pub(super) fn text(&self, path: &str, headers: &[(&str, &str)]) -> Result<String, Unanswered> {
        let answer = self.ask("GET", path, headers)?;
        match answer.status {
            200 => Ok(answer.text()),
            status => Err(Unanswered::Status(status, path.to_string())),
        }
    }

    fn authority(&self) -> String {
        if self.port == 80 { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn an_address_is_plain_http_to_one_host() {
        for (url, shown) in [
            ("http://169.254.169.254", "http://169.254.169.254"),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
            ("http://[::1]:81", "http://[::1]:81"),
            ("http://[fd00:ec2::254]", "http://[fd00:ec2::254]"),
            ("http://metadata.google.internal:80", "http://metadata.google.internal"),
        ] {
            assert_eq!(Endpoint::parse(url).map(|endpoint| endpoint.to_string()), Ok(shown.to_string()));
        }
        for url in [
            "",
            "off ",
            "https://169.254.169.254",
            "http://",
            "http://a:0",
            "http://a b",
            "http://a/b",
            "http://u@a",
        ] {
            assert!(Endpoint::parse(url).unwrap_err().contains("http://169.254.169.254"), "{url}");
        }
    }

    #[test]
    fn nobody_listening_is_said_and_not_waited_for() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let endpoint = Endpoint::parse(&format!("http://127.0.0.1:{port}")).unwrap();
        assert!(matches!(endpoint.ask("GET", "/", &[]), Err(Unanswered::Unreachable(_))));
    }

    #[test]
    fn an_answer_is_read_from_a_connection_that_stays_open() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = Endpoint::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            let mut byte = [0u8];
            while !asked.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte).unwrap();
                asked.push(byte[0]);
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").unwrap();
            // It stays open until the asker has gone.
            (String::from_utf8(asked).unwrap(), stream.read(&mut byte).unwrap())
        });
        assert_eq!(endpoint.text("/x", &[("Metadata", "true")]), Ok("hello".to_string()));
        let (asked, after) = server.join().unwrap();
        assert!(
            asked.starts_with("GET /x HTTP/1.1\r\n") && asked.contains("\r\nMetadata: true\r\n"),
            "{asked}"
        );
        assert_eq!(after, 0);
    }
}
