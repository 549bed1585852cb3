//! Builds an engine at each save and lets the last good build override the installed
//! one, until it is stopped. What happens goes to an ear; the command line prints it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use sandboard_forge::Source;

pub use super::watch::Stopper;

use super::watch::Watch;
use super::{Built, Order, make};
use crate::catalog::Override;
use crate::loader::Loader;

/// What happens in a session.
#[derive(Debug)]
pub enum Event<'a> {
    /// A build begins; the file that changed, if it is not the first.
    Building(Option<&'a Path>),
    /// It is done: these engines are used from the next game on.
    Ready {
        /// The engines.
        built: &'a Built,
        /// What the build took.
        took: Duration,
    },
    /// It failed. The last good build stays in use, if there is one.
    Failed {
        /// Why.
        error: &'a anyhow::Error,
        /// Whether there is a good build.
        keeps: bool,
    },
}

/// A session that works on one engine.
pub struct Session {
    source: Source,
    order: Order,
    loader: Loader,
    watch: Watch,
    claim: Override,
    folder: PathBuf,
}

impl Session {
    /// Begins to watch, and claims the engine's name in the engines folder. Err: another
    /// process works on it, or a folder cannot be watched or written.
    pub fn begin(source: Source, order: Order, loader: Loader, engines_dir: &Path) -> Result<Self> {
        let watch = Watch::new(&source)?;
        let claim = Override::claim(engines_dir, source.name()?)?;
        let folder = source.folder().to_owned();
        Ok(Self { source, order, loader, watch, claim, folder })
    }

    /// What ends it, from any thread.
    pub fn stopper(&self) -> Stopper {
        self.watch.stopper()
    }

    /// Builds, and again at each save, until it is stopped. The engines that it overrode
    /// are back when this returns.
    pub fn run(mut self, tell: &mut dyn FnMut(Event) -> Result<()>) -> Result<()> {
        let mut good = false;
        let mut changed = None;
        loop {
            tell(Event::Building(changed.as_deref()))?;
            let begun = Instant::now();
            match self.build() {
                Ok(built) => {
                    good = true;
                    tell(Event::Ready { built: &built, took: begun.elapsed() })?;
                }
                Err(error) => tell(Event::Failed { error: &error, keeps: good })?,
            }
            changed = self.watch.next(&self.source)?;
            if changed.is_none() {
                return Ok(());
            }
        }
    }

    fn build(&mut self) -> Result<Built> {
        // What the folder is may have changed, too: its manifest, its dependencies.
        self.source = Source::open(&self.folder)?;
        let next = self.claim.next()?;
        let built = make(&self.source, self.order, &self.loader, &next)?;
        self.claim.publish()?;
        Ok(built)
    }
}
