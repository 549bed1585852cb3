//! Makes the bill of materials in CycloneDX 1.6 (JSON): every crate and npm package that a release
//! is built from, with licence, checksum and what depends on it. The same inputs give the same
//! bytes.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The crates of one build, from `cargo tree`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Crates {
    /// The licence of each package, an SPDX expression.
    licences: BTreeMap<Id, String>,
    /// What each package depends on directly.
    dependencies: BTreeMap<Id, BTreeSet<Id>>,
}

/// Name and version of a package.
type Id = (String, String);

/// The arguments of `cargo tree` whose output [`Crates::add`] reads. `|` is in no name, version or
/// licence.
pub(super) const TREE: [&str; 8] =
    ["tree", "--locked", "--edges", "normal,build", "--prefix", "depth", "--format", "|{p}|{l}"];

impl Crates {
    /// Adds the output of `cargo tree`: a line for each package with its depth. A package that was
    /// there before ends with `(*)` and comes without its dependencies.
    pub(super) fn add(&mut self, tree: &str) -> Result<()> {
        let mut parents: Vec<Id> = Vec::new();
        for line in tree.lines().filter(|line| !line.is_empty()) {
            let (depth, id, licence) =
                tree_line(line).with_context(|| format!("cannot read `{line}` of `cargo tree`"))?;
            parents.truncate(depth);
            if let Some(parent) = parents.last() {
                self.dependencies.entry(parent.clone()).or_default().insert(id.clone());
            }
            self.licences.insert(id.clone(), licence.to_owned());
            parents.push(id);
        }
        Ok(())
    }
}

/// The parts of a line such as `2|clap_derive v4.6.7 (proc-macro)|MIT OR Apache-2.0 (*)`.
fn tree_line(line: &str) -> Option<(usize, Id, &str)> {
    let mut parts = line.splitn(3, '|');
    let depth = parts.next()?.parse().ok()?;
    let mut words = parts.next()?.split(' ');
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let licence = parts.next()?;
    let licence = licence.strip_suffix(" (*)").unwrap_or(licence);
    Some((depth, (name.to_owned(), version.to_owned()), licence))
}

/// The SHA-256 of each package of a `Cargo.lock` that comes from a registry.
fn checksums(lock: &str) -> BTreeMap<Id, String> {
    let mut sums = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let value = |line: &str| line.strip_prefix(key)?.strip_prefix(" = ").map(str::to_owned);
            package.lines().find_map(value).map(|value| value.trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(sum)) =
            (value("name"), value("version"), value("checksum"))
        {
            sums.insert((name, version), sum);
        }
    }
    sums
}

/// The npm packages of a lock file, by their folder.
#[derive(Deserialize)]
struct NpmLock {
    packages: BTreeMap<String, NpmPackage>,
}

#[derive(Deserialize)]
struct NpmPackage {
    version: Option<String>,
    license: Option<String>,
    /// `sha512-` and the hash in Base64.
    integrity: Option<String>,
    #[serde(default)]
    dev: bool,
}

/// Packages that npm counts as development tools, though their code is in the bundle: the runtime
/// of Svelte and what it imports.
const BUNDLED_TOOLS: [&str; 2] = ["svelte", "clsx"];

/// What a bill is made of.
pub(super) struct Inputs<'a> {
    pub version: &'a str,
    /// The time of the sources, in seconds since 1970.
    pub epoch: u64,
    pub crates: &'a Crates,
    pub cargo_lock: &'a str,
    pub npm_lock: &'a str,
}

impl Inputs<'_> {
    /// The bill as a text in JSON.
    pub(super) fn bill(&self) -> Result<String> {
        let mut components = self.cargo_components()?;
        components.extend(self.npm_components()?);
        let root = purl("cargo", "sandboard-cli", self.version);
        let mut dependencies: Vec<Value> = self
            .crates
            .dependencies
            .iter()
            .map(|((name, version), on)| {
                let on: Vec<String> =
                    on.iter().map(|(name, version)| purl("cargo", name, version)).collect();
                json!({ "ref": purl("cargo", name, version), "dependsOn": on })
            })
            .collect();
        dependencies.sort_by(|a, b| a["ref"].as_str().cmp(&b["ref"].as_str()));
        let mut bill = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {
                "timestamp": timestamp(self.epoch),
                "component": {
                    "type": "application",
                    "bom-ref": "sandboard",
                    "name": "sandboard",
                    "version": self.version,
                    "licenses": [{ "expression": "MIT OR Apache-2.0" }],
                    "purl": root,
                },
            },
            "components": components,
            "dependencies": dependencies,
        });
        bill["serialNumber"] = serial_number(&bill.to_string()).into();
        Ok(serde_json::to_string_pretty(&bill)? + "\n")
    }

    fn cargo_components(&self) -> Result<Vec<Value>> {
        let sums = checksums(self.cargo_lock);
        let mut components = Vec::new();
        for (id, licence) in &self.crates.licences {
            let (name, version) = id;
            if licence.is_empty() {
                bail!("the crate `{name}` {version} names no licence: add it to its Cargo.toml");
            }
            let hash = sums.get(id).map(|sum| ("SHA-256", sum.clone()));
            components.push(component("cargo", id, licence, hash));
        }
        Ok(components)
    }

    fn npm_components(&self) -> Result<Vec<Value>> {
        let lock: NpmLock =
            serde_json::from_str(self.npm_lock).context("cannot read package-lock.json")?;
        let mut components = Vec::new();
        for (folder, package) in &lock.packages {
            let Some(name) = folder.strip_prefix("node_modules/") else { continue };
            if package.dev && !BUNDLED_TOOLS.contains(&name) {
                continue;
            }
            let missing = |what| format!("package-lock.json has no {what} of `{name}`");
            let version = package.version.clone().with_context(|| missing("version"))?;
            let licence = package.license.as_deref().with_context(|| missing("licence"))?;
            let hash = package.integrity.as_deref().with_context(|| missing("integrity"))?;
            let hash = sha512(hash).with_context(|| missing("SHA-512"))?;
            let id = (name.to_owned(), version);
            components.push(component("npm", &id, licence, Some(("SHA-512", hash))));
        }
        Ok(components)
    }
}

