//! Trees of files that stand for machines, and metadata services on the loopback that answer for their clouds. Made to the
//! published forms; every name and figure in them is invented.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) struct Machine {
    folder: tempfile::TempDir,
}

/// A disk of a machine.
pub(crate) struct Disk<'a> {
    pub(crate) name: &'a str,
    pub(crate) number: &'a str,
    pub(crate) gib: u64,
    /// Files of its folder in `/sys`.
    pub(crate) values: &'a [(&'a str, &'a str)],
}

impl Machine {
    pub(crate) fn new(cpus: u32) -> Machine {
        let machine = Machine { folder: tempfile::tempdir().expect("a temporary folder") };
        for folder in ["sys/block", "sys/class/block", "sys/dev/block", "proc/self", "dev/mapper"] {
            fs::create_dir_all(machine.path().join(folder)).expect("a folder");
        }
        machine.file("/sys/devices/system/node/node0/cpulist", &format!("0-{}", cpus - 1));
        machine.file("/proc/meminfo", "MemTotal:       32768000 kB\n");
        machine.file("/proc/sys/kernel/osrelease", "6.8.0-test");
        machine.cpu(cpus, 0);
        machine
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn shown(&self) -> String {
        self.path().display().to_string()
    }

    pub(crate) fn file(&self, path: &str, text: &str) {
        self.bytes(path, format!("{}\n", text.trim_end()).as_bytes());
    }

    pub(crate) fn bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a link lies in a folder")).expect("a folder");
        let _ = fs::remove_file(&path);
        symlink(self.path().join(to.trim_start_matches('/')), path).expect("a link");
    }

    /// Every processor idle but for so many ticks of a hundred.
    pub(crate) fn cpu(&self, cpus: u32, ticks: u64) {
        let lines: Vec<String> =
            (0..cpus).map(|cpu| format!("cpu{cpu} {ticks} 0 0 {} 0 0 0 0 0 0", 1_000 - ticks)).collect();
        self.file("/proc/stat", &lines.join("\n"));
    }

