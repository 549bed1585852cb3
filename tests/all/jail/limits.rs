//! Memory, threads, files: what an order admits is there, and what is beyond is not.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use sandboard_host::jail::{Jail, Layer, Order, Program, Role};

use super::acts::libm;
use super::{MIB, ROLES, combinations, jail, order, probe, try_act, words};
use crate::cli::binary;

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

/// What comes of an order for a program with arguments of so many bytes together.
fn with_arguments(jail: &Jail, bytes: usize) -> Result<(), String> {
    let arguments = vec!["x".repeat(1000); bytes / 1000];
    let program = Some(Program { name: "true".into(), arguments, shown: Vec::new() });
    let files = vec![std::fs::File::open("/bin/true").unwrap()];
    let spawned = jail.spawn(Order { program, files, ..order(Role::Program) });
    spawned.map(drop).map_err(|error| error.to_string())
}

#[test]
fn an_order_that_is_too_long_is_refused_and_nobody_else_notices() {
    let jail = jail(&[]);
    let (zygote, other) = (jail.zygote_pid(), probe(&jail, Role::Wasm));
    assert_eq!(with_arguments(&jail, 120_000), Ok(()));
    for bytes in [135_000, 200_000, 4_000_000] {
        let error = with_arguments(&jail, bytes).unwrap_err();
        assert!(error.starts_with("cannot jail a process: ordering it: "), "{error}");
        assert!(error.ends_with(" bytes in one packet; 131072 is the most"), "{error}");
    }
    assert_eq!(with_arguments(&jail, 120_000), Ok(()));
    assert_eq!(words(&other, "threads 1"), "1");
    assert_eq!(jail.zygote_pid(), zygote);
}

#[test]
fn a_request_that_cannot_be_read_is_answered() {
    let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::CLOEXEC);
    let (ours, its) = rustix::net::socketpair(AddressFamily::UNIX, kind, flags, None).unwrap();
    let mut zygote = Command::new(binary())
        .arg("zygote")
        .env_clear()
        .stdin(Stdio::from(its))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let heard = |ours: &OwnedFd| {
        let mut bytes = vec![0; 1 << 17];
        let (_, count) = rustix::net::recv(ours, &mut bytes, RecvFlags::empty()).unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    let ready = heard(&ours);
    assert!(ready.starts_with(r#"{"Ready":"#), "{ready}");
    let check = |request: &str, why: &str| {
        rustix::net::send(&ours, request.as_bytes(), SendFlags::empty()).unwrap();
        let answer = heard(&ours);
        let expected = format!(r#"{{"Refused":"{why}"#);
        assert!(answer.starts_with(&expected), "{answer}");
    };
    check("x", "a request that cannot be read: expected value");
    check("{}", "a request that cannot be read: missing field");
    check(&"x".repeat(140_000), "a request that cannot be read: a packet came in part");
    let sound = r#"{"role":"wasm","memory_bytes":0,"cpu_s":null,"file_bytes":0,"probe":true,"program":null}"#;
    check(sound, "a request without its channels");
    drop(ours);
    assert!(zygote.wait().unwrap().success());
}
