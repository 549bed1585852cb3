//! `sandboard trust`: grants native engines the right to run, by the hash of their module, or lists
//! the grants. Prints what it trusts, asks no questions, and loads nothing.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use serde_json::json;

use super::engines::{EngineArgs, Engines, shell_word};
use super::usage;
use sandboard_common::text::plain;
use sandboard_engine_wasm::scan::LoadCaps;
use sandboard_packs::catalog::{Catalog, Entry, inspect};
use sandboard_packs::manifest::ModuleKind;
use sandboard_packs::trust::{Grant, GrantSource, Grants, TrustStore, check_sha256};

const EXAMPLES: &str = "\
A native library or an external engine is machine code, so it runs only after you trust it. Then it
runs in a jail, except with `--native in-process`. You trust the bytes of one file, by their
SHA-256: under any name and in any folder the file stays trusted, until one byte changes.
WebAssembly engines run in a sandbox and need no trust. Engines that `sandboard build`, `dev` and
`check FOLDER` built from your own source are trusted, since the compiler ran with your rights
anyway. See docs/trust.md.

Examples:
  sandboard trust                          # list what is trusted, and whether it is present
  sandboard trust my-engine-native         # show the engine, and trust it
  sandboard trust my-engine-native-1.2 other-native
  sandboard trust my-engine-native --sha256 HEX    # only if this is its SHA-256
  sandboard trust --sha256 HEX             # a module that is not on this machine yet";

/// Trust native engines and programs by the hash of their module, or list the trusted ones
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engines to trust, by id or `id-version`; without any, list what is trusted
    #[arg(value_name = "ENGINE")]
    names: Vec<String>,
    /// Trust the module with this SHA-256, even if it is not present; with one ENGINE: trust that
    /// engine only if this is its hash
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    sha256: Vec<String>,
    /// Trust these native modules because they were just built on this machine, as
    /// `cargo xtask engines` does
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["names", "sha256"])]
    built: Vec<PathBuf>,
    /// Print one JSON object: {"store": …, "engines": […]}, or without ENGINE {"store": …,
    /// "grants": […]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Parses a SHA-256, in lower or upper case.
pub(super) fn sha256(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    check_sha256(&text).map(|()| text)
}

/// A module to trust.
#[derive(Debug, Serialize)]
struct Module {
    id: String,
    version: String,
    author: String,
    /// The file of the module; `None`: it is not present.
    file: Option<String>,
    bytes: Option<u64>,
    sha256: String,
    needs_trust: bool,
    /// Whether it is an executable program.
    #[serde(skip)]
    is_program: bool,
    /// Whether it was not trusted before.
    new: bool,
    /// Other engines with the same module.
    #[serde(rename = "other_engines")]
    others: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let store = TrustStore::of_user()?;
    if !args.built.is_empty() {
        return trust_built(args, &store);
    }
    let grants = store.read()?;
    if args.names.is_empty() && args.sha256.is_empty() {
        return list(args, &store, &grants);
    }
    // All modules are found before any is trusted.
    let modules = modules(args, &grants)?;
    let mut out = crate::output::stdout();
    if !args.json {
        modules.iter().try_for_each(|module| describe(&mut out, module))?;
        out.flush()?;
    }
    let native = modules.iter().filter(|module| module.needs_trust);
    let granted = native.map(|it| Grant::new(&it.sha256, &it.id, &it.version, GrantSource::User));
    let granted: Vec<Grant> = granted.collect();
    if !granted.is_empty() {
        store.change(|grants| {
            for grant in granted {
                grants.add(grant);
            }
        })?;
    }
    if args.json {
        writeln!(
            out,
            "{}",
            json!({ "store": store.file().to_string_lossy(), "engines": modules })
        )?;
        return Ok(());
    }
    for module in &modules {
        let name = module.name();
        let back = match module.id.is_empty() {
            true => format!("sandboard untrust --sha256 {}", module.sha256),
            false => format!("sandboard untrust {}", shell_word(&module.id)),
        };
        match (module.needs_trust, module.new) {
            (false, _) => {
                writeln!(
                    out,
                    "{name} is a WebAssembly engine; it runs in a sandbox and needs no trust"
                )?;
            }
            (true, true) => writeln!(out, "{name} is trusted from now on; undo: {back}")?,
            (true, false) => writeln!(out, "{name} is already trusted; undo: {back}")?,
        }
    }
    Ok(())
}

