//! Who may ask: pages of this server, and programs on this machine.
//!
//! A page of another site that is open in the same browser can send requests to the loopback, and a name of its own can
//! be made to mean 127.0.0.1 (DNS rebinding). So the host must be a name of the loopback, and a browser must say that the
//! request comes from this very page, or from the person.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The longest address that is read, in bytes: a pasted DiskSpd line is below 2,000.
const LONGEST: usize = 16 << 10;

/// Lets through who may ask, and tells the browser what a page of ours needs: nothing from elsewhere.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    if let Some(refused) = refusal(request.headers(), request.uri().to_string().len()) {
        return refused.into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refusal(headers: &HeaderMap, length: usize) -> Option<(StatusCode, &'static str)> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if !text("host").is_some_and(is_loopback) {
        return Some((StatusCode::FORBIDDEN, "this page is for 127.0.0.1, ::1 and localhost\n"));
    }
    let site = text("sec-fetch-site");
    if site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Some((StatusCode::FORBIDDEN, "another site's page may not ask here\n"));
    }
    if length > LONGEST {
        return Some((StatusCode::URI_TOO_LONG, "the address is longer than 16 KiB\n"));
    }
    None
}

/// Whether a host, with or without a port, means this machine itself.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_loopback_are_hosts() {
        for host in ["127.0.0.1:8080", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8080", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "example.com",
            "127.0.0.1.example.com:80",
            "192.168.0.1:80",
            "localhost.example.com",
            "",
            "[::2]:1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn a_page_of_another_site_is_turned_away() {
        let mut headers = HeaderMap::new();
        assert!(refusal(&headers, 1).is_some(), "without a host");
        headers.insert("host", HeaderValue::from_static("localhost:9"));
        assert!(refusal(&headers, 1).is_none(), "a program that is no browser");
        headers.insert("sec-fetch-site", HeaderValue::from_static("cross-site"));
        assert!(refusal(&headers, 1).is_some());
        headers.insert("sec-fetch-site", HeaderValue::from_static("same-origin"));
        assert!(refusal(&headers, 1).is_none());
        assert_eq!(refusal(&headers, LONGEST + 1).map(|(status, _)| status), Some(StatusCode::URI_TOO_LONG));
    }
}
