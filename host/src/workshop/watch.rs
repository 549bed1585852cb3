//! Waits for a source to be saved. Knows what concerns a build and what builds
//! write themselves; builds nothing.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use sandboard_forge::Source;

/// Editors save in several steps, and some save many files: a build waits for this much quiet.
const QUIET: Duration = Duration::from_millis(100);

/// What comes to a watch.
enum Signal {
    Changed(PathBuf),
    /// The system could not keep up: anything may have changed.
    Overrun,
    Stop,
}

/// Ends the waiting for a save, from any thread.
#[derive(Clone)]
pub struct Stopper(Sender<Signal>);

impl Stopper {
    /// Whoever waits, now or later, waits no longer.
    pub fn stop(&self) {
        // A watch that is gone waits for nothing.
        let _ = self.0.send(Signal::Stop);
    }
}

/// Watches the folder of a source.
pub struct Watch {
    watcher: RecommendedWatcher,
    /// What is watched: each folder is added once, as adding stops the watch on some systems.
    watched: BTreeSet<PathBuf>,
    signals: Receiver<Signal>,
    stopper: Stopper,
}

impl Watch {
    /// Begins to watch: what is saved from now on is told.
    pub fn new(source: &Source) -> Result<Self> {
        let (sender, signals) = channel();
        let stopper = Stopper(sender.clone());
        let tell = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            if event.need_rescan() {
                let _ = sender.send(Signal::Overrun);
            } else if is_change(&event.kind) {
                for path in event.paths {
                    let _ = sender.send(Signal::Changed(path));
                }
            }
        };
        let watcher = notify::recommended_watcher(tell).context("nothing here watches folders")?;
        let mut watch = Self { watcher, watched: BTreeSet::new(), signals, stopper };
        watch.follow(source)?;
        Ok(watch)
    }

    /// What ends the waiting.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits until something is saved that concerns the source, and until there is quiet
    /// after it: a file that changed. None: it was stopped.
    pub fn next(&mut self, source: &Source) -> Result<Option<PathBuf>> {
        self.follow(source)?;
        let mut changed: Option<PathBuf> = None;
        loop {
            let signal = match &changed {
                None => self.signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(_) => self.signals.recv_timeout(QUIET),
            };
            match signal {
                Ok(Signal::Overrun) => changed = changed.or(Some(source.folder().to_owned())),
                Ok(Signal::Changed(path)) if source.concerns(&path) => {
                    if self.watched.remove(&path) || path.is_dir() {
                        self.follow(source)?;
                    }
                    // Editors save under another name first, which is gone a moment later.
                    changed = changed.filter(|earlier| earlier.exists()).or(Some(path));
                }
                Ok(Signal::Changed(_)) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(changed),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }

    /// Watches the folder and those in it that concern the source, new ones too; not what
    /// builds write, which may be a hundred thousand files.
    fn follow(&mut self, source: &Source) -> Result<()> {
        let folder = source.folder();
        let failed = || format!("cannot watch {}", folder.display());
        if self.watched.insert(folder.to_owned()) {
            self.watcher.watch(folder, RecursiveMode::NonRecursive).with_context(failed)?;
        }
        for entry in std::fs::read_dir(folder).with_context(failed)?.flatten() {
            let path = entry.path();
            if path.is_dir() && source.concerns(&path) && !self.watched.contains(&path) {
                match self.watcher.watch(&path, RecursiveMode::Recursive) {
                    Ok(()) => drop(self.watched.insert(path)),
                    // It was there for a moment only.
                    Err(_) if !path.exists() => {}
                    Err(error) => return Err(error).with_context(failed),
                }
            }
        }
        Ok(())
    }
}

/// Reading a file, as compilers do, changes nothing.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Modify(ModifyKind::Metadata(_)) => false,
        kind => kind.is_create() || kind.is_modify() || kind.is_remove(),
    }
}
