//! `sandboard trust`: which native engines may run. Shows what is granted before it grants
//! it, asks nothing and loads nothing; what counts is a module's hash and nothing else.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use serde_json::json;

use super::engines::{EngineArgs, Engines, shell_word};
use super::usage;
use crate::catalog::{Catalog, Entry, inspect};
use crate::engine::wasm::scan::LoadCaps;
use crate::manifest::{ModuleKind, plain};
use crate::trust::{Grant, Grants, How, Store, check_sha256};

const EXAMPLES: &str = "\
A native engine is a library that is loaded as it is: it can do whatever you can. So it runs only
when you have said that you would run it, and so does a program (kind `process`). Trust is in the bytes of one file, by their SHA-256:
under any name and in any folder it stays trusted, and with one byte changed it is not trusted
any more. WebAssembly engines run in a sandbox and need no trust. What `sandboard build`, `dev`
and `check FOLDER` have built from your own source is trusted, as its compilers ran with your
rights anyway. docs/trust.md says more.

Examples:
  sandboard trust                          what is trusted, and whether it is still there
  sandboard trust my-engine-native         shows what it is, and trusts it
  sandboard trust my-engine-native-1.2 other-native
  sandboard trust my-engine-native --sha256 HEX    only if that is its SHA-256
  sandboard trust --sha256 HEX             a module that is not here yet";

/// Trust native engines and programs by the hash of their module, or list what is trusted
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The engines to trust, by id or id-version; without any, what is trusted is listed
    #[arg(value_name = "ENGINE")]
    names: Vec<String>,
    /// Trust the module with this SHA-256, wherever it is; beside one ENGINE: trust that engine
    /// only if this is its hash
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    sha256: Vec<String>,
    /// Trust these native modules since they were just built here, as `cargo xtask engines` does
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["names", "sha256"])]
    built: Vec<PathBuf>,
    /// Print one JSON object: {"store": …, "engines": […]}, without ENGINE {"store": …, "grants": […]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// The hash as people hand it on, in upper case too.
pub(super) fn sha256(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    check_sha256(&text).map(|()| text)
}

/// A module that is to be trusted, and what is known of it.
#[derive(Debug, Serialize)]
struct Module {
    id: String,
    version: String,
    author: String,
    /// None: it is not here.
    file: Option<String>,
    bytes: Option<u64>,
    sha256: String,
    needs_trust: bool,
    /// Whether it is a program of its own.
    #[serde(skip)]
    is_program: bool,
    /// Whether it was not trusted before.
    new: bool,
    /// What else the same module is here.
    #[serde(rename = "also")]
    others: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let store = Store::of_user()?;
    if !args.built.is_empty() {
        return trust_built(args, &store);
    }
    let grants = store.read()?;
    if args.names.is_empty() && args.sha256.is_empty() {
        return list(args, &store, &grants);
    }
    // All of them are found before any of them is trusted.
    let modules = modules(args, &grants)?;
    let mut out = std::io::stdout().lock();
    if !args.json {
        modules.iter().try_for_each(|module| describe(&mut out, module))?;
        out.flush()?;
    }
    let native = modules.iter().filter(|module| module.needs_trust);
    let granted = native.map(|it| Grant::new(&it.sha256, &it.id, &it.version, How::Person));
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
                    "{name} is WebAssembly, in a sandbox: it needs no trust, and got none"
                )?;
            }
            (true, true) => writeln!(out, "{name} is trusted from now on; `{back}` takes it back")?,
            (true, false) => writeln!(out, "{name} was trusted already; `{back}` takes it back")?,
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
            is_program: entry.kind == Some(ModuleKind::Process),
            new: entry.needs_trust() && grants.of(&entry.sha256).is_none(),
            others: other.map(|other| format!("{} {}", other.id, other.version)).collect(),
        }
    }

    /// One of which nothing but the hash is known.
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
            new: grants.of(sha256).is_none(),
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

