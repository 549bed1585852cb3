//! Watches the engines folder and rescans it after changes. Where the system cannot watch folders,
//! it rescans periodically.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{EventKind, RecursiveMode, Watcher};

use super::engines::EngineRegistry;
use super::hub::Hub;

/// Files are written in several steps. A rescan waits for a quiet period, but at most this many.
const QUIET_PERIOD: Duration = Duration::from_millis(150);
const QUIET_WAITS_MAX: u32 = 6;
/// The interval between rescans: as a precaution, and where the system cannot watch folders.
const RESCAN_INTERVAL: Duration = Duration::from_secs(60);
const UNWATCHED_INTERVAL: Duration = Duration::from_secs(1);

/// Scans once, and again after every change, on its own thread until the process ends.
pub(crate) fn run(hub: Arc<Hub>, engines: Arc<EngineRegistry>) {
    let thread = std::thread::Builder::new().name("engines folder".into());
    let watched_hub = hub.clone();
    if let Err(error) = thread.spawn(move || watch(&watched_hub, &engines)) {
        hub.notify_operator("error", format!("the engines folder is not watched: {error}"));
    }
}

fn watch(hub: &Hub, engines: &EngineRegistry) {
    let (sender, changes) = channel();
    let on_event = move |event: notify::Result<notify::Event>| {
        let is_change = |kind: &EventKind| match kind {
            // Reading a file changes its metadata only.
            EventKind::Modify(ModifyKind::Metadata(_)) => false,
            kind => kind.is_create() || kind.is_modify() || kind.is_remove(),
        };
        if event.is_ok_and(|event| event.need_rescan() || is_change(&event.kind)) {
            // Sending cannot fail: the receiving thread lives as long as the process.
            let _ = sender.send(());
        }
    };
    let folder = hub.engine_provider.folder().to_owned();
    let watcher = notify::recommended_watcher(on_event).and_then(|mut watcher| {
        watcher.watch(&folder, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let interval = match &watcher {
        Ok(_) => RESCAN_INTERVAL,
        Err(error) => {
            let text = format!(
                "the engines folder cannot be watched, and is scanned every second: {error}"
            );
            hub.notify_operator("warning", text);
            UNWATCHED_INTERVAL
        }
    };
    loop {
        engines.rescan(hub);
        if let Err(RecvTimeoutError::Disconnected) = changes.recv_timeout(interval) {
            // No watcher: rescan after a fixed interval.
            std::thread::sleep(UNWATCHED_INTERVAL);
            continue;
        }
        for _ in 0..QUIET_WAITS_MAX {
            if changes.recv_timeout(QUIET_PERIOD).is_err() {
                break;
            }
            while changes.try_recv().is_ok() {}
        }
    }
}
