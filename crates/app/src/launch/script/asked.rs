//! Requests to `iobound fleet script`, as given.

use iobound_units::{Bytes, Span, parse_bytes, parse_span};

use super::storage::disk_words;
use super::{Job, Launcher, Mpi, VolumeClaim};
use crate::launch::hosts::AskedHosts;
use crate::options::options;
use crate::settings::{SettingValue, Settings};
use crate::{Env, Failure};

options! {
    /// Asks for what another launcher takes.
    pub struct ScriptRequest {
        /// Number of hosts, or the file that names them
        hosts: Option<String> = Form::One, "N|FILE";
        /// A host [USER@]HOST[:PORT]; repeat for more
        host: Vec<String> = Form::Many, "HOST";
        /// Only the hosts of this group of the file
        group: Option<String> = Form::One, "NAME";
        /// Ranks on each host [default: 1]
        tasks_per_host: Option<String> = Form::One, "K";
        /// Name of the job in the launcher [default: iobound]
        name: Option<String> = Form::One, "NAME";
        /// Time limit of the job
        time: Option<String> = Form::One, "TIME";
        /// Path of the program on the hosts [default: iobound]
        remote_program: Option<String> = Form::One, "PATH";
        /// Command for each host: run, diskspd or fio with its options
        words: Vec<String> = Form::Behind, "WORDS";
    }
    launcher: LauncherFlags;
    claim: ClaimFlags;
}

options! {
    /// The launcher.
    pub struct LauncherFlags in "Launcher" {
        /// Print a batch script for sbatch
        slurm: bool = Form::Switch;
        /// Print a command line for mpirun: openmpi, mpich [default: openmpi]
        mpi: Option<String> = Form::Alone("openmpi"), "openmpi|mpich";
        /// Print manifests for kubectl apply
        kubernetes: bool = Form::Switch;
    }
}

options! {
    /// Resources that Kubernetes gives.
    pub struct ClaimFlags in "Kubernetes" {
        /// Container image with the program
        image: Option<String> = Form::One, "IMAGE";
        /// Namespace [default: that of kubectl's context]
        namespace: Option<String> = Form::One, "NAME";
        /// Size of a disk for each pod, created and removed with the pod
        volume: Option<String> = Form::One, "SIZE";
        /// Storage class of the disks [default: the cluster's]
        storage_class: Option<String> = Form::One, "NAME";
        /// Existing PersistentVolumeClaim to use instead of a new disk
        pvc: Option<String> = Form::One, "NAME";
        /// Pass the disk as a raw device (volumeMode: Block), without a file system
        block: bool = Form::Switch;
        /// Path of the disk in the pod [default: /data; of a raw device /dev/data]
        mount: Option<String> = Form::One, "PATH";
        /// Output of `kubectl get storageclass,pvc -o json`: adds the --disk that it describes to the command
        storage: Option<String> = Form::One, "FILE";
    }
}

/// Flags that only Kubernetes has a use for.
const KUBERNETES: [&str; 7] = ["image", "namespace", "volume", "storage-class", "pvc", "mount", "storage"];

/// Path of a disk with a file system, and of a raw device, in the pod.
const FOLDER: &str = "/data";
const DEVICE: &str = "/dev/data";

/// The most ranks: what a run is built for, ten times over.
const MOST: u32 = 100_000;

/// The request, read.
pub(crate) struct AskedScript {
    launcher: Launcher,
    hosts: AskedHosts,
    each: u32,
    name: String,
    time: Option<Span>,
    program: String,
    storage: Option<SettingValue>,
}

