//! Trust and the CLI: which commands refuse untrusted engines, and what `trust` and `untrust` do.

use std::fs;
use std::process::Stdio;

use sandboard_tests::{built, native_name};
use serde_json::Value;

use super::{TrustHome, UNTRUSTED, sha256_of};
use crate::cli::{CommandOutput, TestHome};

fn trusted(home: &TrustHome) -> Value {
    serde_json::from_str(&home.succeed("trust --json")).expect("it is JSON")
}

#[test]
fn each_state_of_the_store_has_its_effect() {
    let unknown = "is a native library, and whether it is trusted is unknown: ";
    let damaged = [unknown, "/grants.json:1:1: is not a list of grants: EOF"];
    let check = |prepare: fn(&TrustHome), native: Option<&[&str]>| {
        let home = TrustHome::new();
        prepare(&home);
        for why in native.unwrap_or_default() {
            home.check("native", Some(why));
        }
        if native.is_none() {
            home.check("native", None);
        }
        // A wasm engine needs no trust.
        home.check("wasm", None);
        home.succeed("list");
    };
    check(|_| (), Some(&[UNTRUSTED]));
    check(|home| drop(home.succeed("trust native")), None);
    check(|home| drop(home.succeed("trust native-1")), None);
    check(|home| drop(home.succeed("trust wasm")), Some(&[UNTRUSTED]));
    let another: fn(&TrustHome) = |home| {
        home.put("other-1", "faulty");
        home.succeed("trust other");
    };
    check(another, Some(&[UNTRUSTED]));
    let taken_back: fn(&TrustHome) = |home| {
        home.succeed("trust native");
        home.succeed("untrust native");
    };
    check(taken_back, Some(&[UNTRUSTED]));
    let broken: fn(&TrustHome) = |home| {
        home.succeed("trust native");
        fs::write(home.store(), "{").unwrap();
    };
    check(broken, Some(&[&damaged[..], &["sandboard untrust --all"]].concat()));
    let emptied: fn(&TrustHome) = |home| {
        home.succeed("trust native");
        fs::write(home.store(), "{").unwrap();
        home.succeed("untrust --all");
    };
    check(emptied, Some(&[UNTRUSTED]));
    #[cfg(unix)]
    {
        let open: fn(&TrustHome) = |home| {
            use std::os::unix::fs::PermissionsExt;
            home.succeed("trust native");
            fs::set_permissions(home.store(), fs::Permissions::from_mode(0o666)).unwrap();
        };
        check(open, Some(&[unknown, "grants.json can be written to by others; delete it"]));
    }
}

#[test]
fn every_command_that_runs_an_engine_requires_trust() {
    let home = TrustHome::new();
    let sha256 = sha256_of(&home.library("native-1"));
    fs::write(home.home.file("s.epd"), "5/5/5/oooo1/xxxx1 b bm e1; id \"a\";\n").unwrap();
    home.succeed("trust native");
    let seats = "--variant freestyle-5 --seat native --seat wasm --budget 10s/move";
    home.succeed(&format!("play gomoku {seats} --record b.json"));
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
        let CommandOutput { code, out, err } = home.run(words);
        (code, format!("{out}{err}"))
    };
    for words in &commands {
        let (code, output) = run(words);
        assert_eq!(code, Some(0), "{words}: {output}");
    }
    home.succeed("untrust native");
    for words in &commands {
        let (code, output) = run(words);
        assert_eq!(code, Some(1), "{words}: {output}");
        assert!(output.contains(&format!("{UNTRUSTED}{sha256}")), "{words}: {output}");
    }
}

#[test]
fn the_command_in_a_refusal_grants_trust() {
    let home = TrustHome::new();
    let CommandOutput { err, .. } = home.run("analyse native --budget 10s/move");
    let (_, command) = err.trim_end().rsplit_once("type: sandboard ").expect("a command");
    home.home.succeed(&command.split(' ').collect::<Vec<_>>(), "");
    home.check("native", None);
}

#[test]
fn trust_depends_on_the_bytes_only() {
    let home = TrustHome::new();
    home.succeed("trust native");
    let file = home.library("native-1");
    let whole = fs::read(&file).unwrap();
    // Appended bytes that the system's loader ignores.
    fs::write(&file, [&whole[..], b"\0"].concat()).unwrap();
    home.check("native", Some(UNTRUSTED));
    fs::write(&file, &whole).unwrap();
    home.check("native", None);
    // The same bytes under another name and through a link.
    fs::copy(&file, home.library("same-2")).unwrap();
    home.check("same", None);
    home.put("other-1", "faulty");
    home.check("other", Some(UNTRUSTED));
    #[cfg(unix)]
    {
        let link = home.library("link-1");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        home.check("link", None);
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(home.library("other-1"), &link).unwrap();
        home.check("link", Some(UNTRUSTED));
    }
    // Untrusting one name untrusts all names of the bytes.
    home.succeed("untrust same");
    home.check("native", Some(UNTRUSTED));
}

