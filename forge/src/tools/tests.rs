//! That every tool is pinned with all that it stands on, and that what is not is noticed.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::languages::LANGUAGES;

/// What is wrong with the hashes of a tool; empty: nothing.
fn faults(tool: &Tool) -> Vec<String> {
    let asked = match tool.registry {
        Registry::PyPi { wheels } => of_wheels(wheels),
        Registry::Npm { manifest, lock } => of_lock(manifest, lock),
    };
    let (asked, mut faults) = asked.unwrap_or_else(|fault| (String::new(), vec![fault]));
    if faults.is_empty() && asked != format!("{} {}", tool.package, tool.version) {
        faults.push(format!("asks for {asked}"));
    }
    faults
}

type Asked = Result<(String, Vec<String>), String>;

fn of_wheels(text: &str) -> Asked {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).filter(|w| *w != "\\").collect();
    let (first, hashes) = words.split_first().ok_or("is empty")?;
    let is_hash = |word: &&&str| {
        let digits = word.strip_prefix("--hash=sha256:").unwrap_or_default();
        digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit())
    };
    let bad = hashes.iter().filter(|word| !is_hash(word)).map(|word| format!("{word} is no hash"));
    let mut faults: Vec<String> = bad.collect();
    if hashes.iter().collect::<BTreeSet<_>>().len() != WHEELS_FOR.len() {
        faults.push("has not a wheel for each system".to_owned());
    }
    Ok((first.replace("==", " "), faults))
}

fn of_lock(manifest: &str, lock: &str) -> Asked {
    let read = |text| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    let (manifest, lock) = (read(manifest)?, read(lock)?);
    let packages = lock["packages"].as_object().ok_or("has no packages")?;
    let of_root = &lock["packages"][""]["dependencies"];
    let asked = of_root.as_object().and_then(|all| all.iter().next()).ok_or("asks for nothing")?;
    let mut faults = Vec::new();
    if manifest["dependencies"] != *of_root {
        faults.push("is the lock of another package.json".to_owned());
    }
    for (place, package) in packages.iter().filter(|(place, _)| !place.is_empty()) {
        let hash = package["integrity"].as_str().unwrap_or_default();
        if !hash.starts_with("sha512-") {
            faults.push(format!("{place} has no hash"));
        }
        if package.get("resolved").is_some() {
            faults.push(format!("{place} has an address"));
        }
        // npm leaves out what it does not find for another system, and refuses the lock there.
        let named = ["dependencies", "optionalDependencies"].map(|kind| package[kind].as_object());
        for name in named.into_iter().flatten().flat_map(|all| all.keys()) {
            if !packages.keys().any(|other| other.ends_with(&format!("node_modules/{name}"))) {
                faults.push(format!("{place} stands on {name}, which is not there"));
            }
        }
    }
    Ok((format!("{} {}", asked.0, asked.1.as_str().unwrap_or_default()), faults))
}

#[test]
fn every_tool_is_held_against_hashes_with_all_that_it_stands_on() {
    for tool in LANGUAGES.iter().flat_map(|row| row.tools) {
        assert_eq!(faults(tool), <[&str; 0]>::default(), "{}", tool.package);
    }
}

#[test]
fn what_is_not_held_is_noticed() {
    let check = |tool: Tool, expected: &[&str]| assert_eq!(faults(&tool), expected);
    check(Tool { version: "0.17.2", ..ZIG }, &["asks for ziglang 0.17.1"]);
    let hash = "--hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54";
    let twice = format!("ziglang==0.17.1 \\\n {hash} \\\n {hash}");
    let wheels = Registry::PyPi { wheels: twice.leak() };
    check(Tool { registry: wheels, ..ZIG }, &["has not a wheel for each system"]);
    let npm = |find: &str, put: &str| {
        let Registry::Npm { manifest, lock } = ASSEMBLY_SCRIPT.registry else {
            panic!("it is npm's")
        };
        assert!(lock.contains(find));
        let lock = lock.replace(find, put).leak();
        Tool { registry: Registry::Npm { manifest, lock }, ..ASSEMBLY_SCRIPT }
    };
    check(npm("sha512-", "sha512-"), &[]);
    let unheld = [
        "node_modules/assemblyscript has no hash",
        "node_modules/binaryen has no hash",
        "node_modules/long has no hash",
    ];
    check(npm("sha512-", "sha1-"), &unheld);
    let placed = "\"resolved\": \"x\", \"version\": \"0.28.20\"";
    let unasked = ["node_modules/assemblyscript has an address"];
    check(npm("\"version\": \"0.28.20\"", placed), &unasked);
    let missing = ["node_modules/assemblyscript stands on long, which is not there"];
    check(npm("node_modules/long", "node_modules/short"), &missing);
    let other = ["is the lock of another package.json"];
    check(npm("\"assemblyscript\": \"0.28.20\"", "\"assemblyscript\": \"1\""), &other);
}

#[test]
fn where_there_is_no_wheel_it_is_said() {
    let check = |os: &str, arch: &str, expected: Result<(), &str>| {
        let found = ZIG.suits(os, arch).map_err(|error| error.to_string());
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|it| *it));
    };
    check("linux", "x86_64", Ok(()));
    check("windows", "x86_64", Ok(()));
    let none = "there is no wheel of ziglang 0.17.1 for this system, windows on aarch64, only for Linux on x86-64, \
                Linux on aarch64, macOS on aarch64, macOS on x86-64, Windows on x86-64";
    check("windows", "aarch64", Err(none));
    assert!(ZIG.suits("linux", "riscv64").is_err() && ZIG.suits("freebsd", "x86_64").is_err());
}