fn component(
    kind: &str,
    (name, version): &Id,
    licence: &str,
    hash: Option<(&str, String)>,
) -> Value {
    let purl = purl(kind, name, version);
    // Old manifests write `MIT/Apache-2.0`, which is no SPDX expression.
    let licence = licence.replace('/', " OR ");
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": [{ "expression": licence }],
        "purl": purl,
    });
    if let Some((algorithm, content)) = hash {
        component["hashes"] = json!([{ "alg": algorithm, "content": content }]);
    }
    component
}

/// The package URL. A scope of npm begins with `@`, and a version can have a `+`.
fn purl(kind: &str, name: &str, version: &str) -> String {
    let escape = |text: &str| text.replace('@', "%40").replace('+', "%2B");
    format!("pkg:{kind}/{}@{}", escape(name), escape(version))
}

/// The hash of npm's `integrity` in hexadecimal digits.
fn sha512(integrity: &str) -> Option<String> {
    let text = integrity.strip_prefix("sha512-")?.trim_end_matches('=');
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (bytes.len() == 64).then(|| super::hex(&bytes))
}

/// A UUID of version 8 (RFC 9562), which is derived from the bill's text.
fn serial_number(text: &str) -> String {
    let mut bytes = Sha256::digest(text);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = super::hex(&bytes[..16]);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    format!("urn:uuid:{}", parts.join("-"))
}

