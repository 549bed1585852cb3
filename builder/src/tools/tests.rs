//! Every tool is pinned by hashes together with its dependencies; a missing pin is found.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::languages::LANGUAGES;

/// The faults in the hashes of a tool; empty if they are complete.
fn faults(tool: &Tool) -> Vec<String> {
    let pinned = match tool.registry {
        Registry::PyPi { wheels } => read_wheels(wheels),
        Registry::Npm { manifest, lock } => read_lock(manifest, lock),
    };
    let (package, mut faults) = pinned.unwrap_or_else(|fault| (String::new(), vec![fault]));
    if faults.is_empty() && package != format!("{} {}", tool.package, tool.version) {
        faults.push(format!("requests {package}"));
    }
    faults
}

/// The package with its version, and the faults of the file that pins it.
type Pinned = Result<(String, Vec<String>), String>;

fn read_wheels(text: &str) -> Pinned {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).filter(|w| *w != "\\").collect();
    let (first, hashes) = words.split_first().ok_or("is empty")?;
    let is_hash = |word: &&&str| {
        let digits = word.strip_prefix("--hash=sha256:").unwrap_or_default();
        digits.len() == 64 && digits.bytes().all(|it| it.is_ascii_hexdigit())
    };
    let bad = hashes.iter().filter(|word| !is_hash(word)).map(|word| format!("{word} is no hash"));
    let mut faults: Vec<String> = bad.collect();
    if hashes.iter().collect::<BTreeSet<_>>().len() != WHEEL_PLATFORMS.len() {
        faults.push("has no wheel for some system".to_owned());
    }
    Ok((first.replace("==", " "), faults))
}

fn read_lock(manifest: &str, lock: &str) -> Pinned {
    let read = |text| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
    let (manifest, lock) = (read(manifest)?, read(lock)?);
    let packages = lock["packages"].as_object().ok_or("has no packages")?;
    let requested = &lock["packages"][""]["dependencies"];
    let package = requested.as_object().and_then(|all| all.iter().next());
    let (name, version) = package.ok_or("requests nothing")?;
    let mut faults = Vec::new();
    if manifest["dependencies"] != *requested {
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
        // npm omits packages for other systems from a lock, and refuses the lock on those systems.
        let needed = ["dependencies", "optionalDependencies"].map(|kind| package[kind].as_object());
        for name in needed.into_iter().flatten().flat_map(|all| all.keys()) {
            if !packages.keys().any(|other| other.ends_with(&format!("node_modules/{name}"))) {
                faults.push(format!("{place} depends on {name}, which is missing"));
            }
        }
    }
    Ok((format!("{name} {}", version.as_str().unwrap_or_default()), faults))
}

#[test]
fn every_tool_is_pinned_by_hashes_with_its_dependencies() {
    for tool in LANGUAGES.iter().flat_map(|row| row.tools) {
        assert_eq!(faults(tool), <[&str; 0]>::default(), "{}", tool.package);
    }
}

#[test]
fn a_missing_pin_is_found() {
    let check = |tool: Tool, expected: &[&str]| assert_eq!(faults(&tool), expected);
    check(Tool { version: "0.17.2", ..ZIG }, &["requests ziglang 0.17.1"]);
    let hash = "--hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54";
    let twice = format!("ziglang==0.17.1 \\\n {hash} \\\n {hash}");
    let wheels = Registry::PyPi { wheels: twice.leak() };
    check(Tool { registry: wheels, ..ZIG }, &["has no wheel for some system"]);
    let npm = |find: &str, put: &str| {
        let Registry::Npm { manifest, lock } = ASSEMBLY_SCRIPT.registry else {
            panic!("it is npm's")
        };
        assert!(lock.contains(find));
        let lock = lock.replace(find, put).leak();
        Tool { registry: Registry::Npm { manifest, lock }, ..ASSEMBLY_SCRIPT }
    };
    check(npm("sha512-", "sha512-"), &[]);
    let without_hashes = [
        "node_modules/assemblyscript has no hash",
        "node_modules/binaryen has no hash",
        "node_modules/long has no hash",
    ];
    check(npm("sha512-", "sha1-"), &without_hashes);
    let placed = "\"resolved\": \"x\", \"version\": \"0.28.20\"";
    let with_address = ["node_modules/assemblyscript has an address"];
    check(npm("\"version\": \"0.28.20\"", placed), &with_address);
    let missing = ["node_modules/assemblyscript depends on long, which is missing"];
    check(npm("node_modules/long", "node_modules/short"), &missing);
    let other = ["is the lock of another package.json"];
    check(npm("\"assemblyscript\": \"0.28.20\"", "\"assemblyscript\": \"1\""), &other);
}

#[test]
fn a_system_without_a_wheel_is_refused() {
    let check = |os: &str, arch: &str, expected: Result<(), &str>| {
        let found = ZIG.check_platform(os, arch).map_err(|error| error.to_string());
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|it| *it));
    };
    check("linux", "x86_64", Ok(()));
    check("windows", "x86_64", Ok(()));
    let none = "PyPI has no wheel of ziglang 0.17.1 for this system, windows on aarch64, only for \
                Linux on x86-64, Linux on aarch64, macOS on aarch64, macOS on x86-64, Windows on \
                x86-64";
    check("windows", "aarch64", Err(none));
    let fails = |os: &str, arch: &str| ZIG.check_platform(os, arch).is_err();
    assert!(fails("linux", "riscv64") && fails("freebsd", "x86_64"));
}
