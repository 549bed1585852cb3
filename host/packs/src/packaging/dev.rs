//! Rebuilds an engine whenever its source is saved. The last good build overrides the installed
//! engine until the session is stopped. Reports events to a callback and prints nothing.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use sandboard_builder::SourceFolder;

pub use super::watch::Stopper;

use super::own_manifest::OwnManifest;
use super::watch::SourceWatcher;
use super::{BuildOptions, BuildReport, build_pack};
use crate::catalog::OverrideClaim;
use crate::loader::Loader;

/// An event of a session.
#[derive(Debug)]
pub enum DevEvent<'a> {
    /// A build begins. Except for the first build, with the file that changed.
    Building(Option<&'a Path>),
    /// A build succeeded; its engines are used from the next game on.
    Ready {
        built: &'a BuildReport,
        /// The duration of the build.
        duration: Duration,
    },
    /// A build failed. The last good build stays in use, if there is one.
    Failed {
        error: &'a anyhow::Error,
        /// Whether an earlier build of this session succeeded.
        has_good_build: bool,
    },
}

/// A development session for one engine.
pub struct DevSession {
    source: SourceFolder,
    options: BuildOptions,
    loader: Loader,
    watcher: SourceWatcher,
    claim: OverrideClaim,
    folder: PathBuf,
}

impl DevSession {
    /// Begins to watch the source, and claims the engine's name in the engines folder. Err: the
    /// source has a game, another session has the name, or a folder cannot be watched or written.
    pub fn begin(
        source: SourceFolder,
        options: BuildOptions,
        loader: Loader,
        engines_dir: &Path,
    ) -> Result<Self> {
        refuse_game(&source, &loader)?;
        let watcher = SourceWatcher::new(&source)?;
        let claim = OverrideClaim::claim(engines_dir, source.name()?)?;
        let folder = source.folder().to_owned();
        Ok(Self { source, options, loader, watcher, claim, folder })
    }

    /// A handle that stops the session from any thread.
    pub fn stopper(&self) -> Stopper {
        self.watcher.stopper()
    }

    /// Builds now and after each save, until the session is stopped. After the return the installed
    /// engines are used again.
    pub fn run(mut self, on_event: &mut dyn FnMut(DevEvent) -> Result<()>) -> Result<()> {
        let mut good = false;
        let mut changed = None;
        loop {
            on_event(DevEvent::Building(changed.as_deref()))?;
            let begun = Instant::now();
            match self.build() {
                Ok(built) => {
                    good = true;
                    on_event(DevEvent::Ready { built: &built, duration: begun.elapsed() })?;
                }
                Err(error) => on_event(DevEvent::Failed { error: &error, has_good_build: good })?,
            }
            changed = self.watcher.next(&self.source)?;
            if changed.is_none() {
                return Ok(());
            }
        }
    }

    fn build(&mut self) -> Result<BuildReport> {
        // The manifest and the dependencies may have changed, too.
        self.source = SourceFolder::open(&self.folder)?;
        refuse_game(&self.source, &self.loader)?;
        let next = self.claim.create_build_folder()?;
        let built = build_pack(&self.source, self.options, &self.loader, &next)?;
        self.claim.publish()?;
        Ok(built)
    }
}

/// Refuses the source of a game: a session overrides engines only, by their names. A manifest with
/// faults is reported by the build.
fn refuse_game(source: &SourceFolder, loader: &Loader) -> Result<()> {
    let has_game = OwnManifest::read(source, loader.games())
        .is_ok_and(|own| own.is_some_and(|own| own.has_game()));
    let folder = source.folder().display();
    ensure!(
        !has_game,
        "the manifest of {folder} has a game; use `sandboard build` after each change of it"
    );
    Ok(())
}
