//! Under a latency goal the search leaves nothing out: on small catalogues it finds what trying everything finds.
//!
//! `cargo run --release -p iobound-plan --example brute_force` compares 200 needs in the same way.

mod latency_oracle;

use latency_oracle::{compare, shops};

/// Needs that are compared: dev builds simulate slowly.
const NEEDS: usize = 24;

#[test]
fn under_a_latency_goal_the_search_finds_what_trying_everything_finds() {
    let shops = shops();
    let compared: Vec<_> = (1..).filter_map(|number| compare(&shops, number)).take(NEEDS).collect();
    for one in &compared {
        assert_eq!(one.searched, one.least, "{}", one.case);
        assert_eq!(
            one.effort.builds > 0,
            one.effort.simulations > 0,
            "the oracle tries what it has: {}",
            one.case
        );
    }
    let met = compared.iter().filter(|one| one.least.is_some()).count();
    assert!(met * 3 > NEEDS, "{met} of {NEEDS} needs are met");
    assert!(compared.iter().any(|one| one.has_goal) && !compared.iter().all(|one| one.has_goal));
}
