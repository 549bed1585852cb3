//! The commands: what each refuses and says, and what `trust` and `untrust` do.

use std::fs;
use std::process::Stdio;

use sandboard_tests::{built, native_name};
use serde_json::Value;

use super::{Place, UNTRUSTED, sha256_of};
use crate::cli::{Ended, Home};

fn trusted(place: &Place) -> Value {
    serde_json::from_str(&place.succeed("trust --json")).expect("it is JSON")
}

#[test]
fn each_state_of_the_store_means_what_it_says() {
    let unknown = "is a native library, and whether it is trusted is unknown: ";
    let damaged = [unknown, "/grants.json:1:1: is no list of grants: EOF"];
    let check = |prepare: fn(&Place), native: Option<&[&str]>| {
        let place = Place::new();
        prepare(&place);
        for why in native.unwrap_or_default() {
            place.check("native", Some(why));
        }
        if native.is_none() {
            place.check("native", None);
        }
        // A sandboxed engine asks for nobody's trust.
        place.check("wasm", None);
        place.succeed("list");
    };
    check(|_| (), Some(&[UNTRUSTED]));
    check(|place| drop(place.succeed("trust native")), None);
    check(|place| drop(place.succeed("trust native-1")), None);
    check(|place| drop(place.succeed("trust wasm")), Some(&[UNTRUSTED]));
    let another: fn(&Place) = |place| {
        place.put("other-1", "faulty");
        place.succeed("trust other");
    };
    check(another, Some(&[UNTRUSTED]));
    let taken_back: fn(&Place) = |place| {
        place.succeed("trust native");
        place.succeed("untrust native");
    };
    check(taken_back, Some(&[UNTRUSTED]));
    let broken: fn(&Place) = |place| {
        place.succeed("trust native");
        fs::write(place.store(), "{").unwrap();
    };
    check(broken, Some(&[&damaged[..], &["sandboard untrust --all"]].concat()));
    let emptied: fn(&Place) = |place| {
        place.succeed("trust native");
        fs::write(place.store(), "{").unwrap();
        place.succeed("untrust --all");
    };
    check(emptied, Some(&[UNTRUSTED]));
    #[cfg(unix)]
    {
        let open: fn(&Place) = |place| {
            use std::os::unix::fs::PermissionsExt;
            place.succeed("trust native");
            fs::set_permissions(place.store(), fs::Permissions::from_mode(0o666)).unwrap();
        };
        check(open, Some(&[unknown, "grants.json may be written to by others; delete it"]));
    }
}

#[test]
fn every_command_that_runs_an_engine_passes_the_gate() {
    let place = Place::new();
    let sha256 = sha256_of(&place.library("native-1"));
    fs::write(place.home.file("s.epd"), "5/5/5/oooo1/xxxx1 b bm e1; id \"a\";\n").unwrap();
    place.succeed("trust native");
    let seats = "--variant freestyle-5 --seat native --seat wasm --budget 10s/move";
    place.succeed(&format!("play gomoku {seats} --record b.json"));
    let commands = [
        format!("play gomoku {seats}"),
        "play --from b.json@3".to_owned(),
        "replay b.json --ply 2 --player 0".to_owned(),
        "analyse native --budget 10s/move".to_owned(),
        "suite native s.epd --budget 10s/move".to_owned(),
        "arena match native wasm --pairs 1 --variant freestyle-5 --budget 10s/move".to_owned(),
        "check native --variant freestyle-5 --step 1".to_owned(),
    ];
    let run = |words: &String| {
        let Ended { code, out, err } = place.run(words);
        (code, format!("{out}{err}"))
    };
    for words in &commands {
        let (code, said) = run(words);
        assert_eq!(code, Some(0), "{words}: {said}");
    }
    place.succeed("untrust native");
    for words in &commands {
        let (code, said) = run(words);
        assert_eq!(code, Some(1), "{words}: {said}");
        assert!(said.contains(&format!("{UNTRUSTED}{sha256}")), "{words}: {said}");
    }
}

#[test]
fn the_command_that_a_refusal_names_lets_the_engine_run() {
    let place = Place::new();
    let Ended { err, .. } = place.run("analyse native --budget 10s/move");
    let (_, command) = err.trim_end().rsplit_once("type: sandboard ").expect("a command");
    place.home.succeed(&command.split(' ').collect::<Vec<_>>(), "");
    place.check("native", None);
}

