//! Programs as players of an arena, without an installation: `--engine cmd=PATH,proto=uci,…`. Their
//! packs are in the arena's folder, so that the arena can be resumed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow};
use sandboard_abi::GameSpec;
use sandboard_games::GameInfo;
use tempfile::TempDir;

use super::{foreign, time_control};
use crate::engines::{Engines, named_options};
use crate::output::error_line;
use crate::program::{self, MEMORY_BYTES, START_MS};
use crate::seat::{EngineSpec, PlayerSpec, SeatSpec};
use crate::{threads, usage};
use sandboard_common::jail_paths::PROGRAM_FOLDER;
use sandboard_common::suggestions::nearest;
use sandboard_engine::Budget;
use sandboard_packs::catalog::ASSET_BYTES_MAX;
use sandboard_packs::manifest::{PackLimits, ValueSpec};
use sandboard_packs::packaging::program::{ProgramSource, id_of_program, is_host_option};
use sandboard_protocols::uci::word_of;
use sandboard_protocols::{Dialect, Protocol, ProtocolConfig};

/// The folder of an arena's own packs, in the folder of the arena.
pub(super) const FOLDER: &str = "engines";
/// The word that means a person where a player is named.
const PERSON: &str = "human";
/// The option of UCI programs for the number of threads, which the host sets.
const THREADS_OPTION: &str = "threads";
/// The keys of `--engine`, for errors.
const KEYS: [&str; 16] = [
    "cmd", "proto", "name", "arg", "args", "dir", "file", "budget", "tc", "st", "depth", "plies",
    "nodes", "threads", "memory", "moves",
];

/// The programs that play without being installed.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct ProgramArgs {
    /// Let a program play that is not installed, after the players that are: `cmd=PATH`, and after
    /// commas `proto=uci`, `name=NAME`, `option.NAME=VALUE`, `arg=TEXT`, `dir=FOLDER` or
    /// `file=FILE` (files that it reads), `budget=` or `tc=`, `st=`, `depth=`, `nodes=` as in
    /// fastchess, `threads=N`, `memory=1GiB`. Needs --game and --trust-programs. May be repeated
    #[arg(long = "engine", value_name = "cmd=PATH,…")]
    programs: Vec<ProgramSpec>,
}

/// A program as a player, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramSpec {
    program: PathBuf,
    protocol: Protocol,
    dialect: Dialect,
    name: Option<String>,
    arguments: Vec<String>,
    files: Vec<PathBuf>,
    /// A folder whose files the program reads.
    folder: Option<PathBuf>,
    options: Vec<(String, String)>,
    budget: Option<Budget>,
    threads: u16,
    memory_bytes: u64,
}

impl FromStr for ProgramSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = Self {
            program: PathBuf::new(),
            protocol: Protocol::Uci,
            dialect: Dialect::Same,
            name: None,
            arguments: Vec::new(),
            files: Vec::new(),
            folder: None,
            options: Vec::new(),
            budget: None,
            threads: 1,
            memory_bytes: MEMORY_BYTES,
        };
        let (mut limits, mut keys_seen) = (Vec::new(), Vec::<String>::new());
        for part in split_at_commas(text) {
            let (key, value) =
                part.split_once('=').filter(|(_, value)| !value.is_empty()).ok_or_else(|| {
                    format!("`{part}` has no value: write KEY=VALUE, from {}", keys())
                })?;
            let value = value.to_owned();
            if keys_seen.contains(&key.to_owned()) && !["arg", "args", "file"].contains(&key) {
                return Err(format!("`{key}` is given twice"));
            }
            keys_seen.push(key.to_owned());
            match key {
                "cmd" => spec.program = value.into(),
                "proto" => spec.protocol = program::protocol(&value)?,
                "name" => spec.name = Some(value),
                "arg" => spec.arguments.push(value),
                "args" => spec.arguments.extend(value.split_whitespace().map(str::to_owned)),
                "dir" => spec.folder = Some(value.into()),
                "file" => spec.files.push(value.into()),
                "budget" => limits.push(value),
                "tc" => limits.push(time_control::of_tc(&value)?),
                "st" => limits.push(time_control::of_st(&value)?),
                "depth" | "plies" => limits.push(format!("depth:{value}")),
                "nodes" => limits.push(format!("nodes:{value}")),
                "threads" => spec.threads = threads::parse(&value)?,
                "memory" => spec.memory_bytes = program::memory_bytes(&value)?,
                "moves" => {
                    let dialect = Dialect::from_word(&value);
                    spec.dialect = dialect.ok_or("moves: write same or ranks-from-1")?;
                }
                _ => match key.strip_prefix("option.") {
                    Some(name) if name.eq_ignore_ascii_case(THREADS_OPTION) => {
                        spec.threads = threads::parse(&value)?;
                    }
                    Some(name) if !name.is_empty() => spec.options.push((name.to_owned(), value)),
                    _ => return Err(unknown_key(key)),
                },
            }
        }
        if spec.program.as_os_str().is_empty() {
            return Err("the program is missing: write cmd=PATH".into());
        }
        if !limits.is_empty() {
            let budget = limits.join(",").parse::<Budget>();
            spec.budget = Some(budget.map_err(|error| error.to_string())?);
        }
        Ok(spec)
    }
}

