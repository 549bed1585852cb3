//! Memory and threads: what an order admits is there, and what is beyond is not.

use sandboard_host::jail::{Layer, Order};

use super::{MIB, ROLES, jail, order, probe, try_act, words};

#[test]
fn memory_is_there_up_to_the_order_and_ends_soon_after() {
    let jail = jail(&[]);
    for role in ROLES {
        for memory in [0, 64 * MIB, 512 * MIB] {
            let fill = |bytes: u64| {
                let order = Order { memory_bytes: memory, ..order(role) };
                let inmate = jail.spawn_probe(order).unwrap();
                try_act(&inmate, &format!("fill {bytes}")).unwrap().refused.is_none()
            };
            assert!(fill(memory), "{role:?}: {memory}");
            // The margin is for libraries and stacks.
            assert!(!fill(memory + 128 * MIB), "{role:?}: {memory} and 128 MiB");
        }
    }
}

#[test]
fn threads_are_bounded_where_users_are_their_own() {
    let jail = jail(&[]);
    for role in ROLES {
        let made: u32 = words(&probe(&jail, role), "threads 20").parse().unwrap();
        assert_eq!(made, 20, "{role:?}");
        if jail.layers().has(Layer::OwnUid) {
            let made: u32 = words(&probe(&jail, role), "threads 1000").parse().unwrap();
            assert!(made < 130, "{role:?}: {made}");
        }
    }
}