#[test]
fn grants_are_shown_before_and_listed_afterwards() {
    let home = TrustHome::new();
    let (file, sha256) = (home.library("native-1"), sha256_of(&home.library("native-1")));
    home.put("same-2", "random-mover");
    let size = format!("({} KiB)", fs::metadata(&file).unwrap().len().div_ceil(1024));
    let text = home.succeed("trust native");
    let mut rest = text.as_str();
    let shown = ["native 1\n", "/e/native-1.gomoku", &size, "also     same 2", &sha256];
    let more =
        ["it runs with all your rights", "trusted from now on", "undo: sandboard untrust native"];
    for part in shown.iter().chain(&more) {
        let at = rest.find(part).unwrap_or_else(|| panic!("no {part:?} in {rest}\nof {text}"));
        rest = &rest[at..];
    }
    assert!(home.succeed("trust native").contains("native 1 is already trusted"));
    let text = home.succeed("trust wasm");
    assert!(
        text.contains("wasm 1 is a WebAssembly engine; it runs in a sandbox and needs no trust"),
        "{text}"
    );

    let list = home.succeed("list");
    let line = |id: &str| list.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
    assert!(line("native 1").contains("native, trusted"), "{list}");
    assert!(line("same 2").contains("native, trusted"), "{list}");
    assert!(line("wasm 1").contains("wasm, sandboxed"), "{list}");

    let json = trusted(&home);
    let grants = json["grants"].as_array().unwrap();
    assert_eq!(grants.len(), 1, "{json}");
    assert_eq!((&grants[0]["sha256"], &grants[0]["source"]), (&sha256.into(), &"user".into()));
    assert_eq!(grants[0]["engines"], serde_json::json!(["native 1", "same 2"]));
    assert_eq!((&grants[0]["id"], &grants[0]["present"]), (&"native".into(), &true.into()));
    for name in ["native-1", "same-2"] {
        fs::remove_file(home.library(name)).unwrap();
    }
    assert_eq!(trusted(&home)["grants"][0]["present"], false);
    assert!(home.succeed("trust").contains("    not in e\n"));
    // By its previous name.
    assert!(home.succeed("untrust native-1").contains("native 1 is no longer trusted"));
    assert_eq!(trusted(&home)["grants"], serde_json::json!([]));
}

#[test]
fn a_hash_can_be_trusted_before_its_module_exists() {
    let home = TrustHome::new();
    let sha256 = sha256_of(&built(&native_name("faulty")));
    home.succeed(&format!("trust --sha256 {}", sha256.to_uppercase()));
    home.check("native", Some(UNTRUSTED));
    home.put("later-1", "faulty");
    home.check("later", None);
    home.succeed(&format!("untrust --sha256 {sha256}"));
    home.check("later", Some(UNTRUSTED));
    // Together with a name, the module must have this hash.
    let right = sha256_of(&home.library("native-1"));
    let CommandOutput { code, err, .. } = home.run(&format!("trust native --sha256 {sha256}"));
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains(&format!("has the SHA-256 {right}, not {sha256}: nothing was")), "{err}");
    home.check("native", Some(UNTRUSTED));
    home.succeed(&format!("trust native --sha256 {right}"));
    home.check("native", None);
}

#[test]
fn usage_errors_change_nothing() {
    let home = TrustHome::new();
    fs::write(home.library("broken-1"), b"not a library").unwrap();
    let check = |words: &str, code: i32, expected: &str| {
        let CommandOutput { code: found, out, err } = home.run(words);
        assert_eq!((found, out.as_str()), (Some(code), ""), "{words}: {err}");
        assert!(err.contains(expected), "{words}: no {expected:?} in {err}");
        assert!(!home.store().exists(), "{words}");
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
fn built_engines_are_trusted_with_one_message() {
    let home = TrustHome::new();
    let file = home.library("native-1");
    let sha256 = sha256_of(&file);
    let words = format!("trust --built {}", file.display());
    let output = format!("native 1: trusted, because built on this machine; SHA-256 {sha256}\n");
    assert_eq!(home.succeed(&words), output);
    assert_eq!(home.succeed(&words), "");
    assert_eq!(trusted(&home)["grants"][0]["source"], "build");
    home.check("native", None);

    // To describe a native-only build, `build` must run it, which needs trust.
    let mine = home.home.file("mine");
    fs::create_dir(&mine).unwrap();
    let template = sandboard_tests::root().join("sample-engines/c-minimal/engine.c");
    fs::copy(template, mine.join("engine.c")).unwrap();
    let out = home.succeed("build mine --kind native");
    let message =
        "trusted, because built on this machine: mine-native (undo: sandboard untrust mine-native)";
    assert!(out.contains(message), "{out}");
    home.check("mine-native", None);
    let json = trusted(&home);
    let grant = &json["grants"][1];
    let fields = ["id", "version", "source"].map(|field| grant[field].as_str().unwrap());
    assert_eq!(fields, ["mine-native", "0.1.0", "build"], "{json}");
    let pack = home.dir().join("mine").join(native_name("mine"));
    fs::copy(built(&native_name("faulty")), pack).unwrap();
    home.check("mine-native", Some(UNTRUSTED));
    home.succeed("untrust --all");
    let ended = home.run("check mine --kind native --step 1");
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains(message) && !ended.out.contains("trusted"), "{}", ended.err);
}

#[test]
fn concurrent_grants_are_all_stored() {
    const COUNT: usize = 24;
    let home = TestHome::new();
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
fn the_store_file_matches_the_docs() {
    let text = fs::read_to_string(sandboard_tests::root().join("docs/trust.md")).unwrap();
    let (_, block) = text.split_once("```json\n").expect("the docs show a file");
    let (block, _) = block.split_once("```").unwrap();
    let home = TrustHome::new();
    home.succeed("trust native");
    let own = fs::read_to_string(home.store()).unwrap();
    let shape = |text: &str| {
        let quoted = |line: &str| line.split('"').nth(1).map(str::to_owned);
        text.lines().map(|line| (line.find(|c| c != ' '), quoted(line))).collect::<Vec<_>>()
    };
    assert_eq!(shape(&own), shape(block), "{own}");
    fs::write(home.store(), block).unwrap();
    let listed = home.succeed("trust");
    let line = "their-engine 1.2: trusted by you, 2026-07-01T12:34:56Z";
    assert!(listed.contains(line), "{listed}");
    let kept = format!("the last {} builds", sandboard_packs::trust::BUILDS_KEPT);
    assert!(text.contains(&kept), "no {kept:?} in the docs");
}