fn keys() -> String {
    format!("{}, option.NAME", KEYS.join(", "))
}

fn unknown_key(key: &str) -> String {
    if let Some(here) = foreign::here_in_engine(key) {
        return format!("`{key}` is no key here; {here}");
    }
    match nearest(key, KEYS) {
        Some(near) => format!("unknown key `{key}`; did you mean `{near}`?"),
        None => format!("unknown key `{key}`; known keys: {}", keys()),
    }
}

/// A value as [`split_at_commas`] reads it: a `\` before each comma and each `\`.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(',', "\\,")
}

/// Splits at each comma that no `\` precedes, and removes these `\`.
fn split_at_commas(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped =
            letter == '\\' && letters.peek().is_some_and(|next| [',', '\\'].contains(next));
        let (ends, letter) = match letter {
            ',' => (true, letter),
            _ if escaped => (false, letters.next().unwrap_or(letter)),
            _ => (false, letter),
        };
        match parts.last_mut() {
            Some(part) if !ends => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts
}

/// The packs of an arena's own engines, before the arena has a folder.
#[derive(Default)]
pub(crate) struct OwnPacks {
    folder: Option<TempDir>,
}

impl OwnPacks {
    /// A folder for packs.
    pub(super) fn create() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("sandboard-arena-").tempdir();
        Ok(Self { folder: Some(folder.context("cannot create a folder for packs")?) })
    }

    /// The folder, if there are packs.
    pub(super) fn path(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// Copies the packs into the folder of their arena.
    pub(super) fn store_in(&self, arena: &Path) -> Result<()> {
        let Some(from) = self.path() else { return Ok(()) };
        copy_folder(from, &arena.join(FOLDER))
            .with_context(|| format!("cannot store the engines of {}", arena.display()))
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &to)?,
            false => drop(fs::copy(entry.path(), to)?),
        }
    }
    Ok(())
}

/// Adds the packs that an arena keeps in its folder. `trusts`: its programs are trusted while this
/// process runs.
pub(super) fn add_stored(engines: &mut Engines, arena: &Path, trusts: bool) -> Result<()> {
    let folder = arena.join(FOLDER);
    if !folder.is_dir() {
        return Ok(());
    }
    let before = engines.catalog.entries.len();
    engines.add_folder(&folder, |entry| trusts && entry.needs_trust())?;
    for entry in &engines.catalog.entries[before..] {
        if entry.needs_trust() && !engines.loader().trusts(&entry.sha256)? {
            return Err(usage(format!(
                "{} has programs that run only after you trust them, such as {} (SHA-256 {}): \
                 trust them while it is played with --trust-programs",
                arena.display(),
                entry.id,
                entry.sha256
            )));
        }
    }
    Ok(())
}

impl ProgramArgs {
    /// Whether there are programs.
    pub(super) fn is_empty(&self) -> bool {
        self.programs.is_empty()
    }

