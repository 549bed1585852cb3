//! Processes items in several threads and delivers the results in the order of the items.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// Every item has its result.
    All,
    /// [`Stop::stop`] was called. Results up to the first missing one were delivered.
    Stopped,
    /// A thread panicked, and its item has no result.
    ThreadLost,
}

/// Stops the work early, from any thread.
#[derive(Clone, Default)]
pub struct Stop {
    stopped: Arc<AtomicBool>,
    wake: Arc<Mutex<Option<Wake>>>,
}

type Wake = Box<dyn Fn() + Send>;

impl Stop {
    /// Starts no further item. Work in progress may test [`is_stopped`](Self::is_stopped).
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn set_wake(&self, wake: Option<Wake>) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = wake;
    }
}

enum Event<A> {
    /// An item's result by its index; `None` if its work was stopped.
    Result(usize, Option<A>),
    /// A thread ended; true if it panicked.
    ThreadEnded(bool),
    Stopped,
}

/// Sends [`Event::ThreadEnded`] when its thread ends, even by a panic.
struct ThreadGuard<A>(Sender<Event<A>>);

impl<A> Drop for ThreadGuard<A> {
    fn drop(&mut self) {
        drop(self.0.send(Event::ThreadEnded(std::thread::panicking())));
    }
}

/// Processes `items` in `threads` threads (at least one) and passes the results to
/// `emit` on the calling thread, in order, each as soon as possible. `worker` makes each thread's
/// work function; a result of `None` means that the work was stopped. An error of `emit` ends
/// everything.
///
/// Does not wait for busy threads when it ends, because an item that is being read from a pipe may
/// never arrive.
pub fn run_in_order<T, A, W, E>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    stop: &Stop,
    worker: impl Fn() -> W + Send + Sync + 'static,
    mut emit: impl FnMut(A) -> Result<(), E>,
) -> Result<Completion, E>
where
    T: 'static,
    A: Send + 'static,
    W: FnMut(T) -> Option<A>,
{
    let (sender, events) = channel();
    let waker: Sender<Event<A>> = sender.clone();
    stop.set_wake(Some(Box::new(move || drop(waker.send(Event::Stopped)))));
    let queue = Arc::new(Mutex::new(items.enumerate()));
    let worker = Arc::new(worker);
    let threads = threads.max(1);
    for _ in 0..threads {
        let (guard, queue) = (ThreadGuard(sender.clone()), queue.clone());
        let (stop, worker) = (stop.clone(), worker.clone());
        std::thread::spawn(move || {
            let mut work = worker();
            loop {
                if stop.is_stopped() {
                    drop(guard.0.send(Event::Stopped));
                    break;
                }
                // The queue is unlocked again before the work on this item starts.
                let item = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((index, item)) = item else { break };
                if guard.0.send(Event::Result(index, work(item))).is_err() {
                    break;
                }
            }
        });
    }
    let completion = deliver(&events, threads, &mut emit);
    stop.set_wake(None);
    if !matches!(completion, Ok(Completion::All)) {
        stop.stopped.store(true, Ordering::SeqCst);
    }
    completion
}

fn deliver<A, E>(
    events: &Receiver<Event<A>>,
    mut threads: usize,
    emit: &mut impl FnMut(A) -> Result<(), E>,
) -> Result<Completion, E> {
    let (mut next, mut waiting) = (0, BTreeMap::new());
    while threads > 0 {
        match events.recv() {
            Ok(Event::Result(index, answer)) => drop(waiting.insert(index, answer)),
            Ok(Event::ThreadEnded(false)) => threads -= 1,
            Ok(Event::ThreadEnded(true)) | Err(_) => return Ok(Completion::ThreadLost),
            Ok(Event::Stopped) => return Ok(Completion::Stopped),
        }
        while let Some(answer) = waiting.remove(&next) {
            let Some(answer) = answer else { return Ok(Completion::Stopped) };
            emit(answer)?;
            next += 1;
        }
    }
    Ok(if waiting.is_empty() { Completion::All } else { Completion::ThreadLost })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(count: usize, threads: usize) {
        let (back, waits) = channel::<()>();
        let waits = Mutex::new(waits);
        let mut answers = Vec::new();
        let work = move || {
            let back = back.clone();
            move |item: usize| {
                let _ = back.send(());
                Some(item * item)
            }
        };
        let completion = run_in_order(0..count, threads, &Stop::default(), work, |answer| {
            answers.push(answer);
            Ok::<(), ()>(())
        });
        assert_eq!(completion, Ok(Completion::All));
        assert_eq!(answers, (0..count).map(|item| item * item).collect::<Vec<_>>());
        let worked = waits.into_inner().unwrap().try_iter().count();
        assert_eq!(worked, count, "each item once");
    }

    #[test]
    fn results_come_in_order() {
        for threads in [0, 1, 2, 7] {
            check(0, threads);
            check(1, threads);
            check(100, threads);
        }
    }

    /// The first result is ready last; the others wait for it.
    #[test]
    fn a_slow_item_holds_back_later_results() {
        let (done, first) = channel();
        let first = Mutex::new(first);
        let (done, first) = (Mutex::new(done), Arc::new(first));
        let done = Arc::new(done);
        let worker = move || {
            let (done, first) = (done.clone(), first.clone());
            move |item: usize| {
                match item {
                    0 => first.lock().unwrap().recv().unwrap(),
                    2 => done.lock().unwrap().send(()).unwrap(),
                    _ => (),
                }
                Some(item)
            }
        };
        let mut answers = Vec::new();
        let completion = run_in_order(0..3, 2, &Stop::default(), worker, |answer| {
            answers.push(answer);
            Ok::<(), ()>(())
        });
        assert_eq!((completion, answers), (Ok(Completion::All), vec![0, 1, 2]));
    }

    #[test]
    fn the_work_can_end_early() {
        fn run(
            at_two: fn(&Stop) -> Option<usize>,
            emit: fn(usize) -> Result<(), usize>,
        ) -> Result<Completion, usize> {
            let stop = Stop::default();
            let signal = stop.clone();
            let worker = move || {
                let signal = signal.clone();
                move |item| if item == 2 { at_two(&signal) } else { Some(item) }
            };
            run_in_order(0..4, 1, &stop, worker, emit)
        }
        let take = |_| Ok(());
        assert_eq!(run(|_| Some(2), take), Ok(Completion::All));
        assert_eq!(run(|_| None, take), Ok(Completion::Stopped));
        let stopped = |stop: &Stop| {
            stop.stop();
            None
        };
        assert_eq!(run(stopped, take), Ok(Completion::Stopped));
        assert_eq!(run(|_| panic!("a thread that is lost"), take), Ok(Completion::ThreadLost));
        assert_eq!(run(|_| Some(2), |item| if item == 1 { Err(item) } else { Ok(()) }), Err(1));
    }
}