/// A time in seconds since 1970 as in RFC 3339, in UTC.
fn timestamp(epoch: u64) -> String {
    let (mut days, seconds) = (epoch / 86_400, epoch % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{:02}Z", days + 1, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "0|sandboard-cli v1.2.3 (/build/host/cli)|MIT OR Apache-2.0\n\
                        1|a v0.1.0|MIT/Apache-2.0\n\
                        2|b v2.0.0+x (proc-macro)|ISC\n\
                        1|b v2.0.0+x (proc-macro)|ISC (*)\n\
                        1|c v3.0.0|Zlib\n\
                        \n\
                        0|sandboard-games v1.2.3 (/build/games)|MIT\n\
                        1|a v0.1.0|MIT/Apache-2.0 (*)\n";
    const CARGO_LOCK: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n\
                              source = \"registry\"\nchecksum = \"aa\"\n\n[[package]]\nname = \"a\"\n\
                              version = \"0.2.0\"\nchecksum = \"bb\"\n\n[[package]]\nname = \"c\"\n\
                              version = \"3.0.0\"\ndependencies = [\n \"checksum\",\n]\n";

    fn npm_lock() -> String {
        // The SHA-512 of nothing.
        let integrity = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7\
                         kxvUdBeoGlODJ6+SfaPg==";
        let package = |dev: bool| json!({ "version": "1.0.0", "license": "MIT", "dev": dev, "integrity": integrity });
        json!({ "packages": {
            "": { "version": "0.1.0" },
            "node_modules/@s/used": package(false),
            "node_modules/svelte": package(true),
            "node_modules/svelte-check": package(true),
            "node_modules/x/node_modules/svelte": package(true),
        }})
        .to_string()
    }

    fn bill(tree: &str, epoch: u64) -> Result<Value> {
        let mut crates = Crates::default();
        crates.add(tree)?;
        let npm_lock = npm_lock();
        let inputs = Inputs {
            version: "1.2.3",
            epoch,
            crates: &crates,
            cargo_lock: CARGO_LOCK,
            npm_lock: &npm_lock,
        };
        Ok(serde_json::from_str(&inputs.bill()?)?)
    }

    #[test]
    fn a_bill_has_the_fields_that_the_schema_requires() {
        let bill = bill(TREE, 0).expect("a bill");
        let check = |pointer: &str, expected: &str| {
            assert_eq!(bill.pointer(pointer), Some(&expected.into()), "{pointer}");
        };
        check("/bomFormat", "CycloneDX");
        check("/specVersion", "1.6");
        check("/metadata/timestamp", "1970-01-01T00:00:00Z");
        check("/metadata/component/name", "sandboard");
        check("/metadata/component/version", "1.2.3");
        assert_eq!(bill["version"], 1);
        let components = bill["components"].as_array().expect("components");
        assert!(components.iter().all(|it| it["type"] == "library" && it["name"].is_string()));
    }

    #[test]
    fn components_have_licence_and_checksum() {
        let bill = bill(TREE, 0).expect("a bill");
        let components = bill["components"].as_array().expect("components");
        let check = |purl: &str, licence: &str, hash: Option<(&str, &str)>| {
            let it = components.iter().find(|it| it["purl"] == purl).expect("a component");
            assert_eq!(it["licenses"], json!([{ "expression": licence }]), "{purl}");
            let expected = hash.map(|(alg, content)| (alg.into(), content.to_owned()));
            let found = it.get("hashes").map(|hashes| {
                let content = hashes[0]["content"].as_str().expect("a hash");
                (hashes[0]["alg"].clone(), content[..content.len().min(6)].to_owned())
            });
            assert_eq!(found, expected, "{purl}");
        };
        check("pkg:cargo/a@0.1.0", "MIT OR Apache-2.0", Some(("SHA-256", "aa")));
        check("pkg:cargo/b@2.0.0%2Bx", "ISC", None);
        check("pkg:cargo/c@3.0.0", "Zlib", None);
        check("pkg:cargo/sandboard-games@1.2.3", "MIT", None);
        check("pkg:npm/%40s/used@1.0.0", "MIT", Some(("SHA-512", "cf83e1")));
        check("pkg:npm/svelte@1.0.0", "MIT", Some(("SHA-512", "cf83e1")));
        // Neither tools nor other versions of the lock file.
        assert_eq!(components.len(), 7);
    }

    #[test]
    fn dependencies_are_those_of_the_tree() {
        let bill = bill(TREE, 0).expect("a bill");
        let a = "pkg:cargo/a@0.1.0";
        let b = "pkg:cargo/b@2.0.0%2Bx";
        let expected = json!([
            { "ref": a, "dependsOn": [b] },
            { "ref": "pkg:cargo/sandboard-cli@1.2.3", "dependsOn": [a, b, "pkg:cargo/c@3.0.0"] },
            { "ref": "pkg:cargo/sandboard-games@1.2.3", "dependsOn": [a] },
        ]);
        assert_eq!(bill["dependencies"], expected);
    }

    #[test]
    fn the_serial_number_follows_from_the_contents() {
        let number = |tree: &str, epoch| {
            let bill = bill(tree, epoch).expect("a bill");
            bill["serialNumber"].as_str().expect("a number").to_owned()
        };
        let base = number(TREE, 0);
        assert_eq!(number(TREE, 0), base);
        assert_ne!(number(TREE, 1), base);
        assert_ne!(number(&TREE.replace("c v3", "c v4"), 0), base);
        // The folder of a crate is no part of the bill.
        assert_eq!(number(&TREE.replace("/build", "/another"), 0), base);
        assert_eq!((base.len(), &base[..9], &base[23..24]), (45, "urn:uuid:", "8"));
        assert!("89ab".contains(&base[28..29]), "{base}");
    }

    #[test]
    fn damaged_inputs_are_errors() {
        let check = |tree: &str, expected: &str| {
            let error = bill(tree, 0).expect_err("an error").to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("0|a v1.0.0|", "`a` 1.0.0 names no licence");
        check("0|a v1.0.0", "`0|a v1.0.0`");
        check("x|a v1.0.0|MIT", "`x|a v1.0.0|MIT`");
        check("0|a 1.0.0|MIT", "`0|a 1.0.0|MIT`");
    }

    #[test]
    fn hashes_of_npm_are_decoded() {
        let check = |text: &str, expected: Option<usize>| {
            assert_eq!(sha512(text).map(|digits| digits.len()), expected, "{text}");
        };
        let digits = "A".repeat(86);
        check(&format!("sha512-{digits}=="), Some(128));
        check(&format!("sha512-{digits}"), Some(128));
        check(&format!("sha256-{digits}=="), None);
        check(&format!("sha512-{}", &digits[..84]), None);
        check(&format!("sha512-{digits}AA"), None);
        check(&format!("sha512-{}!==", &digits[..85]), None);
    }

    #[test]
    fn times_are_dates() {
        let check = |epoch, expected: &str| assert_eq!(timestamp(epoch), expected, "{epoch}");
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_399, "2000-02-28T23:59:59Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(951_868_800, "2000-03-01T00:00:00Z");
        check(1_700_000_000, "2023-11-14T22:13:20Z");
        check(1_735_689_599, "2024-12-31T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
