//! Measurement of an unknown disk's limits: which experiment comes next, what it shows, and when to stop.
//!
//! The probe knows no product and reads no clock. A [`Disk`] runs its experiments: the model in virtual time
//! ([`ModelDisk`]), or real files and devices. It returns an [`Answer`].

mod answer;
mod arithmetic;
mod ask;
mod bursts;
mod cache;
mod credits;
mod cumulative;
mod inquiry;
mod latency;
mod limit;
mod model_disk;
mod period;
mod probe;
mod question;
mod raised;
mod ramp;
mod session;
mod shared;
mod simulated;
mod sizes;
mod step;
mod wanted;
mod watch;

pub use answer::{
    Accounting, Answer, Burst, Cost, Counts, Ending, Enforcement, Estimate, Evidence, FoundCache,
    FoundLatency, FoundLimit, Noise, RampPoint, Scope, SizePoint, TargetAnswer,
};
pub use inquiry::Settings;
pub use model_disk::ModelDisk;
pub use probe::probe;
pub use step::{Completed, Disk, Mix, Pace, Recording, Step};