    pub(crate) fn firmware(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            self.file(&format!("/sys/class/dmi/id/{name}"), text);
        }
    }

    pub(crate) fn disk(&self, disk: &Disk<'_>) {
        let folder = format!("/sys/devices/block/{}", disk.name);
        self.device(&folder, disk.name, disk.number, disk.gib << 21);
        self.link(&format!("/sys/block/{}", disk.name), &folder);
        for (name, text) in disk.values {
            self.file(&format!("{folder}/{name}"), text);
        }
    }

    /// A partition of everything behind `start` sectors.
    pub(crate) fn partition(&self, disk: &str, name: &str, number: &str, start: u64) {
        let folder = format!("/sys/devices/block/{disk}/{name}");
        self.device(&folder, name, number, 1 << 21);
        self.file(&format!("{folder}/partition"), "1");
        self.file(&format!("{folder}/start"), &start.to_string());
    }

    fn device(&self, folder: &str, name: &str, number: &str, sectors: u64) {
        self.file(&format!("{folder}/dev"), number);
        self.file(&format!("{folder}/size"), &sectors.to_string());
        self.file(&format!("{folder}/ro"), "0");
        self.file(&format!("{folder}/uevent"), &format!("DEVNAME={name}"));
        for linked in ["holders", "slaves"] {
            fs::create_dir_all(self.path().join(folder.trim_start_matches('/')).join(linked))
                .expect("a folder");
        }
        self.link(&format!("/sys/class/block/{name}"), folder);
        self.link(&format!("/sys/dev/block/{number}"), folder);
    }

    /// A SCSI disk behind a device of Hyper-V's bus.
    pub(crate) fn vmbus(&self, disk: &str, bus: &str, lun: u32) {
        let controller = format!("/sys/devices/vmbus/{disk}");
        self.file(&format!("{controller}/device_id"), &format!("{{{bus}-1e82-4818-a1c3-63d806ec15bb}}"));
        let folder = format!("{controller}/host1/target1:0:0/1:0:0:{lun}");
        self.file(&format!("{folder}/model"), "Virtual Disk");
        self.file(&format!("{folder}/vendor"), "Msft");
        self.link(&format!("/sys/devices/block/{disk}/device"), &folder);
    }

    pub(crate) fn build_on(&self, upper: &str, lower: &[&str]) {
        for lower in lower {
            let of = |name: &str| format!("/sys/class/block/{name}");
            let real = |name: &str| {
                fs::canonicalize(self.path().join(of(name).trim_start_matches('/'))).expect("a device")
            };
            symlink(real(lower), real(upper).join("slaves").join(lower)).expect("a link");
            symlink(real(upper), real(lower).join("holders").join(upper)).expect("a link");
        }
    }

    /// Takes an array away.
    pub(crate) fn unbuild(&self, upper: &str) {
        let folder = self.path().join("sys/devices/block").join(upper);
        for lower in fs::read_dir(folder.join("slaves")).expect("it was built").flatten() {
            let holders = self.path().join("sys/devices/block").join(lower.file_name()).join("holders");
            fs::remove_file(holders.join(upper)).expect("it was built on it");
        }
        fs::remove_dir_all(folder).expect("it was built");
        fs::remove_file(self.path().join("sys/block").join(upper)).expect("it was built");
    }

    /// Mounts, each `NUMBER POINT TYPE OPTIONS`.
    pub(crate) fn mounts(&self, mounts: &[&str]) {
        let line = |(index, mount): (usize, &&str)| {
            let words: Vec<&str> = mount.split(' ').collect();
            format!("{} 1 {} / {} rw - {} /dev/x {}", index + 20, words[0], words[1], words[2], words[3])
        };
        let lines: Vec<String> = mounts.iter().enumerate().map(line).collect();
        self.file("/proc/self/mountinfo", &lines.join("\n"));
    }

    /// `/proc/diskstats`: number, name, reads, bytes read, ms of reads, writes, bytes written, ms of writes, ms in queue.
    pub(crate) fn counters(&self, rows: &[(&str, &str, [u64; 7])]) {
        let row = |(number, name, [reads, read, reading, writes, written, writing, queue]): &(
            &str,
            &str,
            [u64; 7],
        )| {
            let (major, minor) = number.split_once(':').expect("major:minor");
            format!(
                "{major} {minor} {name} {reads} 0 {} {reading} {writes} 0 {} {writing} 0 {queue} {queue} 0 0 0 0 0 0",
                read / 512,
                written / 512
            )
        };
        let lines: Vec<String> = rows.iter().map(row).collect();
        self.file("/proc/diskstats", &lines.join("\n"));
    }
}

/// The firmware's mark of Azure.
const AZURE: [(&str, &str); 2] =
    [("sys_vendor", "Microsoft Corporation"), ("chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77")];

/// A DS14_v2 with four P30, striped by md with 64 KiB, and its operating system's and temporary disk, all SCSI.
pub(crate) fn ds14() -> Machine {
    let machine = Machine::new(16);
    machine.firmware(&AZURE);
    let plain = [
        ("queue/read_ahead_kb", "128"),
        ("queue/scheduler", "[mq-deadline] none"),
        ("queue/rotational", "1"),
    ];
    for (name, number, gib, bus, lun) in [
        ("sda", "8:0", 30, "f8b3781a", 0),
        ("sdb", "8:16", 224, "f8b3781a", 1),
        ("sdc", "8:32", 1024, "f8b3781b", 0),
        ("sdd", "8:48", 1024, "f8b3781b", 1),
        ("sde", "8:64", 1024, "f8b3781b", 2),
        ("sdf", "8:80", 1024, "f8b3781b", 3),
    ] {
        machine.disk(&Disk { name, number, gib, values: &plain });
        machine.vmbus(name, bus, lun);
    }
    machine.partition("sda", "sda1", "8:1", 2048);
    machine.partition("sdb", "sdb1", "8:17", 2048);
    let md = [
        ("md/level", "raid0"),
        ("md/chunk_size", "65536"),
        ("md/raid_disks", "4"),
        ("queue/read_ahead_kb", "512"),
    ];
    machine.disk(&Disk { name: "md0", number: "9:0", gib: 4096, values: &md });
    machine.build_on("md0", &["sdc", "sdd", "sde", "sdf"]);
    machine.mounts(&["8:1 / ext4 rw", "8:17 /mnt ext4 rw", "9:0 /data xfs rw,noquota"]);
    machine
}

