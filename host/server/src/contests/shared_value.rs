//! A value of a contest that takes long to compute and that many readers want: one computes it, the
//! others wait without a thread.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::lock;
use crate::guest_work::GuestWork;
use crate::problem::{ApiResult, Problem, ProblemKind};

/// How long a value is reused at least. Computing it takes at most a tenth of the time.
const REUSE_MIN: Duration = Duration::from_secs(2);
const COMPUTING_SHARE: u32 = 10;
/// How long a reader waits for the value that another one computes.
const TURN_TIMEOUT: Duration = Duration::from_secs(20);

/// A value with the time until which it is reused; see the [module](self).
pub(super) struct SharedValue<T> {
    cached: Mutex<Option<(Instant, Arc<T>)>>,
    /// Held while the value is computed.
    turn: Arc<Semaphore>,
}

impl<T: Send + Sync + 'static> SharedValue<T> {
    /// Creates a value that is not computed yet.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { cached: Mutex::default(), turn: Arc::new(Semaphore::new(1)) })
    }

    /// Returns the value; if it is out of date, computes it on a thread for guests. Err: the work
    /// failed, or this took too long.
    pub(super) async fn get(
        self: Arc<Self>,
        guest_work: &GuestWork,
        compute: impl FnOnce() -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<Arc<T>> {
        if let Some(value) = self.current() {
            return Ok(value);
        }
        let busy = || {
            let detail = "the tables of the contest are being computed; try again soon";
            Problem::new(ProblemKind::Busy, detail)
        };
        let turn = tokio::time::timeout(TURN_TIMEOUT, self.turn.clone().acquire_owned());
        let turn = turn.await.ok().and_then(Result::ok).ok_or_else(busy)?;
        // Another reader may have computed it meanwhile.
        if let Some(value) = self.current() {
            return Ok(value);
        }
        let work = move || {
            let begin = Instant::now();
            let value = Arc::new(compute()?);
            let now = Instant::now();
            let pause = REUSE_MIN.max((now - begin).saturating_mul(COMPUTING_SHARE - 1));
            *lock(&self.cached) = Some((now + pause, value.clone()));
            // A reader that leaves does not end the work, so the turn ends with the work: otherwise
            // readers that leave could take all threads.
            drop(turn);
            Ok(value)
        };
        guest_work.run(work).await
    }

    fn current(&self) -> Option<Arc<T>> {
        let cached = lock(&self.cached);
        let (_, value) = cached.as_ref().filter(|(until, _)| Instant::now() < *until)?;
        Some(value.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    use tokio::task::{JoinHandle, yield_now};

    use super::*;

    /// How many readers there are. Each of them would take a thread.
    const READERS: usize = 50;
    /// How many threads guests have.
    const THREADS: usize = 2;

    /// A value whose computation waits until it is released, and its readers.
    struct Slow {
        value: Arc<SharedValue<usize>>,
        guest_work: GuestWork,
        /// How many computations have begun.
        begun: Arc<AtomicUsize>,
        wait: Arc<Mutex<Receiver<()>>>,
        release: Sender<()>,
    }

    impl Slow {
        fn new() -> Self {
            let (release, wait) = channel();
            let (value, guest_work) = (SharedValue::new(), GuestWork::without_queue(THREADS));
            let (begun, wait) = (Arc::default(), Arc::new(Mutex::new(wait)));
            Self { value, guest_work, begun, wait, release }
        }

        /// A reader, which gets the number of the computation.
        fn reader(&self) -> JoinHandle<ApiResult<Arc<usize>>> {
            let (value, guest_work) = (self.value.clone(), self.guest_work.clone());
            let (begun, wait) = (self.begun.clone(), self.wait.clone());
            tokio::spawn(async move {
                let compute = move || {
                    let number = begun.fetch_add(1, Ordering::SeqCst) + 1;
                    let _ = lock(&wait).recv();
                    Ok(number)
                };
                value.get(&guest_work, compute).await
            })
        }

        /// Waits until a computation has begun.
        async fn until_begun(&self) {
            while self.begun.load(Ordering::SeqCst) == 0 {
                yield_now().await;
            }
        }

        /// Lets all readers run until they wait, and checks that guests still have a thread.
        async fn check_other_guest(&self) {
            for _ in 0..READERS {
                yield_now().await;
            }
            assert_eq!(self.guest_work.run(|| Ok(7)).await, Ok(7));
        }

        /// Ends the computation, and checks that these readers get its value.
        async fn check_readers(self, readers: Vec<JoinHandle<ApiResult<Arc<usize>>>>) {
            drop(self.release);
            for reader in readers {
                assert_eq!(reader.await.unwrap().map(|value| *value), Ok(1));
            }
            assert_eq!(self.begun.load(Ordering::SeqCst), 1);
        }
    }

    #[tokio::test]
    async fn many_readers_take_one_thread() {
        let slow = Slow::new();
        let readers: Vec<_> = (0..READERS).map(|_| slow.reader()).collect();
        slow.until_begun().await;
        slow.check_other_guest().await;
        slow.check_readers(readers).await;
    }

    #[tokio::test]
    async fn readers_that_leave_take_no_further_thread() {
        let slow = Slow::new();
        let first = slow.reader();
        slow.until_begun().await;
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        let readers: Vec<_> = (0..READERS).map(|_| slow.reader()).collect();
        slow.check_other_guest().await;
        slow.check_readers(readers).await;
    }

    #[tokio::test]
    async fn a_failure_is_not_kept() {
        let (value, guest_work) = (SharedValue::new(), GuestWork::without_queue(THREADS));
        let failed = || Err(Problem::new(ProblemKind::Internal, "expected by the test"));
        let found = value.clone().get(&guest_work, failed).await;
        assert_eq!(found.unwrap_err().kind, ProblemKind::Internal);
        let found = value.clone().get(&guest_work, || Ok(3)).await;
        assert_eq!(found.map(|value| *value), Ok(3));
        // It is not computed again at once.
        let found = value.get(&guest_work, || Ok(4)).await;
        assert_eq!(found.map(|value| *value), Ok(3));
    }
}
