//! The `Host` of an HTTP request, and the `Origin` of a page: `name`, `name:port`, `[::1]:port`.

use std::net::IpAddr;

/// A host with its port, read strictly: nothing may stand beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The name or address, without brackets.
    pub name: String,
    /// The port, where one is given.
    pub port: Option<u16>,
}

impl Authority {
    /// Reads the value of a `Host` header; `None` where it is malformed.
    pub fn parse(text: &str) -> Option<Authority> {
        let (name, rest) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, rest) = rest.split_once(']')?;
                address.parse::<std::net::Ipv6Addr>().ok()?;
                (address, rest)
            }
            None => text.find(':').map_or((text, ""), |at| text.split_at(at)),
        };
        let port = match rest.strip_prefix(':') {
            Some(port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(port.parse().ok()?)
            }
            Some(_) => return None,
            None if rest.is_empty() => None,
            None => return None,
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        (!name.is_empty() && name.chars().all(is_name)).then(|| Authority { name: name.to_string(), port })
    }

    /// Reads the value of an `Origin` header of a page that came over plain HTTP; `None` for any other, and for `null`.
    pub fn of_origin(text: &str) -> Option<Authority> {
        Authority::parse(text.strip_prefix("http://")?)
    }

    /// The address, where the name is one.
    pub fn address(&self) -> Option<IpAddr> {
        self.name.parse().ok()
    }

    /// True if it is `localhost` or an address of the loopback, at that port. A host without a port means port 80.
    pub fn is_loopback_at(&self, port: u16) -> bool {
        let is_loopback = self.name.eq_ignore_ascii_case("localhost")
            || self.address().is_some_and(|address| address.is_loopback());
        is_loopback && self.port.unwrap_or(80) == port
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours(host: &str) -> bool {
        Authority::parse(host).is_some_and(|host| host.is_loopback_at(8627))
    }

    #[test]
    fn only_a_name_of_the_loopback_with_the_port_is_this_server() {
        for host in ["127.0.0.1:8627", "localhost:8627", "LOCALHOST:8627", "[::1]:8627", "127.9.9.9:8627"] {
            assert!(is_ours(host), "{host}");
        }
        for host in [
            "",
            "localhost",
            "127.0.0.1",
            "[::1]",
            "localhost:8628",
            "[::1].evil.com",
            "[::1].evil.com:8627",
            "[::1]:8627.evil.com",
            "localhost:1.evil.com",
            "localhost:8627.evil.com",
            "localhost:+8627",
            "localhost:8627:8627",
            "localhost:",
            "localhost.:8627",
            "localhost.evil.com:8627",
            "127.0.0.1.evil.com:8627",
            "user@localhost:8627",
            "localhost:8627/",
            "localhost:74163",
            "::1:8627",
            "[::2]:8627",
            "[localhost]:8627",
            "[127.0.0.1]:8627",
            "192.168.0.1:8627",
            "0x7f.1:8627",
        ] {
            assert!(!is_ours(host), "{host}");
        }
        assert!(Authority::parse("localhost").is_some_and(|host| host.is_loopback_at(80)));
    }

    #[test]
    fn an_origin_is_a_page_over_plain_http() {
        let is_ours =
            |text: &str| Authority::of_origin(text).is_some_and(|origin| origin.is_loopback_at(8627));
        assert!(is_ours("http://localhost:8627") && is_ours("http://[::1]:8627"));
        for text in ["null", "", "https://localhost:8627", "http://localhost:8627/", "http://evil.com"] {
            assert!(!is_ours(text), "{text}");
        }
    }
}