/// What Azure says of a VM: the operating system's disk, then each data disk as `(type, GiB, caching)`.
pub(crate) fn azure_answer(size: &str, os: (&str, u64, &str), data: &[(&str, u64, &str)]) -> String {
    let disk = |(kind, gib, caching): &(&str, u64, &str), name: &str, rest: &str| {
        format!(
            r#"{{"name": "{name}", "caching": "{caching}", "diskSizeGB": "{gib}", "writeAcceleratorEnabled": "false",
                "managedDisk": {{"id": "/subscriptions/x/disks/{name}", "storageAccountType": "{kind}"}}{rest}}}"#
        )
    };
    let empty = r#", "opsPerSecondThrottle": "", "bytesPerSecondThrottle": "", "diskCapacityBytes": "",
        "isUltraDisk": "false", "isSharedDisk": "false""#;
    let disks: Vec<String> = data
        .iter()
        .enumerate()
        .map(|(lun, data)| disk(data, &format!("data-{lun}"), &format!(r#", "lun": "{lun}"{empty}"#)))
        .collect();
    let os = disk(&os, "system", r#", "osType": "Linux", "diffDiskSettings": {"option": ""}"#);
    format!(
        r#"{{"compute": {{"vmSize": "{size}", "location": "westeurope", "zone": "2", "name": "vm", "storageProfile":
            {{"osDisk": {os}, "dataDisks": [{}], "resourceDisk": {{"size": "34816"}}}}}}, "network": {{}}}}"#,
        disks.join(", ")
    )
}

/// An Azure VM of the seventh generation with one data disk, all NVMe: the kernel took 64 MiB of read-ahead from the size
/// that the devices state.
pub(crate) fn azure_nvme() -> Machine {
    let machine = Machine::new(8);
    machine.firmware(&AZURE);
    let values = [
        ("device/model", "MSFT NVMe Accelerator v1.0              "),
        ("queue/read_ahead_kb", "65536"),
        ("queue/optimal_io_size", "33554432"),
        ("queue/minimum_io_size", "4096"),
        ("queue/scheduler", "[none] mq-deadline"),
    ];
    for (name, number, gib, nsid) in [("nvme0n1", "259:0", 128, "1"), ("nvme0n2", "259:2", 1024, "2")] {
        let values = [&values[..], &[("nsid", nsid)]].concat();
        machine.disk(&Disk { name, number, gib, values: &values });
    }
    machine.partition("nvme0n1", "nvme0n1p1", "259:1", 2048);
    machine.mounts(&["259:1 / ext4 rw", "259:2 /var/lib/elasticsearch ext4 rw"]);
    machine
}

/// An m5.large with a volume for data. `counts`: what the volume has counted of its exceeded limits, in µs: its IOPS, its
/// throughput, the instance's IOPS, the instance's throughput.
pub(crate) fn ec2(counts: [u64; 4]) -> Machine {
    let machine = Machine::new(2);
    machine.firmware(&[("sys_vendor", "Amazon EC2"), ("product_name", "m5.large")]);
    for (name, number, gib, serial) in
        [("nvme0n1", "259:0", 8, "vol00000000000000aaa"), ("nvme1n1", "259:2", 500, "vol00000000000000bbb")]
    {
        let values = [
            ("device/model", "Amazon Elastic Block Store              "),
            ("device/serial", serial),
            ("queue/read_ahead_kb", "128"),
        ];
        machine.disk(&Disk { name, number, gib, values: &values });
    }
    machine.partition("nvme0n1", "nvme0n1p1", "259:1", 2048);
    machine.mounts(&["259:1 / xfs rw", "259:2 /data xfs rw"]);
    machine.bytes("/dev/nvme0n1.log-d0", &log_page([0; 4]));
    machine.bytes("/dev/nvme1n1.log-d0", &log_page(counts));
    let mut identify = vec![0u8; 4096];
    identify[3072..3075].copy_from_slice(b"sdf");
    machine.bytes("/dev/nvme1n1.identify-controller", &identify);
    machine
}

