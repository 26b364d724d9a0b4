//! Values of the flags that place the devices and their data.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use iobound_emulate::Spin;
use iobound_emulate::nbd::Listen;
use iobound_units::{Bytes, Span, parse_bytes, parse_count, parse_span};

use super::options::EmulateFlags;
use crate::Failure;
use crate::settings::Settings;

/// Options of the emulator.
#[derive(Clone, Debug)]
pub(crate) struct EmulateOptions {
    pub(crate) nbd: Vec<Listen>,
    pub(crate) fuse: Option<PathBuf>,
    pub(crate) allow_other: bool,
    pub(crate) backing: Backing,
    /// Existing files of the folder that may be used as disks.
    pub(crate) overwrite: Vec<PathBuf>,
    /// The most that memory holds, where it was said.
    pub(crate) memory: Option<Bytes>,
    pub(crate) images: Vec<Image>,
    pub(crate) limiters: bool,
    pub(crate) spin: Spin,
    pub(crate) crash: bool,
    /// Time to subtract; measured by default.
    pub(crate) transport_cost: Option<Span>,
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) control: Option<PathBuf>,
    pub(crate) duration: Option<Span>,
    pub(crate) seed: u64,
}

/// Storage of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    /// In memory, until the end.
    Memory,
    /// In a sparse file for each disk, in this folder.
    Folder(PathBuf),
}

/// Initial content of a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) volume: String,
    pub(crate) file: PathBuf,
}

/// NBD's port, assigned by IANA.
const PORT: u16 = 10_809;

impl EmulateOptions {
    /// Reads the flags, and what the environment has for them.
    pub(crate) fn of(
        args: &EmulateFlags,
        seed: Option<&str>,
        settings: &mut Settings,
    ) -> Result<EmulateOptions, Failure> {
        let allowed = settings.texts("allow", &args.allow);
        let mut allow = Vec::new();
        for given in &allowed {
            allow.push(given.parse(parse_address)?);
        }
        let mut nbd = Vec::new();
        for given in settings.texts("nbd", &args.nbd) {
            nbd.push(given.parse(|text| parse_listen(text, &allow))?);
        }
        let reached = |address: &IpAddr| {
            nbd.iter().any(|listen| matches!(listen, Listen::Tcp(at) if at.ip() == *address))
        };
        if let Some((given, address)) = allowed.iter().zip(&allow).find(|(_, address)| !reached(address)) {
            return Err(given.refuse("no --nbd address uses it").help(format!(
                "leave it out, or serve there: --nbd tcp:{}",
                SocketAddr::new(*address, PORT)
            )));
        }
        let fuse = settings.text("fuse", args.fuse.as_deref(), None).map(|given| PathBuf::from(given.path()));
        let mut images = Vec::new();
        for given in settings.texts("image", &args.image) {
            images.push(given.parse(parse_image)?);
        }
        let switch =
            |settings: &mut Settings, name: &str, on: bool| settings.switch(name, on.then_some("true"));
        let how = EmulateOptions {
            nbd,
            fuse,
            allow_other: switch(settings, "allow-other", args.allow_other)?,
            backing: settings.text("backing", args.backing.as_deref(), Some("memory")).map_or(
                Backing::Memory,
                |given| match given.text.as_str() {
                    "memory" => Backing::Memory,
                    _ => Backing::Folder(PathBuf::from(given.path())),
                },
            ),
            overwrite: settings
                .texts("overwrite", &args.overwrite)
                .iter()
                .map(|given| PathBuf::from(given.path()))
                .collect(),
            memory: settings.parse("memory", args.memory.as_deref(), None, parse_memory)?,
            images,
            limiters: settings
                .parse("limits", args.limits.as_deref(), Some("on"), |text| match text {
                    "on" => Ok(true),
                    "off" => Ok(false),
                    other => Err(format!("`{other}` is not known: write on or off")),
                })?
                .unwrap_or(true),
            spin: settings.parse("spin", args.spin.as_deref(), Some("auto"), parse_spin)?.unwrap_or_default(),
            crash: switch(settings, "crash", args.crash)?,
            transport_cost: settings.parse(
                "transport-cost",
                args.transport_cost.as_deref(),
                None,
                parse_span,
            )?,
            metrics: settings.parse("metrics", args.metrics.as_deref(), None, parse_metrics)?,
            control: settings
                .text("control", args.control.as_deref(), None)
                .map(|given| PathBuf::from(given.path())),
            duration: settings.parse("duration", args.duration.as_deref(), None, parse_duration)?,
            seed: settings
                .parse("seed", seed, Some("0"), |text| parse_count(text).map_err(|error| error.to_string()))?
                .unwrap_or(0),
        };
        how.check()?;
        Ok(how)
    }

