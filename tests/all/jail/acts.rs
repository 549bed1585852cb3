//! The table of acts: each is tried by every role behind every combination of layers, the
//! forbidden ones and those near them that must work.

use std::io::Write;

use sandboard_host::jail::probe::acts;
use sandboard_host::jail::{Layer, Order, Role};

use super::{ROLES, combinations, jail, order, probe, try_act, words};

#[test]
fn every_act_meets_its_verdict() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let mut inmate = probe(&jail, role);
            for act in acts().filter(|act| act.is_judged()) {
                let Some(tried) = try_act(&inmate, act.name) else {
                    panic!("{role:?} without {without:?}: {}: {:?}", act.name, inmate.end());
                };
                assert!(
                    act.is_right(role, jail.layers(), tried.refused),
                    "{role:?} without {without:?}: {tried:?}"
                );
            }
            // What is forbidden has not hurt it either.
            inmate.channel.flush().unwrap();
            assert!(words(&inmate, "who").contains(' '));
            inmate.end();
        }
    }
}

#[test]
fn a_file_of_the_user_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    std::fs::write(&path, "secret").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let act = format!("open {}", path.display());
    let check = |without: &[Layer], role: Role, opens: bool| {
        let jail = jail(without);
        let inmate = probe(&jail, role);
        let tried = try_act(&inmate, &act).unwrap();
        assert_eq!(tried.refused.is_none(), opens, "{role:?} without {without:?}: {tried:?}");
    };
    let neither = [&Layer::NAMESPACES[..], &[Layer::Landlock]].concat();
    for role in ROLES {
        check(&[], role, false);
        check(&Layer::NAMESPACES, role, false);
        check(&[Layer::Landlock], role, false);
        // The near miss: it is these two layers that keep a native engine from it.
        check(&neither, role, role == Role::Native);
    }
}

#[test]
fn what_is_handed_over_can_be_read() {
    let file = |text: &str| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    };
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            // The first of a native one is its library; any file will do that is not loaded.
            let files = vec![file("abc"), file(""), file("abcdef")];
            let inmate = jail.spawn_probe(Order { files, ..order(role) }).unwrap();
            assert_eq!(words(&inmate, "read-handed"), "3/3 0/0 6/6", "{role:?} {without:?}");
        }
    }
}

#[test]
fn a_program_runs_once_wherever_programs_are_kept() {
    for without in combinations() {
        let jail = jail(&without);
        let kept = jail.layers().keep_programs();
        assert_eq!(jail.try_program(), kept, "without {without:?}");
    }
}

/// A library of the system that is in a folder of its own kind on every Linux.
pub fn libm() -> std::fs::File {
    let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].into_iter().flat_map(|folder| {
        let machine = format!("{folder}/{}-linux-gnu", std::env::consts::ARCH);
        [folder.to_owned(), machine]
    });
    let names = ["libm.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
    let mut paths = folders.flat_map(|folder| names.map(|name| format!("{folder}/{name}")));
    paths.find_map(|path| std::fs::File::open(path).ok()).expect("there is a library")
}

#[test]
fn a_native_one_loads_its_library_and_no_other_does() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let files = vec![libm()];
            let inmate = jail.spawn_probe(Order { files, ..order(role) }).unwrap();
            let tried = try_act(&inmate, "load").unwrap();
            let loads = role == Role::Native;
            assert_eq!(tried.refused.is_none(), loads, "{role:?} without {without:?}: {tried:?}");
            // It is no file of its list, whatever it was copied to.
            assert_eq!(words(&inmate, "read-handed").split(' ').count(), 1);
        }
    }
    // What is no library is no reason not to be there.
    let jail = jail(&[]);
    let files = vec![tempfile::tempfile().unwrap()];
    let inmate = jail.spawn_probe(Order { files, ..order(Role::Native) }).unwrap();
    assert_eq!(try_act(&inmate, "load").unwrap().refused, Some(0));
}

#[test]
fn an_inmate_sees_nothing_of_its_host() {
    for without in combinations() {
        let jail = jail(&without);
        for role in ROLES {
            let files = vec![tempfile::tempfile().unwrap()];
            let inmate = jail.spawn_probe(Order { files, ..order(role) }).unwrap();
            assert_eq!(words(&inmate, "environment"), "", "{role:?} without {without:?}");
            // Standard ones, channel, stops, what keeps them open, the probe's copy of the
            // channel, the file; perhaps the library's copy.
            let open = words(&inmate, "descriptors").split(' ').count();
            let copies = role == Role::Native && !jail.layers().has(Layer::MountNamespace);
            assert_eq!(open, 9 + usize::from(copies), "{role:?} without {without:?}");
        }
    }
}

#[test]
fn every_inmate_is_somebody_else() {
    let jail = jail(&[]);
    let [one, other] = [probe(&jail, Role::Wasm), probe(&jail, Role::Wasm)].map(|inmate| {
        let who = words(&inmate, "who");
        let numbers: Vec<u32> = who.split(' ').map(|it| it.parse().unwrap()).collect();
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
