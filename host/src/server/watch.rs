//! The engines folder, watched: what is copied in, replaced or taken away is seen within a
//! moment. Where nothing watches folders, it is looked at now and then.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use notify::event::ModifyKind;
use notify::{EventKind, RecursiveMode, Watcher};

use super::engines::Shelf;
use super::hub::Hub;

/// Files are written in several steps: a look waits for this much quiet, but not for ever.
const QUIET: Duration = Duration::from_millis(150);
const LOUD: u32 = 6;
/// How often it is looked at where nothing watches, and where something may have been missed.
const NOW_AND_THEN: Duration = Duration::from_secs(60);
const BLIND: Duration = Duration::from_secs(1);

/// Looks once, and whenever something changes, on a thread of its own for as long as the process.
pub fn run(hub: Arc<Hub>, engines: Arc<Shelf>) {
    let thread = std::thread::Builder::new().name("engines folder".into());
    let watched = hub.clone();
    if let Err(error) = thread.spawn(move || watch(&watched, &engines)) {
        hub.note("error", format!("the engines folder is not looked at: {error}"));
    }
}

fn watch(hub: &Hub, engines: &Shelf) {
    let (sender, changes) = channel();
    let tell = move |event: notify::Result<notify::Event>| {
        let is_change = |kind: &EventKind| match kind {
            // Reading a file changes nothing.
            EventKind::Modify(ModifyKind::Metadata(_)) => false,
            kind => kind.is_create() || kind.is_modify() || kind.is_remove(),
        };
        if event.is_ok_and(|event| event.need_rescan() || is_change(&event.kind)) {
            // The thread lives as long as the process.
            let _ = sender.send(());
        }
    };
    let folder = hub.supplier.folder().to_owned();
    let watcher = notify::recommended_watcher(tell).and_then(|mut watcher| {
        watcher.watch(&folder, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let patience = match &watcher {
        Ok(_) => NOW_AND_THEN,
        Err(error) => {
            let text = format!("the engines folder is looked at every second: {error}");
            hub.note("warning", text);
            BLIND
        }
    };
    loop {
        engines.look(hub);
        if let Err(RecvTimeoutError::Disconnected) = changes.recv_timeout(patience) {
            // Nothing watches: only time tells.
            std::thread::sleep(BLIND);
            continue;
        }
        for _ in 0..LOUD {
            if changes.recv_timeout(QUIET).is_err() {
                break;
            }
            while changes.try_recv().is_ok() {}
        }
    }
}