    /// Options that conflict or have no effect.
    fn check(&self) -> Result<(), Failure> {
        if cfg!(windows) {
            self.check_on_windows()?;
        }
        if self.fuse.is_some() && !iobound_emulate::fuse::IS_BUILT {
            return Err(Failure::not_built("FUSE"));
        }
        if self.nbd.is_empty() && self.fuse.is_none() {
            if cfg!(windows) {
                return Err(Failure::input("no --nbd address is given").help(format!(
                    "add --nbd tcp:127.0.0.1:{PORT}, a port for qemu, fio and other NBD clients"
                )));
            }
            return Err(Failure::input("no --fuse folder and no --nbd address is given").help(
                "add --fuse disks (files in a folder), or --nbd unix:iobound.sock (a socket for nbd-client, qemu, fio), \
                 as in: iobound emulate --vm DS14 --disk 10xP30 --fuse disks",
            ));
        }
        if self.allow_other && self.fuse.is_none() {
            return Err(Failure::input("--allow-other applies only to the files of --fuse")
                .help("leave it out, or add --fuse disks"));
        }
        if self.backing == Backing::Memory
            && let Some(path) = self.overwrite.first()
        {
            return Err(Failure::input(format!(
                "--overwrite {}: --backing memory uses no files",
                path.display()
            ))
            .help("leave it out, or add --backing FOLDER"));
        }
        if !self.limiters && self.transport_cost.is_some_and(|cost| !cost.is_zero()) {
            return Err(Failure::input(
                "--transport-cost has no effect with --limits off, which adds no latency",
            )
            .help("leave one of the two out"));
        }
        Ok(())
    }

    /// Options that Windows does not have.
    fn check_on_windows(&self) -> Result<(), Failure> {
        if let Some(folder) = &self.fuse {
            return Err(Failure::input(format!("--fuse {}: FUSE is Linux's", folder.display()))
                .help(format!("serve NBD: --nbd tcp:127.0.0.1:{PORT}")));
        }
        if let Some(listen @ Listen::Unix(_)) = self.nbd.iter().find(|at| matches!(at, Listen::Unix(_))) {
            return Err(Failure::input(format!(
                "--nbd {listen}: the program has no unix sockets on Windows"
            ))
            .help(format!("write tcp:127.0.0.1:{PORT}")));
        }
        if let Backing::Folder(folder) = &self.backing {
            return Err(Failure::input(format!(
                "--backing {}: disks in files are Linux's",
                folder.display()
            ))
            .help("keep the data in memory: --backing memory"));
        }
        Ok(())
    }
}

fn parse_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| format!("`{text}` is not an address: write it as numbers, 192.168.0.5"))
}

fn parse_listen(text: &str, allow: &[IpAddr]) -> Result<Listen, String> {
    let wrong = || format!("`{text}` is not an address for --nbd: write unix:PATH or tcp:127.0.0.1:{PORT}");
    match text.split_once(':') {
        Some(("unix", "")) => Err("the path of the socket is missing: write unix:iobound.sock".to_string()),
        Some(("unix", path)) => {
            // sun_path of unix(7), with its zero byte.
            if path.len() > 107 {
                return Err(format!(
                    "the path of a socket has at most 107 bytes, and this one has {}",
                    path.len()
                ));
            }
            Ok(Listen::Unix(Path::new(path).to_path_buf()))
        }
        Some(("tcp", rest)) => {
            let at = rest
                .parse::<SocketAddr>()
                .or_else(|_| rest.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, PORT)))
                .map_err(|_| wrong())?;
            if !at.ip().is_loopback() && !allow.contains(&at.ip()) {
                return Err(format!(
                    "everybody who can reach {0} could read and write the disks: add --allow {0} to allow this, or write tcp:127.0.0.1:{1}",
                    at.ip(),
                    at.port()
                ));
            }
            Ok(Listen::Tcp(at))
        }
        _ => Err(wrong()),
    }
}

