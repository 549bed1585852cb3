//! The engines folder and how engines run, as arguments of commands: where the folder is, and the
//! loader that follows. Loads no engine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use super::shell_word;
use crate::usage;
use sandboard_common::files::data_folder;
use sandboard_engine_process::{CompileLimits, EngineProcesses};
use sandboard_engine_wasm::RuntimeOptions;
use sandboard_engine_wasm::scan::{CapSetting, LoadCaps, Profile};
use sandboard_jail::Layer;
use sandboard_packs::catalog::{Catalog, CatalogError};
use sandboard_packs::game_loader::GameLoader;
use sandboard_packs::loader::{Loader, NativePolicy};

/// The environment variable that names the engines folder.
const VARIABLE: &str = "SANDBOARD_ENGINES";
/// The name of the engines folder in a checkout of Sandboard.
const LOCAL: &str = "engines-dir";

/// The engines folder, and how engines run.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct EngineArgs {
    /// The engines folder [default: $SANDBOARD_ENGINES, else `engines-dir` here or in a parent
    /// folder, else `engines` in the user's data folder, else the engines of the installation]
    #[arg(long, value_name = "DIR")]
    pub engines_dir: Option<PathBuf>,
    /// How native libraries run: each game in a jailed process, inside this process with all your
    /// rights, or not at all
    #[arg(long, value_enum, default_value_t = NativeArg::Jailed)]
    pub native: NativeArg,
    /// Trust no engine: only wasm engines, each game in a jailed process, with strict caps on
    /// modules; fails if the jail is below the minimum for contests (see `sandboard doctor`)
    #[arg(long)]
    pub contest: bool,
    /// With --contest: run even if the jail is below the minimum, and note it in every record
    #[arg(long, requires = "contest")]
    pub below_minimum: bool,
    /// Disable a layer of the jail, to test a machine without it
    #[arg(long, hide = true, value_name = "LAYER", value_parser = crate::zygote::layer)]
    pub without_layer: Vec<Layer>,
    /// Change a cap on the modules of wasm engines; may be repeated (functions=80000, bytes=56MiB;
    /// docs/limits.md lists all names)
    #[arg(long = "cap", value_name = "NAME=NUMBER")]
    pub caps: Vec<CapSetting>,
}

/// The command-line form of [`NativePolicy`].
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NativeArg {
    /// Each game in a jailed process of its own (Linux)
    #[default]
    Jailed,
    /// Inside this process, with all your rights
    InProcess,
    /// Native libraries are not loaded
    Refuse,
}

/// The engines folder of an installation, beside the folder of this program.
fn installed_folder() -> Option<PathBuf> {
    installed_beside(&std::env::current_exe().ok()?)
}

/// As [`installed_folder`], for the program in this file: `<prefix>/share/sandboard/engines` for
/// `<prefix>/bin/sandboard`. None if it does not exist, or if the program is elsewhere.
fn installed_beside(program: &Path) -> Option<PathBuf> {
    let bin = program.parent().filter(|folder| folder.file_name().is_some_and(|it| it == "bin"))?;
    let folder = bin.parent()?.join("share").join("sandboard").join("engines");
    folder.is_dir().then_some(folder)
}

