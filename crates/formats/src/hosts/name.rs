//! A host as it is written in a line or behind a flag: `[USER@]HOST[:PORT]`.

use super::Host;

/// Reads one host: `db1`, `root@10.0.0.4:2222`, `2001:db8::1`, `[2001:db8::1]:22`.
///
/// # Errors
/// Returns an error if the text is not a host; it is a sentence.
pub fn host(text: &str) -> Result<Host, String> {
    let expected = "write [USER@]HOST[:PORT], as in db1, root@10.0.0.4:2222 or [2001:db8::1]:22";
    let (user, rest) = match text.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, text),
    };
    if user.is_some_and(|user| !is_user(user)) {
        return Err(format!("`{text}` names no user before its @: {expected}"));
    }
    let (name, port) = split_port(rest).ok_or_else(|| format!("`{text}` is not a host: {expected}"))?;
    let port = match port {
        None => None,
        Some(port) => Some(
            port_of(port)
                .ok_or_else(|| format!("`{text}`: `{port}` is not a port: write a number from 1 to 65535"))?,
        ),
    };
    if !is_name(name) {
        return Err(format!("`{text}` is not a host: {expected}"));
    }
    Ok(Host { name: name.to_string(), user: user.map(str::to_string), port, ..Host::default() })
}

/// A host's name or address and its port, as far as the colons say.
pub(super) fn split_port(text: &str) -> Option<(&str, Option<&str>)> {
    if let Some(bracketed) = text.strip_prefix('[') {
        let (address, behind) = bracketed.split_once(']')?;
        address.parse::<core::net::Ipv6Addr>().ok()?;
        return match behind {
            "" => Some((address, None)),
            port => Some((address, Some(port.strip_prefix(':')?))),
        };
    }
    if text.parse::<core::net::Ipv6Addr>().is_ok() {
        return Some((text, None));
    }
    match text.split_once(':') {
        Some((name, port)) => Some((name, Some(port))),
        None => Some((text, None)),
    }
}

pub(super) fn port_of(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port > 0)
}

/// True if ssh can take it for the name of a host. What begins with a hyphen would be an option of ssh.
pub(super) fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
    !text.is_empty() && text.len() <= 255 && !text.starts_with('-') && text.chars().all(is_letter)
}

/// True if it can be the name of a user: what a shell or ssh would read otherwise can't.
pub(super) fn is_user(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '\\' | '@' | '+' | '$');
    !text.is_empty() && text.len() <= 255 && !text.starts_with('-') && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_have_a_user_and_a_port() {
        let read = |text| host(text).map(|host| (host.name, host.user, host.port));
        assert_eq!(read("db1"), Ok(("db1".into(), None, None)));
        assert_eq!(read("gpadmin@sdw1:2222"), Ok(("sdw1".into(), Some("gpadmin".into()), Some(2222))));
        assert_eq!(read("2001:db8::1"), Ok(("2001:db8::1".into(), None, None)));
        assert_eq!(read("u@[2001:db8::1]:22"), Ok(("2001:db8::1".into(), Some("u".into()), Some(22))));
        // An account of a domain.
        assert_eq!(read("me@corp.example@db1").unwrap().1, Some("me@corp.example".into()));
        for wrong in
            ["", "-oProxyCommand=x", "db1:", "db1:0", "db1:+5", "@db1", "-l@db1", "a b", "[db1]", "db$(x)"]
        {
            assert!(host(wrong).is_err(), "{wrong}");
        }
    }
}