fn parse_memory(text: &str) -> Result<Bytes, String> {
    let size = parse_bytes(text).map_err(|error| error.to_string())?;
    if size < Bytes::mib(1) {
        return Err(format!("{size} is too small: write 1MiB or more"));
    }
    Ok(size)
}

fn parse_image(text: &str) -> Result<Image, String> {
    match text.split_once('=') {
        Some((volume, file)) if !volume.is_empty() && !file.is_empty() => {
            Ok(Image { volume: volume.into(), file: file.into() })
        }
        _ => Err(format!("`{text}` must name a volume and a file: write data=FILE")),
    }
}

fn parse_spin(text: &str) -> Result<Spin, String> {
    match text {
        "always" => return Ok(Spin::Always),
        "auto" => return Ok(Spin::AsNeeded),
        _ => {}
    }
    let span = parse_span(text).map_err(|error| format!("{error}, or always, or auto"))?;
    Ok(if span.is_zero() { Spin::Never } else { Spin::Last(span) })
}

fn parse_metrics(text: &str) -> Result<SocketAddr, String> {
    let at: SocketAddr =
        text.parse().map_err(|_| format!("`{text}` is not an address and port: write 127.0.0.1:9464"))?;
    if !at.ip().is_loopback() {
        return Err(format!("only this machine may read metrics: write 127.0.0.1:{}", at.port()));
    }
    Ok(at)
}

pub(super) fn parse_duration(text: &str) -> Result<Span, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span.is_zero() { Err("the duration is zero: write 30s, 5min".to_string()) } else { Ok(span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_socket_or_an_address_of_the_loopback() {
        assert_eq!(parse_listen("unix:a.sock", &[]), Ok(Listen::Unix("a.sock".into())));
        let loopback = "127.0.0.1:10809".parse().unwrap();
        assert_eq!(parse_listen("tcp:127.0.0.1:10809", &[]), Ok(Listen::Tcp(loopback)));
        assert_eq!(parse_listen("tcp:127.0.0.1", &[]), Ok(Listen::Tcp(loopback)));
        assert_eq!(parse_listen("tcp:[::1]:9", &[]), Ok(Listen::Tcp("[::1]:9".parse().unwrap())));
        for (text, part) in [
            ("a.sock", "unix:PATH"),
            ("unix:", "unix:iobound.sock"),
            ("tcp:localhost:9", "tcp:127.0.0.1"),
            ("tcp:0.0.0.0:9", "--allow 0.0.0.0"),
            ("tcp:192.168.0.5:9", "--allow 192.168.0.5"),
        ] {
            assert!(parse_listen(text, &[]).unwrap_err().contains(part), "{text}");
        }
        assert!(parse_listen(&format!("unix:{}", "x".repeat(108)), &[]).is_err());
        // Consent is to one address.
        let allow = ["192.168.0.5".parse().unwrap()];
        assert!(parse_listen("tcp:192.168.0.5:9", &allow).is_ok());
        assert!(parse_listen("tcp:192.168.0.6:9", &allow).is_err());
    }

    #[test]
    fn waiting_awake_is_for_a_time_or_always() {
        assert_eq!(parse_spin("always"), Ok(Spin::Always));
        assert_eq!(parse_spin("50us"), Ok(Spin::Last(Span::from_us(50))));
        assert_eq!(parse_spin("0"), Ok(Spin::Never));
        assert_eq!(parse_spin("auto"), Ok(Spin::default()), "what is shown as the default");
        assert!(parse_spin("a bit").unwrap_err().contains("always"));
    }

    #[test]
    fn an_image_is_of_a_volume() {
        assert_eq!(parse_image("data=a=b").unwrap(), Image { volume: "data".into(), file: "a=b".into() });
        for text in ["data", "=a", "data="] {
            assert!(parse_image(text).unwrap_err().contains("data=FILE"), "{text}");
        }
        assert!(parse_metrics("0.0.0.0:9464").unwrap_err().contains("127.0.0.1:9464"));
        assert!(parse_memory("4KiB").is_err());
    }
}
