//! The answer of a metadata service, in HTTP/1.1 (RFC 9112): a head, and a body of a stated length, in chunks, or to
//! the end of the connection. Nothing else of HTTP is spoken here: no redirects, no compression, no proxies.

use std::fmt;

/// The most that is read of an answer. Azure's largest has 64 disks and user data of 64 KiB in base64.
pub(super) const MOST: usize = 1 << 20;
/// The most lines of a head.
const HEADERS: usize = 128;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 200, 404.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The text that follows them.
    pub body: Vec<u8>,
}

impl Answer {
    /// A header by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The body as text; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Reasons why bytes are not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// There has to be more of it.
    Partial,
    /// It is no HTTP, or none that is spoken here.
    Odd(String),
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoAnswer::Partial => f.write_str("the answer was cut short"),
            NoAnswer::Odd(why) => write!(f, "not an HTTP response: {why}"),
        }
    }
}

fn odd(why: impl Into<String>) -> NoAnswer {
    NoAnswer::Odd(why.into())
}

/// Reads an answer from all bytes that came so far; `is_end`: no more will come.
///
/// # Errors
/// Returns an error if the answer is incomplete or not HTTP.
pub fn parse_answer(bytes: &[u8], is_end: bool) -> Result<Answer, NoAnswer> {
    let Some(head_ends) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Err(match bytes.len() > MOST || (bytes.len() >= 5 && !bytes.starts_with(b"HTTP/")) {
            true => odd("it has no head"),
            false => NoAnswer::Partial,
        });
    };
    let head = String::from_utf8_lossy(&bytes[..head_ends]);
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let mut words = first.split(' ');
    let status = match (words.next(), words.next().map(str::parse::<u16>)) {
        (Some("HTTP/1.1" | "HTTP/1.0"), Some(Ok(status))) if (100..600).contains(&status) => status,
        _ => return Err(odd(format!("its first line is `{}`", first.chars().take(60).collect::<String>()))),
    };
    let mut headers = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { return Err(odd("a header has no colon")) };
        if headers.len() == HEADERS {
            return Err(odd(format!("it has more than {HEADERS} headers")));
        }
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_string()));
    }
    let mut answer = Answer { status, headers, body: Vec::new() };
    let rest = &bytes[head_ends + 4..];
    let is_chunked =
        answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
    answer.body = match answer.header("content-length") {
        _ if matches!(status, 100..200 | 204 | 304) => Vec::new(),
        _ if is_chunked => chunks(rest)?,
        Some(length) => {
            let length: usize = length.parse().map_err(|_| odd("its length is not a number"))?;
            if length > MOST {
                return Err(odd(format!("it has {length} bytes, and the limit is {MOST}")));
            }
            rest.get(..length).ok_or(NoAnswer::Partial)?.to_vec()
        }
        None if is_end => rest.to_vec(),
        None => return Err(NoAnswer::Partial),
    };
    Ok(answer)
}

/// A body in chunks: each its length in hexadecimal, a line's end, its bytes, a line's end; the last one is empty.
fn chunks(mut rest: &[u8]) -> Result<Vec<u8>, NoAnswer> {
    let mut body = Vec::new();
    loop {
        let line_ends = rest.windows(2).position(|two| two == b"\r\n").ok_or(NoAnswer::Partial)?;
        let line = String::from_utf8_lossy(&rest[..line_ends]);
        let length = line.split(';').next().unwrap_or_default().trim();
        let length =
            usize::from_str_radix(length, 16).map_err(|_| odd("a chunk's length is not a number"))?;
        rest = &rest[line_ends + 2..];
        if length == 0 {
            return Ok(body);
        }
        if length > MOST || body.len() + length > MOST {
            return Err(odd(format!("it is longer than {MOST} bytes")));
        }
        body.extend_from_slice(rest.get(..length).ok_or(NoAnswer::Partial)?);
        match rest.get(length..length + 2) {
            Some(b"\r\n") => rest = &rest[length + 2..],
            Some(_) => return Err(odd("a chunk is longer than its length field")),
            None => return Err(NoAnswer::Partial),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str, is_end: bool) -> Result<String, NoAnswer> {
        parse_answer(text.as_bytes(), is_end).map(|answer| answer.text())
    }

    #[test]
    fn a_body_ends_by_its_length_its_chunks_or_with_the_connection() {
        assert_eq!(body("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}more", false), Ok("{}".into()));
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n";
        assert_eq!(body(chunked, false), Ok("abc0123456789".into()));
        assert_eq!(body("HTTP/1.0 200 OK\r\n\r\nall of it", true), Ok("all of it".into()));
        assert_eq!(body("HTTP/1.0 200 OK\r\n\r\nall of it", false), Err(NoAnswer::Partial));
    }

    #[test]
    fn an_answer_that_is_cut_anywhere_is_partial_and_never_a_shorter_one() {
        let whole = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n";
        // The line end after the empty chunk is not part of the body.
        for cut in 0..whole.len() - 2 {
            assert_eq!(body(&whole[..cut], true), Err(NoAnswer::Partial), "{cut}");
        }
        assert_eq!(body("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", true), Err(NoAnswer::Partial));
    }

    #[test]
    fn what_is_no_http_or_too_long_is_said_to_be() {
        for text in [
            "SSH-2.0-OpenSSH_9.6\r\n",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        ] {
            assert!(matches!(body(text, false), Err(NoAnswer::Odd(_))), "{text:?}: {:?}", body(text, false));
        }
    }
}
