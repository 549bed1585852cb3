//! The thread on which a native engine's code runs. Its owner can abandon it, but cannot end it.

use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use sandboard_engine::{Fault, FaultCode};

/// Stack size of an engine's thread, in bytes.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// A running thread. Dropping this lets the thread run on.
pub(super) struct EngineThread {
    id: Arc<OnceLock<ThreadId>>,
}

impl EngineThread {
    pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> Result<EngineThread, Fault> {
        let id = Arc::new(OnceLock::new());
        let own_id = id.clone();
        Builder::new()
            .name("native engine".into())
            .stack_size(STACK_BYTES)
            .spawn(move || {
                let _ = own_id.set(current());
                work();
            })
            .map_err(|error| Fault::new(FaultCode::Load, format!("got no thread: {error}")))?;
        Ok(EngineThread { id })
    }

    /// Gives the thread the lowest priority, so that code which never returns uses only CPU time
    /// that is left over. Threads that the engine started itself keep theirs.
    pub(super) fn abandon(&self) {
        if let Some(id) = self.id.get() {
            lower_priority(*id);
        }
    }
}

#[cfg(target_os = "linux")]
type ThreadId = rustix::thread::Pid;
#[cfg(not(target_os = "linux"))]
type ThreadId = ();

#[cfg(target_os = "linux")]
fn current() -> ThreadId {
    rustix::thread::gettid()
}

#[cfg(not(target_os = "linux"))]
fn current() -> ThreadId {}

/// The nice value of the lowest priority.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

/// On Linux, the priority belongs to a thread and not to its process (setpriority(2), "C
/// library/kernel differences"). Elsewhere it belongs to the process, and is left alone.
#[cfg(target_os = "linux")]
fn lower_priority(id: ThreadId) {
    if let Err(error) = rustix::process::setpriority_process(Some(id), LOWEST_PRIORITY) {
        log::warn!("cannot lower the priority of an engine's thread that hangs: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority((): ThreadId) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc;

    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_an_abandoned_thread_gets_the_lowest_priority() {
        let (end, ended) = mpsc::channel::<()>();
        let (ready, readies) = mpsc::channel();
        let work = move || {
            ready.send(()).unwrap();
            // Returns once the sender is dropped.
            let _ = ended.recv();
        };
        let thread = EngineThread::spawn(work).unwrap();
        readies.recv().unwrap();
        let id = *thread.id.get().unwrap();
        let own = getpriority_process(Some(current())).unwrap();
        let check = |id, expected| assert_eq!(getpriority_process(Some(id)).unwrap(), expected);
        check(id, own);
        thread.abandon();
        check(id, LOWEST_PRIORITY);
        check(current(), own);
        drop(end);
    }
}
