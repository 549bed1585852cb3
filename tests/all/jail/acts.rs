//! The table of acts: every role tries each act under every set of layers, forbidden acts and
//! similar allowed ones.

use std::io::Write;

use sandboard_jail::probe::probe_actions;
use sandboard_jail::{Layer, Role, SpawnRequest};

use super::{ROLES, combinations, jail, output_of, probe, spawn_request, try_act};

#[test]
fn every_act_has_its_expected_outcome() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let mut process = probe(&jail, role);
            for act in probe_actions().filter(|act| act.has_expected_outcome()) {
                let Some(tried) = try_act(&process, act.name) else {
                    panic!(
                        "{role:?} without {without:?}: {}: {:?}",
                        act.name,
                        process.kill_and_wait()
                    );
                };
                assert!(
                    act.is_expected(role, jail.layers(), tried.refused),
                    "{role:?} without {without:?}: {tried:?}"
                );
            }
            // The probe still works after forbidden acts.
            process.channel.flush().unwrap();
            assert!(output_of(&process, "identity").contains(' '));
            process.kill_and_wait();
        }
    }
}

#[test]
fn files_of_the_user_are_not_accessible() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, "secret").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let act = format!("open {}", path.display());
    let check = |without: &[Layer], role: Role, opens: bool| {
        let jail = jail(without);
        let process = probe(&jail, role);
        let tried = try_act(&process, &act).unwrap();
        assert_eq!(tried.refused.is_none(), opens, "{role:?} without {without:?}: {tried:?}");
    };
    let neither = [&Layer::NAMESPACES[..], &[Layer::Landlock]].concat();
    for role in ROLES {
        check(&[], role, false);
        check(&Layer::NAMESPACES, role, false);
        check(&[Layer::Landlock], role, false);
        // Without both layers a native engine could open the file.
        check(&neither, role, role == Role::Native);
    }
}

#[test]
fn passed_files_can_be_read() {
    let file = |text: &str| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    };
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            // The first file of a native engine is its library; here any file will do.
            let files = vec![file("abc"), file(""), file("abcdef")];
            let process = jail.spawn_probe(SpawnRequest { files, ..spawn_request(role) }).unwrap();
            assert_eq!(output_of(&process, "read-files"), "3/3 0/0 6/6", "{role:?} {without:?}");
        }
    }
}

#[test]
fn the_test_program_runs_if_the_jail_meets_the_minimum_for_programs() {
    for without in combinations() {
        let jail = jail(&without);
        let meets_minimum = jail.layers().meets_program_minimum();
        assert_eq!(jail.test_program(), meets_minimum, "without {without:?}");
    }
}

/// A system library that every Linux has.
pub(super) fn libm() -> std::fs::File {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].into_iter().flat_map(|folder| {
        let machine = format!("{folder}/{}-linux-gnu", std::env::consts::ARCH);
        [folder.to_owned(), machine]
    });
    let names = ["libm.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
    let mut paths = folders.flat_map(|folder| names.map(|name| format!("{folder}/{name}")));
    paths.find_map(|path| std::fs::File::open(path).ok()).expect("there is a library")
}

#[test]
fn only_native_engines_load_a_library() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let files = vec![libm()];
            let process = jail.spawn_probe(SpawnRequest { files, ..spawn_request(role) }).unwrap();
            let tried = try_act(&process, "load").unwrap();
            let loads = role == Role::Native;
            assert_eq!(tried.refused.is_none(), loads, "{role:?} without {without:?}: {tried:?}");
            // The library is not among the passed files, even if it was copied.
            assert_eq!(output_of(&process, "read-files").split(' ').count(), 1);
        }
    }
    // An invalid library fails at load, not at start.
    let jail = jail(&[]);
    let files = vec![tempfile::tempfile().unwrap()];
    let process = jail.spawn_probe(SpawnRequest { files, ..spawn_request(Role::Native) }).unwrap();
    assert_eq!(try_act(&process, "load").unwrap().refused, Some(0));
}

#[test]
fn a_jailed_process_sees_nothing_of_its_host() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let files = vec![tempfile::tempfile().unwrap()];
            let process = jail.spawn_probe(SpawnRequest { files, ..spawn_request(role) }).unwrap();
            assert_eq!(output_of(&process, "environment"), "", "{role:?} without {without:?}");
            // Standard streams, channel, stop channel, what keeps them open, the probe's copy of
            // the channel, the file; perhaps a copy of the library.
            let open = output_of(&process, "descriptors").split(' ').count();
            let copies = role == Role::Native && !jail.layers().has(Layer::MountNamespace);
            assert_eq!(open, 9 + usize::from(copies), "{role:?} without {without:?}");
        }
    }
}

#[test]
fn every_jailed_process_has_its_own_user() {
    let jail = jail(&[]);
    let [one, other] = [probe(&jail, Role::Wasm), probe(&jail, Role::Wasm)].map(|process| {
        let ids = output_of(&process, "identity");
        let numbers: Vec<u32> = ids.split(' ').map(|it| it.parse().unwrap()).collect();
        <[u32; 4]>::try_from(numbers).unwrap()
    });
    if jail.layers().has(Layer::OwnUid) {
        assert_ne!(one[0], other[0], "their users");
        assert!(one[0] >= 0x7000_0000 && one[0] == one[1], "{one:?}");
    }
    if jail.layers().has(Layer::PidNamespace) {
        assert_eq!((one[2], one[3]), (2, 1), "the process and its init");
    }
}