/// What is asked for. Err: something of it is not there, cannot be used, or is not what it
/// should be.
fn modules(args: &Args, grants: &Grants) -> Result<Vec<Module>> {
    if args.names.is_empty() {
        // A module that is not here may be trusted where there is no folder, too.
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
        return Err(usage("give one ENGINE with one --sha256, or engines and hashes apart"));
    }
    let engines = Engines::open(&args.engines)?;
    let mut modules = Vec::new();
    for name in &args.names {
        let entry = engines.find(name)?;
        if let Some(wanted) = args.sha256.first().filter(|wanted| **wanted != entry.sha256) {
            return Err(anyhow!(
                "engine `{}` has the SHA-256 {}, not {wanted}: nothing was trusted; find out which \
                 of the two is wrong before you trust it",
                entry.id,
                entry.sha256
            ));
        }
        modules.push(Module::of_entry(&entry, &engines.catalog, grants));
    }
    Ok(modules)
}

/// The engine with this module, a usable one if there is one.
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
            "  means    a program: in a jail it is started for each game, with whatever"
        )?;
        writeln!(
            out,
            "           arguments, options and files any pack's manifest gives it; a jail is as"
        )?;
        writeln!(
            out,
            "           good as the kernel under it; under any name, until one byte of it changes"
        )?;
    } else if module.needs_trust {
        writeln!(
            out,
            "  means    native code: whenever it is loaded it can do whatever you can, to"
        )?;
        writeln!(out, "           your files, too; under any name, until one byte of it changes")?;
    }
    Ok(())
}

/// Trusts modules as built here, quietly where they are trusted already.
fn trust_built(args: &Args, store: &Store) -> Result<()> {
    let catalog = Engines::open(&args.engines).map(|engines| engines.catalog).unwrap_or_default();
    let mut granted = Vec::new();
    for file in &args.built {
        let wrong = |why: String| anyhow!("{} {why}", file.display());
        let facts = inspect(file, ModuleKind::Native, &LoadCaps::default()).map_err(wrong)?;
        if let Some(why) = facts.wrongs.into_iter().next() {
            return Err(wrong(why));
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let named = entry_of(&catalog, &facts.sha256);
        let (id, version) = named.map_or((&*stem, ""), |entry| (&*entry.id, &*entry.version));
        granted.push(Grant::new(&facts.sha256, id, version, How::Build));
    }
    let added = granted.clone();
    let new: Vec<bool> =
        store.change(|grants| added.into_iter().map(|grant| grants.add(grant)).collect())?;
    let mut out = std::io::stdout().lock();
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
        writeln!(out, "{name}: trusted, since it was built here; SHA-256 {}", grant.sha256)?;
    }
    Ok(())
}

/// What is trusted, and whether it is still there.
fn list(args: &Args, store: &Store, grants: &Grants) -> Result<()> {
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
    let mut out = std::io::stdout().lock();
    if args.json {
        let grants = grants.all().iter().map(|grant| {
            let mut value = serde_json::to_value(grant)?;
            let engines = here(grant);
            value["present"] = (!engines.is_empty()).into();
            value["engines"] = engines.into();
            Ok(value)
        });
        let grants = grants.collect::<Result<Vec<_>>>().context("cannot list what is trusted")?;
        let file = store.file();
        let file = file.to_string_lossy();
        writeln!(out, "{}", json!({ "store": file, "engines_dir": dir, "grants": grants }))?;
        return Ok(());
    }
    if grants.all().is_empty() {
        writeln!(out, "no native engine is trusted; `sandboard list` shows which ones need it")?;
        return Ok(());
    }
    writeln!(out, "trusted, as {} says", store.file().display())?;
    for grant in grants.all() {
        let name = match grant.id.as_str() {
            "" => "of no known name".to_owned(),
            id => plain(format!("{id} {}", grant.version).trim()),
        };
        let how = match grant.how {
            How::Person => "by you",
            How::Build => "built here",
        };
        let place = match (here(grant).as_slice(), &dir) {
            (_, None) => "there is no engines folder".to_owned(),
            ([], Some(dir)) => format!("not in {dir}"),
            (names, Some(dir)) => format!("in {dir} as {}", plain(&names.join(", "))),
        };
        writeln!(out, "\n  {name}: {how}, {}", plain(&grant.when))?;
        writeln!(out, "    SHA-256 {}", grant.sha256)?;
        writeln!(out, "    {place}")?;
    }
    Ok(())
}
