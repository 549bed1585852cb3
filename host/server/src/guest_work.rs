//! Blocking work for callers who are not the operator: players with a ticket, entrants, visitors of
//! contests. It shares a few threads, so that they cannot take all threads of the server.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::{ApiResult, Problem, ProblemKind};

/// How many threads work for guests.
const THREADS: usize = 8;
/// How many engines are loaded for guests at once: each may be compiled.
const ENGINE_LOADS: usize = 2;
/// How long a request waits for a thread.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);

/// Threads that work one after another for many callers.
#[derive(Clone, Debug)]
pub(crate) struct GuestWork {
    permits: Arc<Semaphore>,
    timeout: Duration,
}

impl GuestWork {
    /// Creates the threads for requests.
    pub(crate) fn for_requests() -> Self {
        Self::new(THREADS, QUEUE_TIMEOUT)
    }

    /// Creates the threads that load engines.
    pub(crate) fn for_engine_loads() -> Self {
        Self::new(ENGINE_LOADS, QUEUE_TIMEOUT)
    }

    /// Creates threads whose callers do not wait: a request is refused if no thread is free.
    #[cfg(test)]
    pub(crate) fn without_queue(threads: usize) -> Self {
        Self::new(threads, Duration::ZERO)
    }

    fn new(threads: usize, timeout: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(threads)), timeout }
    }

    /// Runs work on one of the threads. Err: none was free in time, or the work failed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        let permit = self.permit().await?;
        run_blocking(move || {
            let result = work();
            drop(permit);
            result
        })
        .await
    }

    /// Runs work for this caller: the operator does not wait for guests.
    pub(crate) async fn run_for<T: Send + 'static>(
        &self,
        is_operator: bool,
        work: impl FnOnce() -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        match is_operator {
            true => run_blocking(work).await,
            false => self.run(work).await,
        }
    }

    async fn permit(&self) -> ApiResult<OwnedSemaphorePermit> {
        let busy = || {
            let detail = crate::messages::SERVER_BUSY;
            Problem::new(ProblemKind::Busy, detail)
        };
        let permit = tokio::time::timeout(self.timeout, self.permits.clone().acquire_owned());
        permit.await.ok().and_then(Result::ok).ok_or_else(busy)
    }
}

/// Runs blocking work on a thread where it delays no socket.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    let failed = |error| Problem::new(ProblemKind::Internal, format!("the work failed: {error}"));
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn guests_share_their_threads() {
        let guests = GuestWork::new(2, Duration::MAX);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = || {
            let (running, most) = (running.clone(), most.clone());
            guests.run(move || {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        };
        let all = futures_util::future::join_all((0..200).map(|_| work())).await;
        assert!(all.iter().all(Result::is_ok));
        assert!(most.load(Ordering::SeqCst) <= 2, "{most:?}");
    }

    #[tokio::test]
    async fn who_waits_too_long_is_refused() {
        let guests = GuestWork::new(1, Duration::ZERO);
        let (release, wait) = channel::<()>();
        let (started, has_started) = tokio::sync::oneshot::channel();
        let shared = guests.clone();
        let first = tokio::spawn(async move {
            let work = move || {
                let _ = started.send(());
                let _ = wait.recv();
                Ok(())
            };
            shared.run(work).await
        });
        has_started.await.unwrap();
        let refused = guests.run(|| Ok(())).await.unwrap_err();
        assert_eq!(refused.kind, ProblemKind::Busy);
        assert_eq!(guests.run_for(true, || Ok(7)).await, Ok(7), "the operator does not wait");
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!(guests.run(|| Ok(8)).await, Ok(8));
    }

    #[tokio::test]
    async fn work_that_panics_frees_its_thread() {
        let guests = GuestWork::new(1, Duration::from_secs(3600));
        let failed = guests.run(|| -> ApiResult<()> { panic!("expected by the test") }).await;
        assert_eq!(failed.unwrap_err().kind, ProblemKind::Internal);
        assert_eq!(guests.run(|| Ok(9)).await, Ok(9));
    }
}