impl Module {
    fn of_entry(entry: &Entry, catalog: &Catalog, grants: &Grants) -> Self {
        let same = catalog.entries.iter().filter(|other| other.sha256 == entry.sha256);
        let other = same.filter(|other| (&other.id, &other.version) != (&entry.id, &entry.version));
        Self {
            id: entry.id.clone(),
            version: entry.version.clone(),
            author: entry.author.clone(),
            file: Some(entry.module.to_string_lossy().into_owned()),
            bytes: Some(entry.module_bytes),
            sha256: entry.sha256.clone(),
            needs_trust: entry.needs_trust(),
            is_program: entry.kind == Some(ModuleKind::External),
            new: entry.needs_trust() && grants.get(&entry.sha256).is_none(),
            others: other.map(|other| format!("{} {}", other.id, other.version)).collect(),
        }
    }

    /// A module of which only the hash is known.
    fn unseen(sha256: &str, grants: &Grants) -> Self {
        Self {
            id: String::new(),
            version: String::new(),
            author: String::new(),
            file: None,
            bytes: None,
            sha256: sha256.to_owned(),
            needs_trust: true,
            is_program: false,
            new: grants.get(sha256).is_none(),
            others: Vec::new(),
        }
    }

    fn name(&self) -> String {
        match self.id.is_empty() {
            true => format!("the module with the SHA-256 {}", self.sha256),
            false => plain(format!("{} {}", self.id, self.version).trim()),
        }
    }
}

/// The modules to trust. Err: an engine is missing or unusable, or has another hash.
fn modules(args: &Args, grants: &Grants) -> Result<Vec<Module>> {
    if args.names.is_empty() {
        // A hash can be trusted even without an engines folder.
        let catalog = Engines::open(&args.engines).map(|engines| engines.catalog);
        let catalog = match (catalog, &args.engines.engines_dir) {
            (Err(error), Some(_)) => return Err(error),
            (catalog, _) => catalog.unwrap_or_default(),
        };
        let module = |sha256: &String| match entry_of(&catalog, sha256) {
            Some(entry) => Module::of_entry(entry, &catalog, grants),
            None => Module::unseen(sha256, grants),
        };
        return Ok(args.sha256.iter().map(module).collect());
    }
    if !args.sha256.is_empty() && (args.names.len(), args.sha256.len()) != (1, 1) {
        return Err(usage("give one ENGINE with one --sha256, or only engines, or only hashes"));
    }
    let engines = Engines::open(&args.engines)?;
    let mut modules = Vec::new();
    for name in &args.names {
        let entry = engines.find(name)?;
        if let Some(wanted) = args.sha256.first().filter(|wanted| **wanted != entry.sha256) {
            return Err(anyhow!(
                "engine `{}` has the SHA-256 {}, not {wanted}: nothing was trusted; find out which \
                 one is right first",
                entry.id,
                entry.sha256
            ));
        }
        modules.push(Module::of_entry(&entry, &engines.catalog, grants));
    }
    Ok(modules)
}

/// The engine with this module, preferably a usable one.
fn entry_of<'a>(catalog: &'a Catalog, sha256: &str) -> Option<&'a Entry> {
    let same = || catalog.entries.iter().filter(|entry| entry.sha256 == sha256);
    same().find(|entry| entry.is_usable()).or_else(|| same().next())
}

fn describe(out: &mut impl Write, module: &Module) -> Result<()> {
    let author = match module.author.as_str() {
        "" => String::new(),
        author => format!(", by {}", plain(author)),
    };
    writeln!(out, "{}{author}", module.name())?;
    match (&module.file, module.bytes) {
        (Some(file), Some(bytes)) => {
            writeln!(out, "  file     {file} ({} KiB)", bytes.div_ceil(1024))?;
        }
        _ => writeln!(out, "  file     not in the engines folder")?,
    }
    if !module.others.is_empty() {
        writeln!(out, "  also     {}", plain(&module.others.join(", ")))?;
    }
    writeln!(out, "  SHA-256  {}", module.sha256)?;
    if module.is_program {
        writeln!(
            out,
            "  warning  a program: it is started in a jail for each game, with the arguments,"
        )?;
        writeln!(
            out,
            "           options and files of any pack's manifest; a jail is only as safe as the"
        )?;
        writeln!(
            out,
            "           kernel; this applies under any name, until one byte of the file changes"
        )?;
    } else if module.needs_trust {
        writeln!(
            out,
            "  warning  native code: it runs in a jail, which is only as safe as the kernel; with"
        )?;
        writeln!(
            out,
            "           `--native in-process` it runs with all your rights; this applies under any"
        )?;
        writeln!(out, "           name, until one byte of the file changes")?;
    }
    Ok(())
}

