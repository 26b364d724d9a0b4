use std::io;

use io_uring::IoUring;

use super::aio;

/// Reason why this kernel makes no rings that this program can use; `None` where it makes them.
pub(crate) fn refused_ring() -> Option<String> {
    probe_ring().err().map(|error| reason(&error))
}

/// Reason why this kernel makes no contexts of libaio for so many outstanding I/Os; `None` where it makes them.
pub(crate) fn refused_aio(outstanding: u64) -> Option<String> {
    aio::probe(outstanding).err().map(|error| reason_of_aio(&error))
}

fn probe_ring() -> io::Result<()> {
    let ring = IoUring::new(2)?;
    if !ring.params().is_feature_ext_arg() {
        let why = "the kernel is older than 5.11, and its rings cannot wait with a timeout";
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    Ok(())
}

fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EPERM) => format!(
            "{error} (containers often forbid it: allow io_uring_setup, io_uring_enter and io_uring_register in their \
             seccomp profile; or kernel.io_uring_disabled is set)"
        ),
        Some(libc::ENOSYS) => format!("{error} (the kernel is older than 5.1, or was built without it)"),
        Some(libc::ENOMEM) => format!("{error} (raise the limit of locked memory, ulimit -l)"),
        _ => error.to_string(),
    }
}

fn reason_of_aio(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::EAGAIN) => format!("{error} (all events of the machine are taken: raise fs.aio-max-nr)"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_change() {
        let why = |number: i32| reason(&io::Error::from_raw_os_error(number));
        assert!(why(libc::EPERM).contains("kernel.io_uring_disabled"));
        assert!(why(libc::ENOSYS).contains("older than 5.1"));
        assert!(why(libc::ENOMEM).contains("ulimit -l"));
        let of_aio = reason_of_aio(&io::Error::from_raw_os_error(libc::EAGAIN));
        assert!(of_aio.contains("fs.aio-max-nr"), "{of_aio}");
    }
}
