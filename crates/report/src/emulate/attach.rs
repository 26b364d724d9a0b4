//! Lines that attach a device, to be copied.

use iobound_workload::shell_word;

use super::{Device, Served, ServedAt};

/// Lines for one kind of user.
pub(super) struct Attach {
    /// Users who may run them, and the purpose.
    pub(super) title: String,
    /// The lines.
    pub(super) lines: Vec<String>,
}

/// Ways to attach volumes: with root as block devices of the kernel, without root directly.
pub(super) fn attach(served: &[Served], devices: &[Device]) -> Vec<Attach> {
    let volumes: Vec<&Device> = devices.iter().filter(|device| device.is_volume).collect();
    let Some(first) = volumes.first() else { return Vec::new() };
    let mut all = Vec::new();
    for served in served {
        let place = &served.at;
        match place {
            ServedAt::NbdUnix(_) | ServedAt::NbdTcp(..) => {
                all.push(Attach { title: "nbd, as root".into(), lines: nbd_as_root(place, &volumes) });
                all.push(Attach {
                    title: "nbd, as anybody".into(),
                    lines: nbd_as_anybody(place, &first.name),
                });
            }
            ServedAt::Fuse(folder) => {
                all.push(Attach { title: "fuse, as root".into(), lines: fuse_as_root(folder, &volumes) });
                let file = format!("{folder}/{}", first.name);
                all.push(Attach { title: "fuse, as anybody".into(), lines: fuse_as_anybody(&file) });
            }
        }
    }
    all
}

/// An export's address for every program that takes one.
pub(super) fn uri(place: &ServedAt, export: &str) -> Option<String> {
    match place {
        ServedAt::NbdUnix(path) => Some(format!("nbd+unix:///{export}?socket={}", escaped(path))),
        ServedAt::NbdTcp(host, port) => Some(format!("nbd://{}:{port}/{export}", bracketed(host))),
        ServedAt::Fuse(_) => None,
    }
}

fn nbd_as_root(place: &ServedAt, volumes: &[&Device]) -> Vec<String> {
    let server = match place {
        ServedAt::NbdUnix(path) => format!("-unix {}", shell_word(path)),
        ServedAt::NbdTcp(host, port) => format!("{host} {port}"),
        ServedAt::Fuse(_) => return Vec::new(),
    };
    let device = |(n, volume): (usize, &&Device)| {
        format!("nbd-client {server} /dev/nbd{n} -name {} -connections 4", shell_word(&volume.name))
    };
    let mut lines = vec!["modprobe nbd".to_string()];
    lines.extend(volumes.iter().enumerate().map(device));
    lines.push("mkfs.ext4 /dev/nbd0 && mount /dev/nbd0 /mnt".into());
    lines.push("umount /mnt && nbd-client -d /dev/nbd0".into());
    lines
}

fn nbd_as_anybody(place: &ServedAt, export: &str) -> Vec<String> {
    let Some(address) = uri(place, export) else { return Vec::new() };
    let uri = always_quoted(&address);
    let drive = always_quoted(&format!("file={address},format=raw,if=virtio"));
    vec![
        format!("nbdinfo {uri}"),
        format!(
            "fio --name=a --ioengine=nbd --uri={uri} --rw=randread --bs=4k --iodepth=32 --time_based --runtime=30"
        ),
        format!("qemu-img convert -n -f raw image.raw {uri}"),
        format!("qemu-system-x86_64 -drive {drive}"),
        format!("nbdfuse folder/ {uri}"),
    ]
}

/// The loop device that is free, the machine knows: the lines that make a file system are of that, and of no other.
fn fuse_as_root(folder: &str, volumes: &[&Device]) -> Vec<String> {
    let attach = |volume: &&Device| {
        let file = shell_word(&format!("{folder}/{}", volume.name));
        format!("losetup --direct-io=on --find --show {file}")
    };
    let mut lines: Vec<String> = volumes.iter().skip(1).map(attach).collect();
    lines.extend(volumes.first().map(|first| format!("disk=$({}) && echo $disk", attach(first))));
    lines.push("mkfs.ext4 $disk && mount $disk /mnt".into());
    lines.push("umount /mnt && losetup -d $disk".into());
    lines
}

fn fuse_as_anybody(file: &str) -> Vec<String> {
    let file = shell_word(file);
    vec![
        format!("iobound run {file} --random --block 4KiB --depth 32"),
        format!(
            "fio --name=a --filename={file} --direct=1 --ioengine=libaio --rw=randread --bs=4k --iodepth=32 --time_based --runtime=30"
        ),
        format!("mkfs.ext4 -F {file}"),
    ]
}

/// An address in quotes even where it needs none: a shell would take `?` and `&` of another one apart.
fn always_quoted(address: &str) -> String {
    if address.contains(['\'', '\\', '^']) { shell_word(address) } else { format!("'{address}'") }
}

/// For the query of an address.
fn escaped(path: &str) -> String {
    let mut escaped = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Bytes;

    fn volume(name: &str) -> Device {
        Device { name: name.into(), size: Bytes::gib(1), is_volume: true, disks: 1 }
    }

    fn lines(at: ServedAt) -> String {
        let served = [Served { at, cost: None }];
        let devices = [volume("data"), volume("log"), Device { is_volume: false, ..volume("data.0") }];
        let all = attach(&served, &devices);
        all.into_iter().flat_map(|attach| attach.lines).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_volume_has_a_line_that_attaches_it() {
        let unix = lines(ServedAt::NbdUnix("/tmp/a b.sock".into()));
        for part in [
            "nbd-client -unix '/tmp/a b.sock' /dev/nbd0 -name data",
            "/dev/nbd1 -name log",
            "nbdinfo 'nbd+unix:///data?socket=/tmp/a%20b.sock'",
        ] {
            assert!(unix.contains(part), "{part}\n{unix}");
        }
        let tcp = lines(ServedAt::NbdTcp("::1".into(), 10809));
        assert!(tcp.contains("nbd-client ::1 10809 /dev/nbd0"), "{tcp}");
        assert!(tcp.contains("nbd://[::1]:10809/data"), "{tcp}");
        let files = lines(ServedAt::Fuse("/tmp/disks".into()));
        assert!(files.contains("losetup --direct-io=on --find --show /tmp/disks/log"), "{files}");
        assert!(files.contains("iobound run /tmp/disks/data"), "{files}");
        // What lies on another loop device is not formatted.
        assert!(files.contains("disk=$(losetup --direct-io=on --find --show /tmp/disks/data)"), "{files}");
        assert!(files.contains("mkfs.ext4 $disk") && !files.contains("/dev/loop0"), "{files}");
    }
}