impl AskedScript {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// Returns an error if there is no launcher or more than one, a value cannot be used, or an option has no effect
    /// for the launcher.
    pub(crate) fn of(args: &ScriptRequest, settings: &mut Settings) -> Result<AskedScript, Failure> {
        let mut text =
            |name: &str, flag: &Option<String>, default| settings.text(name, flag.as_deref(), default);
        let name = text("name", &args.name, Some("iobound"));
        let image = text("image", &args.claim.image, None);
        let namespace = text("namespace", &args.claim.namespace, None);
        let storage_class = text("storage-class", &args.claim.storage_class, None);
        let block = args.claim.block;
        let path = if block { DEVICE } else { FOLDER };
        let mount = text("mount", &args.claim.mount, Some(path));
        let pvc = text("pvc", &args.claim.pvc, None);
        let storage = text("storage", &args.claim.storage, None);
        let program = text("remote-program", &args.remote_program, Some("iobound"));
        let volume = settings.parse("volume", args.claim.volume.as_deref(), None, parse_volume)?;
        let time = settings.parse("time", args.time.as_deref(), None, parse_time)?;
        let each =
            settings.parse("tasks-per-host", args.tasks_per_host.as_deref(), Some("1"), |text| match text
                .parse::<u32>()
            {
                Ok(each @ 1..=1_000) => Ok(each),
                _ => Err(format!("`{text}` ranks on a host: write 1 to 1000")),
            })?;
        let hosts = AskedHosts::of(args.hosts.as_deref(), (&args.host, args.group.as_deref()), settings);
        let name = match name {
            Some(given) => given.parse(name_of)?,
            None => "iobound".to_string(),
        };
        let launcher = match (args.launcher.slurm, &args.launcher.mpi, args.launcher.kubernetes) {
            (true, None, false) => Launcher::Slurm,
            (false, Some(whose), false) => Launcher::Mpi(mpi_of(whose)?),
            (false, None, true) => {
                let image = image.ok_or_else(|| {
                    Failure::input("--kubernetes needs a container image with the program")
                        .help("build one with the static binary of .ci/static, and name it: --image NAME")
                })?;
                Launcher::Kubernetes(VolumeClaim {
                    image: image.parse(image_of)?,
                    namespace: namespace.map(|given| given.parse(name_of)).transpose()?,
                    volume,
                    storage_class: storage_class.map(|given| given.parse(class_of)).transpose()?,
                    mount: mount.map_or(Ok(path.to_string()), |given| given.parse(mount_of))?,
                    pvc: pvc.as_ref().map(|given| claim_of(given, volume.is_some(), settings)).transpose()?,
                    block,
                })
            }
            (false, None, false) => {
                return Err(Failure::input("no launcher is given").help(
                    "add --slurm, --kubernetes or --mpi; over ssh, iobound fleet --hosts needs no script",
                ));
            }
            _ => {
                return Err(Failure::input("one script is for one launcher")
                    .help("write one of --slurm, --kubernetes and --mpi"));
            }
        };
        if !matches!(launcher, Launcher::Kubernetes(_)) {
            let given =
                KUBERNETES.iter().filter_map(|name| settings.given(name)).collect::<Vec<&SettingValue>>();
            if let Some(given) = given.first() {
                return Err(given
                    .refuse("it changes nothing here: it is for Kubernetes")
                    .help("leave it out"));
            }
        }
        if block && !matches!(launcher, Launcher::Kubernetes(_)) {
            return Err(Failure::input("--block: it changes nothing here: it is for Kubernetes")
                .help("leave it out; write the block size after --"));
        }
        if let Launcher::Kubernetes(claim) = &launcher
            && claim.block
            && claim.volume.is_none()
            && claim.pvc.is_none()
        {
            return Err(Failure::input("--block: no disk is asked for")
                .help("add --volume SIZE or --pvc NAME; write the block size after --"));
        }
        let each = each.unwrap_or(1);
        let program = program.map_or("iobound".to_string(), |given| given.text);
        Ok(AskedScript { launcher, hosts, each, name, time, program, storage })
    }

    /// The job and whom it is for.
    ///
    /// # Errors
    /// Returns an error if the hosts cannot be read, or the launcher chooses the hosts itself.
    pub(crate) fn job(self, mut words: Vec<String>, env: &Env) -> Result<(Job, Launcher), Failure> {
        let count = self.hosts.file.as_ref().and_then(|given| Some((given, given.text.parse::<u32>().ok()?)));
        let (hosts, names, file) = match count {
            Some((given, count)) => {
                if count == 0 || count > MOST {
                    return Err(given
                        .refuse(format!("{count} is not a valid number of hosts"))
                        .help(format!("write 1 to {MOST}, or the file that names them")));
                }
                if self.hosts.has_names() {
                    return Err(given
                        .refuse("a number and host names are both given")
                        .help("give only one of them"));
                }
                (count, Vec::new(), None)
            }
            None => {
                let hosts = self.hosts.read(env)?;
                let plain = hosts.iter().all(|host| host.user.is_none() && host.port.is_none());
                let named =
                    |host: &iobound_formats::hosts::Host| host.address.clone().unwrap_or(host.name.clone());
                let names: Vec<String> = hosts.iter().map(named).collect();
                // What launchers read themselves is a host a line and nothing else.
                let file = self
                    .hosts
                    .file
                    .as_ref()
                    .map(SettingValue::path)
                    .filter(|path| plain && is_list(path, &names));
                (names.len() as u32, names, file)
            }
        };
        if hosts.checked_mul(self.each).is_none_or(|ranks| ranks > MOST) {
            return Err(Failure::input(format!(
                "{hosts} hosts with {} ranks each are more than {MOST} ranks",
                self.each
            ))
            .help("write fewer"));
        }
        if matches!(self.launcher, Launcher::Kubernetes(_)) && !names.is_empty() {
            return Err(Failure::input("Kubernetes chooses the nodes itself").help(format!(
                "give their number: --hosts {hosts}; select nodes with a nodeSelector in the Job"
            )));
        }
        if let Launcher::Kubernetes(claim) = &self.launcher {
            if let Some(pvc) = claim.pvc.as_ref().filter(|_| hosts > 1) {
                return Err(Failure::input(format!(
                    "--pvc {pvc}: one claim is a disk on one node, and {hosts} are asked for"
                ))
                .help("write --hosts 1, or --volume SIZE for a disk of each pod"));
            }
            if let Some(storage) = &self.storage {
                words.extend(disk_words(storage, claim, &words, env)?);
            }
        }
        let job = Job {
            name: self.name,
            hosts,
            names,
            file,
            each: self.each,
            time: self.time,
            program: self.program,
            words,
        };
        Ok((job, self.launcher))
    }
}