impl EngineArgs {
    /// The engines folder. Err: no folder was found; the error lists the places.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        if let Some(dir) = &self.engines_dir {
            return Ok(dir.clone());
        }
        if let Some(dir) = std::env::var_os(VARIABLE).filter(|dir| !dir.is_empty()) {
            return Ok(dir.into());
        }
        if Path::new(LOCAL).is_dir() {
            return Ok(LOCAL.into());
        }
        let here = std::env::current_dir().unwrap_or_default();
        if let Some(above) = here.ancestors().map(|at| at.join(LOCAL)).find(|dir| dir.is_dir()) {
            return Ok(above);
        }
        let default = data_folder()?.join("engines");
        if default.is_dir() {
            return Ok(default);
        }
        if let Some(installed) = installed_folder() {
            return Ok(installed);
        }
        bail!(
            "no engines folder found: neither {LOCAL}, here or in a parent folder, nor {} exists; \
             make one of them, or set --engines-dir or {VARIABLE}",
            default.display()
        )
    }

    /// The engines folder, for a command that puts an engine there. Err: as
    /// [`folder`](Self::folder), or the folder belongs to the installation, which the next version
    /// replaces.
    pub(crate) fn folder_to_change(&self) -> Result<PathBuf> {
        let folder = self.folder()?;
        if self.engines_dir.is_none() && installed_folder().is_some_and(|it| it == folder) {
            let own = data_folder()?.join("engines");
            let (folder, own) = (folder.to_string_lossy(), own.to_string_lossy());
            let (folder, own) = (shell_word(&folder), shell_word(&own));
            return Err(usage(format!(
                "you have no engines folder of your own, and {folder} belongs to the installation; \
                 copy it: cp -r {folder} {own}"
            )));
        }
        Ok(folder)
    }

    /// How native libraries run.
    pub(crate) fn native(&self) -> NativePolicy {
        match self.native {
            NativeArg::Jailed => NativePolicy::Jailed,
            NativeArg::InProcess => NativePolicy::InProcess,
            NativeArg::Refuse => NativePolicy::Refuse,
        }
    }

    /// The caps on modules that are compiled.
    pub(crate) fn load_caps(&self) -> LoadCaps {
        LoadCaps::for_profile(Profile::Everyday).with(&self.caps)
    }

    /// The catalog of an engines folder.
    pub(crate) fn catalog(&self, dir: &Path) -> Result<Catalog, CatalogError> {
        Catalog::scan(dir, &GameLoader::default().with_load_caps(self.load_caps()))
    }

    /// The loader for these arguments. Err: `--contest` without `--below-minimum` on a machine
    /// whose jail is below the minimum for contests.
    pub(crate) fn loader(&self) -> Result<Loader> {
        self.loader_with(RuntimeOptions::default())
    }

    /// As [`loader`](Self::loader), with these options for engines and games of WebAssembly.
    pub(crate) fn loader_with(&self, options: RuntimeOptions) -> Result<Loader> {
        let loader = self.loader_without_games()?.with_runtime(options);
        // A command that needs the folder reports what is wrong with it.
        let games = self
            .folder()
            .ok()
            .and_then(|dir| Catalog::scan_games(&dir, &loader.game_loader(self.load_caps())).ok());
        Ok(loader.with_games(games.unwrap_or_default()))
    }

    pub(super) fn loader_without_games(&self) -> Result<Loader> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        if !self.contest {
            let workers =
                EngineProcesses::new(program, CompileLimits::EVERYDAY, &self.without_layer);
            return Ok(Loader::new(self.native(), workers).with_load_caps(self.load_caps()));
        }
        let workers = EngineProcesses::new(program, CompileLimits::CONTEST, &self.without_layer);
        let missing = workers.below_minimum().map_err(|fault| {
            anyhow!("a contest needs jailed processes: {fault}; see `sandboard doctor`")
        })?;
        match missing {
            Some(missing) if !self.below_minimum => bail!(
                "this machine is not safe for a contest: {missing}; see `sandboard doctor`; \
                 --below-minimum plays it anyway, and notes that in every record"
            ),
            Some(missing) => log::warn!("the jail is below the minimum for contests: {missing}"),
            None => (),
        }
        let caps = LoadCaps::for_profile(Profile::Contest).with(&self.caps);
        Ok(Loader::for_contest(workers).with_load_caps(caps))
    }

    /// These options as arguments of a command, each after a blank.
    pub(crate) fn as_arguments(&self) -> String {
        let folder = self.engines_dir.iter().flat_map(|dir| {
            ["--engines-dir".to_owned(), shell_word(&dir.to_string_lossy()).to_string()]
        });
        folder.chain(self.others()).map(|word| format!(" {word}")).collect()
    }

    /// These options as the arguments of a process that uses this folder of engines.
    pub(crate) fn to_arguments(&self, folder: &Path) -> Vec<OsString> {
        let mut words = vec!["--engines-dir".into(), folder.into()];
        words.extend(self.others().into_iter().map(OsString::from));
        words.extend(self.without_layer.iter().flat_map(|layer| {
            ["--without-layer".to_owned(), layer.word().to_owned()].map(OsString::from)
        }));
        words
    }

    /// The options beside the engines folder, as words.
    fn others(&self) -> Vec<String> {
        let native = match self.native {
            NativeArg::Jailed => None,
            NativeArg::InProcess => Some("in-process"),
            NativeArg::Refuse => Some("refuse"),
        };
        let mut words = Vec::new();
        words.extend(native.into_iter().flat_map(|word| ["--native".into(), word.to_owned()]));
        words.extend(self.contest.then(|| "--contest".into()));
        words.extend(self.below_minimum.then(|| "--below-minimum".into()));
        words.extend(self.caps.iter().flat_map(|cap| ["--cap".into(), cap.to_string()]));
        words
    }
}
