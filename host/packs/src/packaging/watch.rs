//! Waits until a source folder is changed. Ignores files that builds write; builds nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use sandboard_builder::SourceFolder;

/// How long no file must change before a build begins: editors save in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// A message to a watcher.
enum Signal {
    Changed(PathBuf),
    /// The system dropped notifications: any file may have changed.
    EventsLost,
    Stop,
}

/// Stops a watcher, from any thread.
#[derive(Clone)]
pub struct Stopper(Sender<Signal>);

impl Stopper {
    /// Ends the current wait and all later ones.
    pub fn stop(&self) {
        // Fails only if the watcher is gone.
        let _ = self.0.send(Signal::Stop);
    }
}

/// Watches a source folder.
pub(super) struct SourceWatcher {
    watcher: RecommendedWatcher,
    /// The watched folders. Each is added only once: on some systems adding interrupts the watch.
    watched: BTreeSet<PathBuf>,
    signals: Receiver<Signal>,
    stopper: Stopper,
}

impl SourceWatcher {
    /// Begins to watch a source.
    pub(super) fn new(source: &SourceFolder) -> Result<Self> {
        let (sender, signals) = channel();
        let stopper = Stopper(sender.clone());
        let handler = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if event.need_rescan() {
                let _ = sender.send(Signal::EventsLost);
            } else if is_change(&event.kind) {
                for path in event.paths {
                    let _ = sender.send(Signal::Changed(path));
                }
            }
        };
        let watcher =
            notify::recommended_watcher(handler).context("this system cannot watch folders")?;
        let mut watch = Self { watcher, watched: BTreeSet::new(), signals, stopper };
        watch.watch_folders(source)?;
        Ok(watch)
    }

    /// A handle that stops this watcher from any thread.
    pub(super) fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits until a build input changes, and until no further change follows for [`QUIET`].
    /// Returns a changed file; none if the watcher was stopped.
    pub(super) fn next(&mut self, source: &SourceFolder) -> Result<Option<PathBuf>> {
        self.watch_folders(source)?;
        let mut changed: Option<PathBuf> = None;
        loop {
            let signal = match &changed {
                None => self.signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => self.signals.recv_timeout(QUIET),
            };
            match signal {
                Ok(Signal::EventsLost) => changed = changed.or(Some(source.folder().to_owned())),
                Ok(Signal::Changed(path)) if source.is_build_input(&path) => {
                    if self.watched.remove(&path) || path.is_dir() {
                        self.watch_folders(source)?;
                    }
                    // Editors first save under a temporary name, which soon disappears.
                    changed = changed.filter(|earlier| earlier.exists()).or(Some(path));
                }
                Ok(Signal::Changed(_)) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(changed),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Watches the source folder and its subfolders with build inputs, including new ones. Skips
    /// the output folders of builds, which may have a hundred thousand files.
    fn watch_folders(&mut self, source: &SourceFolder) -> Result<()> {
        let folder = source.folder();
        let failed = || format!("cannot watch {}", folder.display());
        if self.watched.insert(folder.to_owned()) {
            self.watcher.watch(folder, RecursiveMode::NonRecursive).with_context(failed)?;
        }
        for entry in std::fs::read_dir(folder).with_context(failed)?.flatten() {
            let path = entry.path();
            if path.is_dir() && source.is_build_input(&path) && !self.watched.contains(&path) {
                match self.watcher.watch(&path, RecursiveMode::Recursive) {
                    Ok(()) => drop(self.watched.insert(path)),
                    // The folder is gone again.
                    Err(_) if !path.exists() => {}
                    Err(error) => return Err(error).with_context(failed),
                }
            }
        }
        Ok(())
    }
}

/// Whether an event is a change. Reading a file is not, and compilers do that.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Modify(ModifyKind::Metadata(_)) => false,
        kind => kind.is_create() || kind.is_modify() || kind.is_remove(),
    }
}