/// True if a file is these names, one a line.
fn is_list(path: &str, names: &[String]) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| {
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        lines.filter(|line| !line.is_empty()).eq(names.iter().map(String::as_str))
    })
}

fn mpi_of(text: &str) -> Result<Mpi, Failure> {
    match text {
        "openmpi" => Ok(Mpi::OpenMpi),
        "mpich" => Ok(Mpi::Mpich),
        other => Err(Failure::input(format!("--mpi: `{other}` is not known"))
            .help("write --mpi for Open MPI, or --mpi=mpich for MPICH, Intel MPI and MVAPICH")),
    }
}

/// A name that Kubernetes takes with an index behind it, and Slurm anyway.
fn name_of(text: &str) -> Result<String, String> {
    let is_letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let is_name = (1..=52).contains(&text.len())
        && text.bytes().all(is_letter)
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-');
    if is_name {
        Ok(text.to_string())
    } else {
        Err(format!(
            "`{text}` is not a valid name: use up to 52 of a-z, 0-9 and -, starting with a letter and not ending with -"
        ))
    }
}

/// The name of an existing claim, which no other disk stands beside.
fn claim_of(pvc: &SettingValue, has_volume: bool, settings: &Settings) -> Result<String, Failure> {
    if has_volume {
        return Err(pvc.refuse("--volume asks for a new disk as well").help("leave out one of them"));
    }
    if let Some(class) = settings.given("storage-class") {
        return Err(class.refuse("the claim of --pvc has its class already").help("leave it out"));
    }
    pvc.parse(|text| {
        dotted(text).ok_or_else(|| format!("`{text}` is not a claim: `kubectl get pvc` lists them"))
    })
}

/// The name of a storage class.
fn class_of(text: &str) -> Result<String, String> {
    dotted(text)
        .ok_or_else(|| format!("`{text}` is not a storage class: `kubectl get storageclass` lists them"))
}

/// A name of Kubernetes that may have dots.
fn dotted(text: &str) -> Option<String> {
    let is_letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
    let is_end = |c: char| c.is_ascii_alphanumeric();
    let is_name = (1..=253).contains(&text.len())
        && text.bytes().all(is_letter)
        && text.starts_with(is_end)
        && text.ends_with(is_end);
    is_name.then(|| text.to_string())
}

fn image_of(text: &str) -> Result<String, String> {
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(format!("`{text}` is not an image: write REGISTRY/NAME:TAG"));
    }
    Ok(text.to_string())
}

fn mount_of(text: &str) -> Result<String, String> {
    let is_path =
        text.starts_with('/') && text.len() > 1 && !text.contains(':') && !text.starts_with("/run/iobound");
    if is_path {
        Ok(text.to_string())
    } else {
        Err(format!("`{text}` is not an absolute path: write a path such as /data"))
    }
}

fn parse_volume(text: &str) -> Result<Bytes, String> {
    let size = parse_bytes(text).map_err(|error| error.to_string())?;
    if size < Bytes(1 << 20) {
        Err(format!("{size} is too small for a disk: write 1MiB or more"))
    } else {
        Ok(size)
    }
}

fn parse_time(text: &str) -> Result<Span, String> {
    let time = parse_span(text).map_err(|error| error.to_string())?;
    if time.is_zero() { Err("the time limit is zero: write a time such as 10min".into()) } else { Ok(time) }
}
