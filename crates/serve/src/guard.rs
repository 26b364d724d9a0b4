//! Clients that may ask: pages of this server, and programs on this machine.
//!
//! A page of another site that is open in the same browser can send requests to the loopback, and a name of its own can
//! be made to mean 127.0.0.1 (DNS rebinding). So the host must be exactly a name of the loopback with this server's port, and
//! a browser must say that the request comes from this very page, or from the person.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iobound_machine::Authority;

/// The longest address that is read, in bytes: a pasted DiskSpd line is below 2,000.
const LONGEST: usize = 16 << 10;

/// Lets through who may ask, and tells the browser what a page of ours needs: nothing from elsewhere.
pub(crate) async fn guard(State(port): State<u16>, request: Request, next: Next) -> Response {
    if let Some(refused) = refusal(request.headers(), request.uri().to_string().len(), port) {
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
        // A page of an answer has a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refusal(headers: &HeaderMap, length: usize, port: u16) -> Option<(StatusCode, &'static str)> {
    let is_ours = |authority: Option<Authority>| authority.is_some_and(|it| it.is_loopback_at(port));
    let texts =
        |name: &str| headers.get_all(name).into_iter().map(|value| value.to_str().unwrap_or_default());
    let mut hosts = texts("host");
    // One host and no other: two would be read differently by whoever stands between.
    if !hosts.next().is_some_and(|host| is_ours(Authority::parse(host))) || hosts.next().is_some() {
        return Some((
            StatusCode::FORBIDDEN,
            "Host must be 127.0.0.1, [::1] or localhost with the port of this page\n",
        ));
    }
    if texts("origin").any(|origin| !is_ours(Authority::of_origin(origin))) {
        return Some((StatusCode::FORBIDDEN, "requests from pages of another origin are refused\n"));
    }
    if texts("sec-fetch-site").any(|site| !matches!(site, "same-origin" | "none")) {
        return Some((StatusCode::FORBIDDEN, "requests from pages of another site are refused\n"));
    }
    if length > LONGEST {
        return Some((StatusCode::URI_TOO_LONG, "the address is longer than 16 KiB\n"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_another_site_is_turned_away() {
        let refused = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            refusal(&headers, 1, 9).map(|(status, _)| status)
        };
        let host = ("host", "localhost:9");
        assert!(refused(&[]).is_some(), "without a host");
        assert_eq!(refused(&[host]), None, "a program that is no browser");
        assert!(refused(&[("host", "localhost:10")]).is_some(), "another port");
        assert!(refused(&[("host", "localhost:9.evil.com")]).is_some());
        assert!(refused(&[host, ("host", "evil.com")]).is_some(), "two hosts");
        assert!(refused(&[host, ("sec-fetch-site", "cross-site")]).is_some());
        assert_eq!(refused(&[host, ("sec-fetch-site", "same-origin")]), None);
        // A browser without Sec-Fetch-Site tells the origin all the same.
        assert!(refused(&[host, ("origin", "http://evil.com")]).is_some());
        assert!(refused(&[host, ("origin", "null")]).is_some());
        assert!(refused(&[host, ("origin", "http://localhost:10")]).is_some());
        assert_eq!(refused(&[host, ("origin", "http://127.0.0.1:9")]), None);
        let mut headers = HeaderMap::new();
        headers.insert("host", HeaderValue::from_static("localhost:9"));
        let long = refusal(&headers, LONGEST + 1, 9).map(|(status, _)| status);
        assert_eq!(long, Some(StatusCode::URI_TOO_LONG));
    }
}