#[test]
fn trust_is_in_the_bytes_and_in_nothing_else() {
    let place = Place::new();
    place.succeed("trust native");
    let file = place.library("native-1");
    let whole = fs::read(&file).unwrap();
    // Behind everything that the system's loader looks at.
    fs::write(&file, [&whole[..], b"\0"].concat()).unwrap();
    place.check("native", Some(UNTRUSTED));
    fs::write(&file, &whole).unwrap();
    place.check("native", None);
    // The same bytes by another name, and what a link leads to.
    fs::copy(&file, place.library("same-2")).unwrap();
    place.check("same", None);
    place.put("other-1", "faulty");
    place.check("other", Some(UNTRUSTED));
    #[cfg(unix)]
    {
        let link = place.library("link-1");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        place.check("link", None);
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(place.library("other-1"), &link).unwrap();
        place.check("link", Some(UNTRUSTED));
    }
    // Whoever takes it back takes it back from all of its names.
    place.succeed("untrust same");
    place.check("native", Some(UNTRUSTED));
}

#[test]
fn what_is_granted_is_shown_before_and_listed_after() {
    let place = Place::new();
    let (file, sha256) = (place.library("native-1"), sha256_of(&place.library("native-1")));
    place.put("same-2", "random-mover");
    let size = format!("({} KiB)", fs::metadata(&file).unwrap().len().div_ceil(1024));
    let text = place.succeed("trust native");
    let mut rest = text.as_str();
    let shown = ["native 1\n", "/e/native-1.gomoku", &size, "also     same 2", &sha256];
    let more = ["it can do whatever you can", "trusted from now on", "`sandboard untrust native`"];
    for part in shown.iter().chain(&more) {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in {rest}\nof {text}"));
        rest = &rest[at..];
    }
    assert!(place.succeed("trust native").contains("native 1 was trusted already"));
    let text = place.succeed("trust wasm");
    assert!(text.contains("wasm 1 is WebAssembly, in a sandbox: it needs no trust"), "{text}");

    let list = place.succeed("list");
    let line = |id: &str| list.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
    assert!(line("native 1").contains("native, trusted"), "{list}");
    assert!(line("same 2").contains("native, trusted"), "{list}");
    assert!(line("wasm 1").contains("wasm, sandboxed"), "{list}");

    let json = trusted(&place);
    let grants = json["grants"].as_array().unwrap();
    assert_eq!(grants.len(), 1, "{json}");
    assert_eq!((&grants[0]["sha256"], &grants[0]["how"]), (&sha256.into(), &"person".into()));
    assert_eq!(grants[0]["engines"], serde_json::json!(["native 1", "same 2"]));
    assert_eq!((&grants[0]["id"], &grants[0]["present"]), (&"native".into(), &true.into()));
    for name in ["native-1", "same-2"] {
        fs::remove_file(place.library(name)).unwrap();
    }
    assert_eq!(trusted(&place)["grants"][0]["present"], false);
    assert!(place.succeed("trust").contains("    not in e\n"));
    // By the name that it had.
    assert!(place.succeed("untrust native-1").contains("native 1 is not trusted any more"));
    assert_eq!(trusted(&place)["grants"], serde_json::json!([]));
}

#[test]
fn a_hash_is_trusted_before_its_module_comes() {
    let place = Place::new();
    let sha256 = sha256_of(&built(&native_name("faulty")));
    place.succeed(&format!("trust --sha256 {}", sha256.to_uppercase()));
    place.check("native", Some(UNTRUSTED));
    place.put("later-1", "faulty");
    place.check("later", None);
    place.succeed(&format!("untrust --sha256 {sha256}"));
    place.check("later", Some(UNTRUSTED));
    // Beside a name it is what the module must have.
    let right = sha256_of(&place.library("native-1"));
    let Ended { code, err, .. } = place.run(&format!("trust native --sha256 {sha256}"));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains(&format!("has the SHA-256 {right}, not {sha256}: nothing was")), "{err}");
    place.check("native", Some(UNTRUSTED));
    place.succeed(&format!("trust native --sha256 {right}"));
    place.check("native", None);
}

