//! Manifests for Kubernetes: an Indexed Job, a headless service by which its pods have names, and a secret. Needs 1.29, of
//! which on the failure of one pod is its own.

use iobound_units::Bytes;
use serde_json::{Map, Value, json};

use super::{Job, PORT, quantity};

/// Requests to Kubernetes besides the hosts.
#[derive(Clone, Debug)]
pub(crate) struct VolumeClaim {
    /// The image that has the program.
    pub(crate) image: String,
    pub(crate) namespace: Option<String>,
    /// The disk that each pod gets; `None`: none.
    pub(crate) volume: Option<Bytes>,
    pub(crate) storage_class: Option<String>,
    /// An existing claim instead of a disk of each pod.
    pub(crate) pvc: Option<String>,
    /// True if the disk is a raw device.
    pub(crate) block: bool,
    /// Place of the disk.
    pub(crate) mount: String,
}

/// The user that the ranks run as: nobody's account.
const USER: u32 = 65_532;
/// Folder of the secret.
const SECRETS: &str = "/run/iobound";

impl Job {
    /// For `kubectl apply -f -`.
    pub(super) fn kubernetes(&self, claim: &VolumeClaim, token: &str) -> String {
        let about = format!(
            "# {}. Pass it to kubectl apply -f -\n# The answer: kubectl logs -f -l \
             batch.kubernetes.io/job-name={},batch.kubernetes.io/job-completion-index=0\n",
            self.about(),
            self.name
        );
        let documents = [self.secret(claim, token), self.service(claim), self.indexed(claim)];
        let texts = documents.map(|document| {
            let text = serde_saphyr::to_string(&document).expect("a manifest is plain data");
            format!("---\n{}\n", text.trim_end())
        });
        format!("{about}{}", texts.concat())
    }

    fn metadata(&self, claim: &VolumeClaim) -> Value {
        let mut metadata = json!({ "name": self.name, "labels": self.labels() });
        if let Some(namespace) = &claim.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }

    fn labels(&self) -> Value {
        json!({ "app.kubernetes.io/name": "iobound", "app.kubernetes.io/instance": self.name })
    }

    /// The label that Kubernetes itself gives the pods of a Job.
    fn of_job(&self) -> Value {
        json!({ "batch.kubernetes.io/job-name": self.name })
    }

