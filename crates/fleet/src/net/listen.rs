//! Listening addresses of a coordinator.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};

use iobound_units::Problem;

use super::local::{LocalListener, host_name};
use crate::meet::Meet;

/// A socket that listens. That of a path is gone with it.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Local(LocalListener),
}

impl Listener {
    /// Listens there; gives the place back with the port that 0 became.
    pub(crate) fn open(meet: &Meet) -> Result<(Listener, Meet), Problem> {
        match meet {
            Meet::Socket(path) => Ok((Listener::Local(LocalListener::open(path)?), meet.clone())),
            Meet::Tcp { host, port } => {
                let listener =
                    TcpListener::bind(&addresses(host, *port)?[..]).map_err(|error| failed(meet, &error))?;
                listener.set_nonblocking(true).map_err(|error| failed(meet, &error))?;
                let port = listener.local_addr().map_err(|error| failed(meet, &error))?.port();
                Ok((Listener::Tcp(listener), Meet::Tcp { host: host.clone(), port }))
            }
        }
    }
}

/// The addresses of this machine that a name means.
///
/// Debian and Ubuntu give a machine's own name the address 127.0.1.1, at which no other machine can reach it: a name that
/// is asked for and means the loopback alone means all addresses. An address means itself.
fn addresses(host: &str, port: u16) -> Result<Vec<SocketAddr>, Problem> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let found: Vec<SocketAddr> = match (host, port).to_socket_addrs() {
        Ok(found) => found.collect(),
        // A pod's own name is known to its cluster only some seconds after the pod has started.
        Err(_) if is_own_name(host) => return Ok(vec![SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port)]),
        Err(error) => {
            return Err(Problem::new(format!("{host} is not a name of this machine: {error}"))
                .help("give --meet the name or address of rank 0's machine"));
        }
    };
    let is_localhost = host == "localhost" || host.ends_with(".localhost");
    if !is_localhost && found.iter().all(|address| address.ip().is_loopback()) {
        return Ok(vec![SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port)]);
    }
    Ok(found)
}

/// True if a name begins as this machine calls itself.
fn is_own_name(host: &str) -> bool {
    let own = host_name();
    let first = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    !first(host).is_empty() && first(host) == first(&own)
}

fn failed(meet: &Meet, error: &io::Error) -> Problem {
    let help = match error.kind() {
        io::ErrorKind::AddrInUse => {
            "stop the program that listens there, or use another port (0 is any free port)"
        }
        io::ErrorKind::AddrNotAvailable => {
            "give --meet the name of rank 0's machine, or 0.0.0.0 for all its addresses"
        }
        io::ErrorKind::PermissionDenied => "use a port of 1024 or above",
        _ => "name another address with --meet",
    };
    Problem::new(format!("the coordinator cannot listen at {meet}: {error}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_known_yet_is_this_machines_where_it_begins_so() {
        // No label is longer than 63 characters (RFC 1035): nobody is asked for such a name.
        let nowhere = "x".repeat(64);
        let own = host_name().split('.').next().unwrap_or_default().to_string();
        let any = SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 7);
        assert_eq!(addresses(&format!("{own}.{nowhere}"), 7), Ok(vec![any]));
        assert!(
            addresses(&format!("no-{own}.{nowhere}"), 7)
                .unwrap_err()
                .what
                .contains("not a name of this machine")
        );
    }
}