/// Trusts modules that were built on this machine; prints only the new ones.
fn trust_built(args: &Args, store: &TrustStore) -> Result<()> {
    let catalog = Engines::open(&args.engines).map(|engines| engines.catalog).unwrap_or_default();
    let mut granted = Vec::new();
    for file in &args.built {
        let wrong = |why: String| anyhow!("{} {why}", file.display());
        let facts = inspect(file, ModuleKind::Native, &LoadCaps::default()).map_err(wrong)?;
        if let Some(why) = facts.faults.into_iter().next() {
            return Err(wrong(why));
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let named = entry_of(&catalog, &facts.sha256);
        let (id, version) = named.map_or((&*stem, ""), |entry| (&*entry.id, &*entry.version));
        granted.push(Grant::new(&facts.sha256, id, version, GrantSource::Build));
    }
    let added = granted.clone();
    let new: Vec<bool> =
        store.change(|grants| added.into_iter().map(|grant| grants.add(grant)).collect())?;
    let mut out = crate::output::stdout();
    if args.json {
        let engines = granted.iter().zip(&new).map(|(grant, new)| {
            let mut value = serde_json::to_value(grant)?;
            value["new"] = (*new).into();
            Ok(value)
        });
        let engines = engines.collect::<Result<Vec<_>>>()?;
        writeln!(
            out,
            "{}",
            json!({ "store": store.file().to_string_lossy(), "engines": engines })
        )?;
        return Ok(());
    }
    for (grant, _) in granted.iter().zip(&new).filter(|(_, new)| **new) {
        let name = plain(format!("{} {}", grant.id, grant.version).trim());
        writeln!(out, "{name}: trusted, because built on this machine; SHA-256 {}", grant.sha256)?;
    }
    Ok(())
}

/// Lists what is trusted, and whether it is present.
fn list(args: &Args, store: &TrustStore, grants: &Grants) -> Result<()> {
    let engines = match Engines::open(&args.engines) {
        Err(error) if args.engines.engines_dir.is_some() => return Err(error),
        opened => opened.ok(),
    };
    let here = |grant: &Grant| -> Vec<String> {
        let entries = engines.iter().flat_map(|engines| &engines.catalog.entries);
        let same = entries.filter(|entry| entry.sha256 == grant.sha256);
        same.map(|entry| format!("{} {}", entry.id, entry.version)).collect()
    };
    let dir = engines.as_ref().map(|engines| engines.dir.to_string_lossy());
    let mut out = crate::output::stdout();
    if args.json {
        let grants = grants.as_slice().iter().map(|grant| {
            let mut value = serde_json::to_value(grant)?;
            let engines = here(grant);
            value["present"] = (!engines.is_empty()).into();
            value["engines"] = engines.into();
            Ok(value)
        });
        let grants = grants.collect::<Result<Vec<_>>>().context("cannot list the grants")?;
        let file = store.file();
        let file = file.to_string_lossy();
        writeln!(out, "{}", json!({ "store": file, "engines_dir": dir, "grants": grants }))?;
        return Ok(());
    }
    if grants.as_slice().is_empty() {
        writeln!(
            out,
            "no native engine is trusted; `sandboard list` shows which engines need trust"
        )?;
        return Ok(());
    }
    writeln!(out, "trusted modules (in {})", store.file().display())?;
    for grant in grants.as_slice() {
        let name = match grant.id.as_str() {
            "" => "unnamed module".to_owned(),
            id => plain(format!("{id} {}", grant.version).trim()),
        };
        let source = match grant.source {
            GrantSource::User => "trusted by you",
            GrantSource::Build => "built on this machine",
        };
        let place = match (here(grant).as_slice(), &dir) {
            (_, None) => "no engines folder found".to_owned(),
            ([], Some(dir)) => format!("not in {dir}"),
            (names, Some(dir)) => format!("in {dir} as {}", plain(&names.join(", "))),
        };
        writeln!(out, "\n  {name}: {source}, {}", plain(&grant.granted_at))?;
        writeln!(out, "    SHA-256 {}", grant.sha256)?;
        writeln!(out, "    {place}")?;
    }
    Ok(())
}