    fn secret(&self, claim: &VolumeClaim, token: &str) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": self.metadata(claim),
            "type": "Opaque",
            "stringData": { "token": token },
        })
    }

    fn service(&self, claim: &VolumeClaim) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": self.metadata(claim),
            "spec": {
                "clusterIP": "None",
                // Ranks look for each other before any of them could be called ready.
                "publishNotReadyAddresses": true,
                "selector": self.of_job(),
                "ports": [{ "name": "meet", "port": PORT }],
            },
        })
    }

    fn indexed(&self, claim: &VolumeClaim) -> Value {
        let ranks = self.ranks();
        let mut spec = json!({
            "completionMode": "Indexed",
            "completions": ranks,
            "parallelism": ranks,
            // A pod that fails is not tried again, since the others have begun without it, and does not end them:
            // with a limit of the whole Job, the first failure would.
            "backoffLimitPerIndex": 0,
            "maxFailedIndexes": ranks,
            "template": {
                "metadata": { "labels": self.labels() },
                "spec": self.pod(claim),
            },
        });
        if let Some(time) = self.time {
            spec["activeDeadlineSeconds"] = json!(time.ns().div_ceil(1_000_000_000));
        }
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": self.metadata(claim),
            "spec": spec,
        })
    }

    fn pod(&self, claim: &VolumeClaim) -> Value {
        let mut mounts = vec![json!({ "name": "secret", "mountPath": SECRETS, "readOnly": true })];
        // Only the group of the pod may read it.
        let mut volumes =
            vec![json!({ "name": "secret", "secret": { "secretName": self.name, "defaultMode": 0o440 } })];
        let own =
            claim.volume.map(|size| json!({ "ephemeral": { "volumeClaimTemplate": disk(size, claim) } }));
        let existing =
            claim.pvc.as_ref().map(|name| json!({ "persistentVolumeClaim": { "claimName": name } }));
        let mut devices = Vec::new();
        if let Some(mut volume) = own.or(existing) {
            volume["name"] = json!("disk");
            volumes.push(volume);
            match claim.block {
                true => devices.push(json!({ "name": "disk", "devicePath": claim.mount })),
                false => mounts.push(json!({ "name": "disk", "mountPath": claim.mount })),
            }
        }
        // A raw device belongs to root in the pod, whatever the pod's group is.
        let user = if claim.block { 0 } else { USER };
        let mut pod = json!({
            "restartPolicy": "Never",
            // With the service of this name, pods are NAME-INDEX.NAME.
            "subdomain": self.name,
            "automountServiceAccountToken": false,
            "securityContext": {
                "runAsNonRoot": !claim.block,
                "runAsUser": user,
                "runAsGroup": user,
                "fsGroup": user,
                "seccompProfile": { "type": "RuntimeDefault" },
            },
            "containers": [{
                "name": "rank",
                "image": claim.image,
                "command": [self.program],
                "args": self.words.iter().map(|word| unexpanded(word)).collect::<Vec<String>>(),
                "env": [
                    { "name": "IOBOUND_OF", "value": self.ranks().to_string() },
                    { "name": "IOBOUND_MEET", "value": format!("{0}-0.{0}:{PORT}", self.name) },
                    { "name": "IOBOUND_TOKEN_FILE", "value": format!("{SECRETS}/token") },
                    // The files of a pod are deleted with it: the answer is the output of rank 0.
                    { "name": "IOBOUND_RESULTS", "value": "off" },
                ],
                "ports": [{ "name": "meet", "containerPort": PORT }],
                "volumeMounts": mounts,
                "resources": {
                    "requests": { "cpu": "1", "memory": "1Gi" },
                    "limits": { "memory": "4Gi" },
                },
                "securityContext": {
                    "allowPrivilegeEscalation": false,
                    "capabilities": { "drop": ["ALL"] },
                },
            }],
            "volumes": volumes,
        });
        if !devices.is_empty() {
            pod["containers"][0]["volumeDevices"] = json!(devices);
        }
        let spread = pod.as_object_mut().expect("it is written as one");
        self.spread(spread);
        pod
    }

    /// One pod a node, or as many on each as was asked.
    fn spread(&self, pod: &mut Map<String, Value>) {
        let (selector, node) = (json!({ "matchLabels": self.of_job() }), "kubernetes.io/hostname");
        if self.each == 1 {
            pod.insert(
                "affinity".into(),
                json!({ "podAntiAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": [
                    { "labelSelector": selector, "topologyKey": node },
                ] } }),
            );
        } else {
            pod.insert(
                "topologySpreadConstraints".into(),
                json!([{
                    "maxSkew": 1,
                    "minDomains": self.hosts,
                    "topologyKey": node,
                    "whenUnsatisfiable": "DoNotSchedule",
                    "labelSelector": selector,
                }]),
            );
        }
    }
}

/// The disk of a pod, which is made with it and goes with it.
fn disk(size: Bytes, claim: &VolumeClaim) -> Value {
    let mut spec = json!({
        "accessModes": ["ReadWriteOnce"],
        "resources": { "requests": { "storage": quantity(size) } },
    });
    if claim.block {
        spec["volumeMode"] = json!("Block");
    }
    if let Some(class) = &claim.storage_class {
        spec["storageClassName"] = json!(class);
    }
    json!({ "spec": spec })
}

