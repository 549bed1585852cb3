//! Limits on memory, threads and files: a process gets what its request admits and no more.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use sandboard_jail::{ExitCause, Jail, Layer, Program, Role, SpawnRequest};

use super::acts::libm;
use super::{MIB, ROLES, combinations, jail, output_of, probe, spawn_request, try_act};
use crate::cli::binary;

#[test]
fn memory_is_limited_to_the_request_plus_a_margin() {
    let jail = jail(&[]);
    for role in ROLES {
        for memory in [0, 64 * MIB, 512 * MIB] {
            let fill = |bytes: u64| {
                let request = SpawnRequest { memory_bytes: memory, ..spawn_request(role) };
                let process = jail.spawn_probe(request).unwrap();
                try_act(&process, &format!("fill {bytes}")).unwrap().refused.is_none()
            };
            assert!(fill(memory), "{role:?}: {memory}");
            // The margin is for libraries and stacks.
            assert!(!fill(memory + 128 * MIB), "{role:?}: {memory} and 128 MiB");
        }
    }
}

/// How a probe with a cap of 64 MiB ends that tries to hold about 1 GiB by this act.
#[derive(Debug, PartialEq)]
enum Hoard {
    /// An act got this error.
    Refused(i32),
    /// The process ended because of the memory that it held.
    Ended,
}

#[test]
fn memory_that_the_kernel_does_not_count_is_limited_too() {
    use Hoard::{Ended, Refused};
    const PERM: i32 = rustix::io::Errno::PERM.raw_os_error();
    const NOMEM: i32 = rustix::io::Errno::NOMEM.raw_os_error();
    for without in combinations() {
        let jail = jail(&without);
        let check = |role: Role, act: &str, expected: Hoard| {
            let process = probe(&jail, role);
            let found = match try_act(&process, act) {
                Some(tried) => tried.refused.map(Refused),
                None => match process.kill_and_wait().cause {
                    ExitCause::Memory { held_bytes, limit_bytes }
                        if held_bytes > limit_bytes || jail.layers().has(Layer::MemoryCgroup) =>
                    {
                        Some(Ended)
                    }
                    cause => panic!("{role:?} without {without:?}: {act}: {cause}"),
                },
            };
            assert_eq!(found, Some(expected), "{role:?} without {without:?}: {act}");
        };
        for role in ROLES {
            check(role, "hoard-shared 1024", Refused(PERM));
        }
        // RLIMIT_AS counts each page of these processes.
        check(Role::Native, "hoard-protected 1024", Refused(NOMEM));
        check(Role::Native, "hoard-tables 65536", Refused(NOMEM));
        for role in [Role::Wasm, Role::Compile] {
            check(role, "hoard-protected 1024", Ended);
            check(role, "hoard-tables 65536", Ended);
        }
    }
}

#[test]
fn threads_are_limited_if_the_process_has_its_own_user() {
    let jail = jail(&[]);
    for role in ROLES {
        let made: u32 = output_of(&probe(&jail, role), "threads 20").parse().unwrap();
        assert_eq!(made, 20, "{role:?}");
        if jail.layers().has(Layer::OwnUid) {
            let made: u32 = output_of(&probe(&jail, role), "threads 1000").parse().unwrap();
            assert!(made < 130, "{role:?}: {made}");
        }
    }
}

#[test]
fn the_margin_is_enough_for_a_library_and_some_threads() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let request =
                SpawnRequest { memory_bytes: 0, files: vec![libm()], ..spawn_request(role) };
            let process = jail.spawn_probe(request).unwrap();
            if role == Role::Native {
                output_of(&process, "load");
            }
            output_of(&process, "thread-c");
            assert_eq!(output_of(&process, "threads 8"), "8", "{role:?} without {without:?}");
            // The rest of the margin is for the library's own memory.
            output_of(&process, "fill 8388608");
        }
    }
}

#[test]
fn failed_starts_are_reported() {
    let start = |program: &str| Jail::start(Path::new(program)).unwrap_err().to_string();
    let missing = start("/no/such/program");
    assert!(missing.contains("cannot start `/no/such/program zygote`"), "{missing}");
    let other = start("/bin/true");
    assert!(other.contains("ended before it was ready"), "{other}");

    let jail = jail(&[]);
    let file = tempfile::tempfile().unwrap();
    let with_files = |count: usize| {
        let files = (0..count).map(|_| file.try_clone().unwrap()).collect();
        jail.spawn_probe(SpawnRequest { files, ..spawn_request(Role::Wasm) })
    };
    let process = with_files(249).unwrap();
    assert_eq!(output_of(&process, "read-files").split(' ').count(), 249);
    let error = with_files(250).unwrap_err().to_string();
    assert_eq!(error, "250 files for one jailed process; at most 249 are possible");
}

/// Requests a program with arguments of this number of bytes.
fn with_arguments(jail: &Jail, bytes: usize) -> Result<(), String> {
    let arguments = vec!["x".repeat(1000); bytes / 1000];
    let program = Some(Program { name: "true".into(), arguments, file_paths: Vec::new() });
    let files = vec![std::fs::File::open("/bin/true").unwrap()];
    let spawned = jail.spawn(SpawnRequest { program, files, ..spawn_request(Role::Program) });
    spawned.map(drop).map_err(|error| error.to_string())
}

#[test]
fn a_request_that_is_too_long_is_refused_without_side_effects() {
    let jail = jail(&[]);
    let (zygote, other) = (jail.zygote_pid(), probe(&jail, Role::Wasm));
    assert_eq!(with_arguments(&jail, 120_000), Ok(()));
    for bytes in [135_000, 200_000, 4_000_000] {
        let error = with_arguments(&jail, bytes).unwrap_err();
        assert!(error.starts_with("cannot jail a process: requesting it: "), "{error}");
        assert!(error.ends_with(" bytes in one packet; at most 131072 are possible"), "{error}");
    }
    assert_eq!(with_arguments(&jail, 120_000), Ok(()));
    assert_eq!(output_of(&other, "threads 1"), "1");
    assert_eq!(jail.zygote_pid(), zygote);
}

#[test]
fn a_malformed_request_is_refused() {
    let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::CLOEXEC);
    let (ours, its) = rustix::net::socketpair(AddressFamily::UNIX, kind, flags, None).unwrap();
    let mut zygote = Command::new(binary())
        .arg("zygote")
        .env_clear()
        .stdin(Stdio::from(its))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let receive = |ours: &OwnedFd| {
        let mut bytes = vec![0; 1 << 17];
        let (_, count) = rustix::net::recv(ours, &mut bytes, RecvFlags::empty()).unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    let ready = receive(&ours);
    assert!(ready.starts_with(r#"{"Ready":"#), "{ready}");
    let check = |request: &str, why: &str| {
        rustix::net::send(&ours, request.as_bytes(), SendFlags::empty()).unwrap();
        let answer = receive(&ours);
        let expected = format!(r#"{{"Refused":"{why}"#);
        assert!(answer.starts_with(&expected), "{answer}");
    };
    check("x", "malformed request: expected value");
    check("{}", "malformed request: missing field");
    check(&"x".repeat(140_000), "malformed request: a packet arrived incomplete");
    let sound = r#"{"role":"wasm","memory_bytes":0,"cpu_s":null,"file_bytes":0,"probe":true,"program":null}"#;
    check(sound, "a request without its channels");
    drop(ours);
    assert!(zygote.wait().unwrap().success());
}