    /// Asks and tries the programs, and makes their packs: the packs, and the programs as players.
    pub(super) fn prepare(
        &self,
        engines: &mut Engines,
        game: &'static GameInfo,
        trusts: bool,
    ) -> Result<(OwnPacks, Vec<SeatSpec>)> {
        if self.programs.is_empty() {
            return Ok((OwnPacks::default(), Vec::new()));
        }
        let packs = OwnPacks::create()?;
        let folder = packs.path().context("no folder for packs")?.to_owned();
        let mut players = Vec::with_capacity(self.programs.len());
        for spec in &self.programs {
            players.push(prepare(spec, engines, game, trusts, (&folder, &players))?);
        }
        engines.add_folder(&folder, |_| false)?;
        Ok((packs, players))
    }
}

/// Makes the pack of one program in `folder`; the program as a player.
fn prepare(
    spec: &ProgramSpec,
    engines: &mut Engines,
    game: &'static GameInfo,
    trusts: bool,
    (folder, others): (&Path, &[SeatSpec]),
) -> Result<SeatSpec> {
    let program = match &spec.folder {
        // As in fastchess, a relative path may begin in the folder.
        Some(folder) if spec.program.is_relative() && !spec.program.is_file() => {
            program::find(&folder.join(&spec.program))?
        }
        _ => program::find(&spec.program)?,
    };
    error_line!("asking {} for its options", program.display());
    let sha256 = program::hash(&program, engines.loader())?;
    if !trusts && !engines.loader().trusts(&sha256)? {
        return Err(usage(format!(
            "{} is a program, which runs in a jail after you trust it (its SHA-256 is {sha256}): \
             trust all programs of this arena while it is played with --trust-programs",
            program.display()
        )));
    }
    engines.trust_here(&sha256);
    let named = spec.name.as_deref().and_then(word_of);
    let id = named.or_else(|| id_of_program(&program)).unwrap_or_else(|| "program".to_owned());
    let id = unused_id(&id, |id| {
        let of_other = |seat: &SeatSpec| seat.engine().is_ok_and(|other| other.id == id);
        engines.catalog.entries.iter().any(|entry| entry.id == id) || others.iter().any(of_other)
    });
    let mut files = spec.files.clone();
    if let Some(folder) = &spec.folder {
        files.extend(files_of(folder)?);
    }
    let source = ProgramSource {
        id: id.clone(),
        name: spec.name.clone(),
        program,
        // Testers build the next version at the same path.
        is_copied: true,
        game: GameSpec { game: game.id.into(), variants: Vec::new() },
        protocol: ProtocolConfig {
            protocol: spec.protocol,
            dialect: spec.dialect,
            arguments: spec.arguments.clone(),
            ..ProtocolConfig::default()
        },
        limits: PackLimits {
            memory_bytes: Some(spec.memory_bytes),
            start_ms: Some(START_MS),
            ..PackLimits::default()
        },
        files,
        values: Vec::new(),
    };
    let (host_owned, options): (Vec<_>, Vec<_>) =
        spec.options.iter().cloned().partition(|(name, _)| is_host_option(name, spec.protocol));
    for (name, _) in host_owned {
        error_line!("note: {id}: the option {name} is set by the host, and left out");
    }
    for (name, value) in &options {
        if value.contains('/') && !Path::new(value).starts_with(PROGRAM_FOLDER) {
            error_line!(
                "note: {id}: {name}={value}: in its jail a program sees no file of this machine; \
                 give it the file with file=PATH, and name it {PROGRAM_FOLDER}/NAME"
            );
        }
    }
    let tried = program::make_pack(&source, engines.loader(), &folder.join(&id), &options)?;
    let engine = EngineSpec {
        id,
        options: named_options(&tried.entry, &options),
        options_file: None,
        threads: spec.threads,
        name: spec.name.clone(),
    };
    Ok(SeatSpec { player: PlayerSpec::Engine(engine), budget: spec.budget })
}

/// The id, with a number after it if it is taken or means a person.
fn unused_id(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u64..).map(|number| format!("{id}-{number}"));
    let mut all = std::iter::once(id.to_owned()).chain(numbered);
    all.find(|id| id != PERSON && !is_taken(id)).unwrap_or_default()
}

