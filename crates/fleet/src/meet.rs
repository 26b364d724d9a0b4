//! Where ranks meet.

use std::fmt;
use std::path::PathBuf;

use crate::seat::Seat;

/// Where ranks meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meet {
    /// A unix socket in a folder of the user's own: all ranks are on this machine.
    Socket(PathBuf),
    /// A host's name or address, and a port.
    Tcp {
        /// The name or address, without brackets.
        host: String,
        /// The port.
        port: u16,
    },
}

/// What of this process and machine the place of the meeting depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here {
    /// The user.
    pub uid: u32,
    /// The process that started this one.
    pub parent: u32,
}

/// A meeting place that can't be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceError {
    /// What is wrong.
    pub what: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for PlaceError {}

impl Meet {
    /// `HOST:PORT`, with an IPv6 address in brackets; an absolute path is a socket.
    ///
    /// # Errors
    /// Neither.
    pub fn parse(text: &str) -> Result<Meet, PlaceError> {
        if text.starts_with('/') {
            return Ok(Meet::Socket(PathBuf::from(text)));
        }
        let wrong = |what: String| PlaceError {
            what,
            mend: "a meeting is HOST:PORT (db1:7711, [fd00::1]:7711) or the absolute path of a socket".into(),
        };
        let Some((host, port)) = text.rsplit_once(':') else {
            return Err(wrong(format!("'{text}' names no port")));
        };
        let port = port.parse().map_err(|_| wrong(format!("'{port}' is no port")))?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if bare.is_none() && host.contains([':', '[', ']']) {
            return Err(wrong(format!("'{host}' is no host")));
        }
        let host = bare.unwrap_or(host);
        if host.is_empty() || host.chars().any(|c| c.is_whitespace() || c == '/') {
            return Err(wrong(format!("'{host}' is no host")));
        }
        Ok(Meet::Tcp { host: host.to_string(), port })
    }
}

impl fmt::Display for Meet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meet::Socket(path) => write!(f, "{}", path.display()),
            Meet::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Meet::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// Where the ranks of a seat's launcher meet when nobody says it.
///
/// # Errors
/// They are on several machines and nothing says where, or nothing tells this start from another.
pub fn meet(seat: &Seat, here: Here, env: &dyn Fn(&str) -> Option<String>) -> Result<Meet, PlaceError> {
    let _ = (seat, here, env);
    Err(PlaceError { what: "nobody says where the ranks meet".into(), mend: "--meet HOST:PORT".into() })
}
