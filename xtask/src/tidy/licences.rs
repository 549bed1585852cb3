//! Rules over packages of other projects: each is from crates.io, under a licence that deny.toml
//! allows. Reads the answer of `cargo metadata`, not manifests.

use sandboard_builder::metadata::Metadata;

use super::Finding;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Every package of the lock file comes from crates.io under a licence that deny.toml allows.
pub(super) fn origins(metadata: &Metadata, deny: &str) -> Vec<Finding> {
    let allowed = allowed_licences(deny);
    if allowed.is_empty() {
        return vec![Finding::new("deny.toml", 1, "[licenses] allows nothing")];
    }
    let mut findings = Vec::new();
    for package in &metadata.packages {
        let name = format!("`{}` {}", package.name, package.version);
        let mut found = |message: String| findings.push(Finding::new("Cargo.lock", 1, message));
        match package.source.as_deref() {
            None if metadata.workspace_members.contains(&package.id) => {}
            Some(CRATES_IO) => {}
            None => found(format!("{name} is a path outside the workspace")),
            Some(source) => found(format!("{name} comes from {source}, not from crates.io")),
        }
        match package.license.as_deref() {
            None => found(format!("{name} has no licence")),
            Some(licence) if !satisfied(licence, &allowed) => {
                found(format!("{name} is under {licence}, which deny.toml does not allow"));
            }
            Some(_) => {}
        }
    }
    findings
}

/// The quoted words of `allow = […]` in the section `[licenses]`.
pub(super) fn allowed_licences(deny: &str) -> Vec<&str> {
    let lines = deny.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let section = lines.skip_while(|line| *line != "[licenses]").skip(1);
    let section = section.take_while(|line| !line.starts_with('['));
    let list = section.skip_while(|line| !line.starts_with("allow"));
    let mut words = Vec::new();
    for line in list {
        words.extend(line.split('"').skip(1).step_by(2));
        if line.contains(']') {
            break;
        }
    }
    words
}

/// Whether licences of the list satisfy an SPDX expression: one side of
/// `OR` (old crates write `/`), both sides of `AND`.
pub(super) fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.either() == Some(true) && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [&'a str],
}

impl Parser<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.take("OR") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.either()?;
            return self.take(")").then_some(met);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        if self.take("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            return Some(self.allowed.contains(&format!("{name} WITH {exception}").as_str()));
        }
        Some(self.allowed.contains(name))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_read_as_expressions() {
        let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"];
        let check = |expression, expected| {
            assert_eq!(satisfied(expression, &allowed), expected, "{expression}");
        };
        check("MIT", true);
        check("MIT/Apache-2.0", true);
        check("MIT OR GPL-3.0", true);
        check("MIT AND GPL-3.0", false);
        check("(MIT OR GPL-3.0) AND Apache-2.0", true);
        check("MIT OR GPL-3.0 AND GPL-2.0", true);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("MIT WITH LLVM-exception", false);
        check("MIT-0", false);
        check("", false);
        check("(MIT", false);
        check("MIT OR", false);
        check("MIT Apache-2.0", false);
    }

    #[test]
    fn the_allowed_licences_are_those_of_deny_toml() {
        let deny = "[bans]\nallow = [\"x\"]\n[licenses]\n# \"GPL\"\nallow = [\n  \"MIT\", # \"c\"\n  \"ISC\",\n]\nother = [\"y\"]\n";
        assert_eq!(allowed_licences(deny), ["MIT", "ISC"]);
        assert_eq!(allowed_licences("[bans]\nallow = [\"x\"]"), [""; 0]);
    }
}