/// The files of a folder that a program may read: those that are no libraries and not too large,
/// whose names are words.
fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let unread = |error| anyhow!("{} cannot be read: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let facts = entry.metadata().map_err(unread)?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_library = entry.path().extension() == Some(OsStr::new("so"));
        let is_word = ValueSpec::Word.check(&entry.file_name().to_string_lossy()).is_ok();
        if facts.is_file() && is_word && !is_hidden && !is_library && facts.len() <= ASSET_BYTES_MAX
        {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_parsed() {
        let check = |text: &str, expected: &str| {
            let shown = text.parse::<ProgramSpec>().map_or_else(
                |error| error,
                |spec| {
                    let budget = spec.budget.map_or(String::new(), |it| format!(" @{it}"));
                    format!(
                        "{} {} {:?} {:?} {:?} on {} of {} MiB{budget}",
                        spec.program.display(),
                        spec.protocol.word(),
                        spec.name.unwrap_or_default(),
                        spec.arguments,
                        spec.options,
                        spec.threads,
                        spec.memory_bytes >> 20
                    )
                },
            );
            assert!(shown.starts_with(expected), "{text}: {shown}");
        };
        check("cmd=./sf", r#"./sf uci "" [] [] on 1 of 1024 MiB"#);
        check(
            "cmd=sf,proto=ucci,name=new,option.Hash=64,option.Skill Level=3,memory=64MiB",
            r#"sf ucci "new" [] [("Hash", "64"), ("Skill Level", "3")] on 1 of 64 MiB"#,
        );
        check(
            r"cmd=a\,b,args=-x  -y,arg=a b,option.Threads=4,tc=10+0.1",
            r#"a,b uci "" ["-x", "-y", "a b"] [] on 4 of 1024 MiB @10s+100ms"#,
        );
        check("cmd=a,st=0.5,depth=8", r#"a uci "" [] [] on 1 of 1024 MiB @500ms/move,depth:8"#);
        check("cmd=a,budget=nodes:1e6,threads=2", r#"a uci "" [] [] on 2 of 1024 MiB @nodes:1e6"#);
        check("proto=uci", "the program is missing: write cmd=PATH");
        check("cmd=a,proto=xboard", "known protocols: uci");
        check("cmd=", "`cmd=` has no value");
        check("./sf", "`./sf` has no value: write KEY=VALUE, from cmd, proto");
        check("cmd=a,nam=b", "unknown key `nam`; did you mean `name`?");
        check("cmd=a,restart=on", "`restart` is no key here; nothing: a crash loses the game");
        check("cmd=a,timemargin=9", "`timemargin` is no key here; --grace TIME");
        check("cmd=a,xyzzy=on", "unknown key `xyzzy`; known keys: cmd,");
        check("cmd=a,cmd=b", "`cmd` is given twice");
        check("cmd=a,option.A=1,option.A=2", "`option.A` is given twice");
        check("cmd=a,option.=1", "unknown key `option.`");
        check("cmd=a,tc=inf", "`tc=inf`: with an infinite time");
        check("cmd=a,tc=1,st=1", r#"a uci "" [] [] on 1 of 1024 MiB @1s/move,1s"#);
        check("cmd=a,threads=0", "threads: `0` is not a whole number from 1 to 64");
    }

    #[test]
    fn escaped_values_are_read_back() {
        for text in ["", ",", "a,b", "\\", "a\\,b", "\\\\,", "plain = value"] {
            assert_eq!(split_at_commas(&escaped(text)), [text], "{text}");
        }
    }

    #[test]
    fn ids_are_not_given_twice() {
        let mut taken = vec!["fish".to_owned(), "fish-2".to_owned()];
        for expected in ["fish-3", "fish-4"] {
            let id = unused_id("fish", |id| taken.iter().any(|other| other == id));
            assert_eq!(id, expected);
            taken.push(id);
        }
        assert_eq!(unused_id("bird", |_| false), "bird");
        assert_eq!(unused_id("human", |_| false), "human-2");
    }

    #[test]
    fn files_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.nnue", "a.txt", ".hidden", "lib.so", "two words"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        fs::create_dir(folder.path().join("deeper")).unwrap();
        let files = files_of(folder.path()).unwrap();
        let names: Vec<_> =
            files.iter().map(|it| it.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["a.txt", "b.nnue"]);
        assert!(files_of(&folder.path().join("none")).is_err());
    }
}
