//! A network that can be cut: what stands between a rank and its coordinator.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use iobound_fleet::Meet;

const PASSES: u8 = 0;
/// What comes is swallowed, and nobody is told.
const SILENT: u8 = 1;

/// Hands on every byte, until it is cut.
pub(crate) struct Proxy {
    pub(crate) meet: Meet,
    how: Arc<AtomicU8>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    pub(crate) fn to(coordinator: &Meet) -> Proxy {
        let Meet::Tcp { host, port } = coordinator.clone() else { panic!("a coordinator on the network") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let meet = Meet::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let (how, open) = (Arc::new(AtomicU8::new(PASSES)), Arc::new(Mutex::new(Vec::new())));
        let proxy = Proxy { meet, how: Arc::clone(&how), open: Arc::clone(&open) };
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect((host.as_str(), port)) else { continue };
                open.lock().unwrap().extend([near.try_clone().unwrap(), far.try_clone().unwrap()]);
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let how = Arc::clone(&how);
                    std::thread::spawn(move || pass(from, to, &how));
                }
            }
        });
        proxy
    }

    /// Both ends are told that the connection is gone.
    pub(crate) fn cut(&self) {
        for end in self.open.lock().unwrap().drain(..) {
            // One of both may be gone already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Nothing passes any more, and nobody is told: a partition.
    pub(crate) fn swallow(&self) {
        self.how.store(SILENT, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, how: &AtomicU8) {
    let mut bytes = [0_u8; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if how.load(Ordering::SeqCst) == PASSES && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    if how.load(Ordering::SeqCst) == PASSES {
        let _ = to.shutdown(Shutdown::Write);
    }
}
