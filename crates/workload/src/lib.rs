//! What is asked, and when: one workload type for every front end and every engine.

mod workload;

pub use workload::{
    Access, Arrivals, Content, Distribution, HotZone, Job, Load, Note, Region, Share, Spread, Targets, Think,
    Workload, ZoneRange,
};