/// A word that Kubernetes does not change: it replaces `$(NAME)` by the variable, and `$$` by `$`.
fn unexpanded(word: &str) -> String {
    word.replace('$', "$$")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::batch::v1::Job as IndexedJob;
    use k8s_openapi::api::core::v1::{Secret, Service};
    use proptest::prelude::*;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use super::*;
    use crate::launch::script::Launcher;
    use iobound_units::Span;

    /// A document in Kubernetes' own types. They drop unknown keys, so the document must come back complete.
    fn typed<T: DeserializeOwned + Serialize>(yaml: &str) -> T {
        let read: Value = serde_saphyr::from_str(yaml).unwrap();
        let typed: T = serde_json::from_value(read.clone()).unwrap();
        assert_eq!(serde_json::to_value(&typed).unwrap(), read, "every key is known, and of its type");
        typed
    }

    fn job(hosts: u32, each: u32, words: Vec<String>, time: Option<Span>) -> Job {
        let program = "iobound".to_string();
        Job { name: "io".into(), hosts, names: Vec::new(), file: None, each, time, program, words }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn every_manifest_is_valid_and_holds_what_was_asked(
            hosts in 1_u32..2_000,
            each in 1_u32..9,
            seconds in prop::option::of(1_u64..100_000),
            words in prop::collection::vec("\\PC{0,9}|[-:{}\\[\\]#&*!|>'\"%@` $()0-9a-z]{0,9}|yes|null|1e3|~", 1..6),
            gib in prop::option::of(1_u64..9_000),
            class in prop::option::of("[a-z][a-z0-9-]{0,9}"),
            namespace in prop::option::of("[a-z][a-z0-9]{0,9}"),
            pvc in prop::option::of("[a-z][a-z0-9]{0,9}"),
            block in any::<bool>(),
        ) {
            let pvc = pvc.filter(|_| gib.is_none());
            let claim = VolumeClaim {
                pvc: pvc.clone(),
                block,
                image: "example.com/iobound:1".into(),
                namespace: namespace.clone(),
                volume: gib.map(Bytes::gib),
                storage_class: class.clone(),
                mount: "/data".into(),
            };
            let text = job(hosts, each, words.clone(), seconds.map(Span::from_secs))
                .script(&Launcher::Kubernetes(claim), "0123456789abcdef");
            let documents: Vec<&str> = text.split("\n---\n").collect();
            prop_assert_eq!(documents.len(), 4);
            let secret: Secret = typed(documents[1]);
            prop_assert_eq!(&secret.string_data.unwrap()["token"], "0123456789abcdef");
            let service: Service = typed(documents[2]);
            prop_assert_eq!(service.metadata.namespace, namespace);
            prop_assert_eq!(service.spec.unwrap().cluster_ip, Some("None".to_string()));
            let job: IndexedJob = typed(documents[3]);
            let spec = job.spec.unwrap();
            let ranks = i32::try_from(hosts * each).unwrap();
            prop_assert_eq!((spec.completions, spec.parallelism), (Some(ranks), Some(ranks)));
            prop_assert_eq!(spec.active_deadline_seconds, seconds.map(|it| it as i64));
            let pod = spec.template.spec.unwrap();
            prop_assert_eq!(pod.affinity.is_some(), each == 1);
            prop_assert_eq!(pod.restart_policy.as_deref(), Some("Never"));
            // What Kubernetes makes of the words is what was given.
            let args = pod.containers[0].args.clone().unwrap_or_default();
            prop_assert_eq!(args.iter().map(|word| word.replace("$$", "$")).collect::<Vec<_>>(), words);
            let volumes = pod.volumes.unwrap();
            let claimed = volumes.iter().find_map(|volume| volume.ephemeral.as_ref()?.volume_claim_template.as_ref());
            prop_assert_eq!(claimed.is_some(), gib.is_some());
            if let Some(claimed) = claimed {
                prop_assert_eq!(&claimed.spec.storage_class_name, &class);
                prop_assert_eq!(claimed.spec.volume_mode.is_some(), block);
            }
            let existing = volumes.iter().find_map(|volume| volume.persistent_volume_claim.as_ref());
            prop_assert_eq!(existing.map(|own| own.claim_name.clone()), pvc.clone());
            // A raw device is no mount, and root's.
            let has_disk = gib.is_some() || pvc.is_some();
            let container = &pod.containers[0];
            let devices = container.volume_devices.as_ref().map_or(0, Vec::len);
            let mounts = container.volume_mounts.as_ref().unwrap().iter().filter(|it| it.name == "disk").count();
            prop_assert_eq!((devices, mounts), (usize::from(has_disk && block), usize::from(has_disk && !block)));
            prop_assert_eq!(pod.security_context.unwrap().run_as_user, Some(if block { 0 } else { i64::from(USER) }));
        }
    }

    #[test]
    fn a_size_is_a_quantity() {
        let shown = [Bytes::gib(100), Bytes::gib(2_048), Bytes(1_500_000_000), Bytes(512)].map(quantity);
        assert_eq!(shown, ["100Gi", "2Ti", "1500000000", "512"]);
    }
}
