//! Memory, threads, files: what an order admits is there, and what is beyond is not.

use std::path::Path;

use sandboard_host::jail::{Jail, Layer, Order, Role};

use super::acts::libm;
use super::{MIB, ROLES, combinations, jail, order, probe, try_act, words};

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

#[test]
fn the_margin_is_enough_for_a_library_and_some_threads() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let order = Order { memory_bytes: 0, files: vec![libm()], ..order(role) };
            let inmate = jail.spawn_probe(order).unwrap();
            if role == Role::Native {
                words(&inmate, "load");
            }
            words(&inmate, "thread-c");
            assert_eq!(words(&inmate, "threads 8"), "8", "{role:?} without {without:?}");
            // What the stacks leave is for the library's own memory.
            words(&inmate, "fill 8388608");
        }
    }
}

#[test]
fn what_cannot_be_made_is_told() {
    let start = |program: &str| Jail::start(Path::new(program)).unwrap_err().to_string();
    let missing = start("/no/such/program");
    assert!(missing.contains("cannot start `/no/such/program zygote`"), "{missing}");
    let other = start("/bin/true");
    assert!(other.contains("ended before it was ready"), "{other}");

    let jail = jail(&[]);
    let file = tempfile::tempfile().unwrap();
    let with_files = |count: usize| {
        let files = (0..count).map(|_| file.try_clone().unwrap()).collect();
        jail.spawn_probe(Order { files, ..order(Role::Wasm) })
    };
    let inmate = with_files(250).unwrap();
    assert_eq!(words(&inmate, "read-handed").split(' ').count(), 250);
    let error = with_files(251).unwrap_err().to_string();
    assert_eq!(error, "251 files for one jailed process; at most 250 can be handed over");
}