/// An EBS volume's statistics with these exceeded limits; all else is zero.
fn log_page(exceeded: [u64; 4]) -> Vec<u8> {
    let mut page = vec![0u8; 4096];
    page[..8].copy_from_slice(&0x3C23_B510u64.to_le_bytes());
    for (index, value) in exceeded.iter().enumerate() {
        let at = 8 * (7 + index);
        page[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    page
}

pub(crate) fn laptop() -> Machine {
    let machine = Machine::new(8);
    machine.firmware(&[("sys_vendor", "LENOVO"), ("product_name", "21CBCTO1WW")]);
    let values = [("device/model", "SAMSUNG MZVL2512HCJQ-00BL7"), ("queue/read_ahead_kb", "128")];
    machine.disk(&Disk { name: "nvme0n1", number: "259:0", gib: 476, values: &values });
    machine.disk(&Disk { name: "loop0", number: "7:0", gib: 1, values: &[] });
    machine.partition("nvme0n1", "nvme0n1p1", "259:1", 2048);
    machine.mounts(&["259:1 / ext4 rw"]);
    machine
}

/// A metadata service on the loopback: a path's status and body; what is not there is 404. A header that a service wants is
/// wanted here.
pub(crate) struct Service {
    pub(crate) url: String,
}

impl Service {
    pub(crate) fn azure(answer: &str) -> Service {
        let path = "/metadata/instance?api-version=2021-11-01&format=json";
        Service::start(&[(path, answer)], Some("Metadata: true"))
    }

    pub(crate) fn ec2(size: &str) -> Service {
        let root = "/latest/meta-data";
        let answers = [
            ("/latest/api/token".to_string(), "TOKEN=="),
            (format!("{root}/instance-type"), size),
            (format!("{root}/placement/availability-zone"), "eu-central-1b"),
            (format!("{root}/placement/region"), "eu-central-1"),
            (format!("{root}/block-device-mapping/"), "ami\nebs1\nroot"),
            (format!("{root}/block-device-mapping/ebs1"), "sdf"),
            (format!("{root}/block-device-mapping/root"), "/dev/xvda"),
        ];
        let answers: Vec<(&str, &str)> = answers.iter().map(|(path, body)| (path.as_str(), *body)).collect();
        Service::start(&answers, Some("X-aws-ec2-metadata-token"))
    }

    pub(crate) fn start(answers: &[(&str, &str)], header: Option<&'static str>) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback is there");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let answers: BTreeMap<String, String> =
            answers.iter().map(|(path, body)| ((*path).to_string(), (*body).to_string())).collect();
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &answers, header);
            }
        });
        Service { url }
    }
}

fn answer(mut stream: TcpStream, answers: &BTreeMap<String, String>, header: Option<&str>) {
    let mut asked = Vec::new();
    let mut byte = [0u8];
    while !asked.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count == 1) {
        asked.push(byte[0]);
    }
    let asked = String::from_utf8_lossy(&asked);
    let path = asked.split(' ').nth(1).unwrap_or_default();
    let is_let_in = header.is_none_or(|header| asked.to_lowercase().contains(&header.to_lowercase()));
    let (status, body) = match answers.get(path) {
        _ if !is_let_in => ("401 Unauthorized", String::new()),
        Some(body) => ("200 OK", body.clone()),
        None => ("404 Not Found", String::new()),
    };
    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
}

/// A path in the build's own folder that is not there yet; the name must be the test's own.
pub(crate) fn fresh(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}