#[test]
fn what_is_asked_for_wrongly_changes_nothing() {
    let place = Place::new();
    fs::write(place.library("broken-1"), b"not a library").unwrap();
    let check = |words: &str, code: i32, expected: &str| {
        let Ended { code: found, out, err } = place.run(words);
        assert_eq!((found, out.as_str()), (Some(code), ""), "{words}: {err}");
        assert!(err.contains(expected), "{words}: no {expected:?} in {err}");
        assert!(!place.store().exists(), "{words}");
    };
    let hash = "a".repeat(64);
    check("trust native nativ", 2, "did you mean `native`?");
    check("trust native broken", 1, "engine `broken` is unusable: ");
    check("trust --sha256 abc", 2, "a SHA-256 is 64 lower-case hexadecimal digits");
    check(&format!("trust native wasm --sha256 {hash}"), 2, "give one ENGINE with one --sha256");
    let broken = format!("e/{}", native_name("broken-1.gomoku"));
    check(&format!("trust --built {broken}"), 1, &format!("{broken} "));
    check("trust --built e/missing.so", 1, "e/missing.so ");
    check("untrust nativ", 2, "did you mean `native`?");
    check("untrust native --all", 2, "cannot be used with");
}

#[test]
fn what_was_built_here_is_trusted_and_that_is_said_once() {
    let place = Place::new();
    let file = place.library("native-1");
    let sha256 = sha256_of(&file);
    let words = format!("trust --built {}", file.display());
    let said = format!("native 1: trusted, since it was built here; SHA-256 {sha256}\n");
    assert_eq!(place.succeed(&words), said);
    assert_eq!(place.succeed(&words), "");
    assert_eq!(trusted(&place)["grants"][0]["how"], "build");
    place.check("native", None);

    // The author's own source: `build` with nothing but a native module has to ask it what it is.
    let mine = place.home.file("mine");
    fs::create_dir(&mine).unwrap();
    let template = sandboard_tests::root().join("sample-engines/c-minimal/engine.c");
    fs::copy(template, mine.join("engine.c")).unwrap();
    let out = place.succeed("build mine --kind native");
    let told =
        "trusted, since it was built here: mine-native (undo: sandboard untrust mine-native)";
    assert!(out.contains(told), "{out}");
    place.check("mine-native", None);
    let json = trusted(&place);
    let grant = &json["grants"][1];
    let fields = ["id", "version", "how"].map(|field| grant[field].as_str().unwrap());
    assert_eq!(fields, ["mine-native", "0.1.0", "build"], "{json}");
    let pack = place.dir().join("mine").join(native_name("mine"));
    fs::copy(built(&native_name("faulty")), pack).unwrap();
    place.check("mine-native", Some(UNTRUSTED));
    place.succeed("untrust --all");
    let ended = place.run("check mine --kind native --step 1");
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains(told) && !ended.out.contains("trusted"), "{}", ended.err);
}

#[test]
fn grants_at_the_same_time_are_all_kept() {
    const COUNT: usize = 24;
    let home = Home::new();
    let hash = |number: usize| format!("{number:064x}");
    let grant = |number| {
        let mut command = home.command(&["trust", "--sha256", &hash(number)]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    };
    let granting: Vec<_> = (0..COUNT).map(grant).collect();
    for child in granting {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let json: Value = serde_json::from_str(&home.succeed(&["trust", "--json"], "")).unwrap();
    let grants = json["grants"].as_array().unwrap();
    let mut found: Vec<&str> = grants.iter().filter_map(|it| it["sha256"].as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, (0..COUNT).map(hash).collect::<Vec<_>>());
    let left = fs::read_dir(home.file("trust")).unwrap().count();
    assert_eq!(left, 2, "the file and its lock, and nothing half");
}

#[test]
fn the_file_is_as_the_docs_say() {
    let text = fs::read_to_string(sandboard_tests::root().join("docs/trust.md")).unwrap();
    let (_, block) = text.split_once("```json\n").expect("the docs show a file");
    let (block, _) = block.split_once("```").unwrap();
    let place = Place::new();
    place.succeed("trust native");
    let own = fs::read_to_string(place.store()).unwrap();
    let shape = |text: &str| {
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
        text.lines().map(|line| (line.find(|c| c != ' '), quoted(line))).collect::<Vec<_>>()
    };
    assert_eq!(shape(&own), shape(block), "{own}");
    fs::write(place.store(), block).unwrap();
    assert!(place.succeed("trust").contains("their-engine 1.2: by you, 2026-07-01T12:34:56Z"));
    let kept = format!("the last {} builds", sandboard_host::trust::BUILDS_KEPT);
    assert!(text.contains(&kept), "no {kept:?} in the docs");
}
