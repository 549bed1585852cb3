//! Many things worked on by several threads, and the answers in the order of the things.
//! Knows neither what is asked nor what is answered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Everything is answered.
    All,
    /// Somebody said [`Stop::stop`]; what was answered until then is handed on, up to the first
    /// thing that was not.
    Stopped,
    /// A thread is gone, and its thing has no answer.
    Lost,
}

/// Ends the work before its end, from whatever thread.
#[derive(Clone, Default)]
pub struct Stop {
    stopped: Arc<AtomicBool>,
    wake: Arc<Mutex<Option<Wake>>>,
}

type Wake = Box<dyn Fn() + Send>;

impl Stop {
    /// Nothing further is begun; what is being worked on may look at
    /// [`is_stopped`](Self::is_stopped).
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }

    /// Whether it was said.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    fn wakes(&self, wake: Option<Wake>) {
        *self.wake.lock().unwrap_or_else(PoisonError::into_inner) = wake;
    }
}

enum News<A> {
    /// None: its work was stopped.
    Answer(usize, Option<A>),
    /// A thread has come to its end; or did something panic?
    Left(bool),
    Stopped,
}

/// Tells that a thread is at its end, however it ends.
struct Leaves<A>(Sender<News<A>>);

impl<A> Drop for Leaves<A> {
    fn drop(&mut self) {
        drop(self.0.send(News::Left(std::thread::panicking())));
    }
}

/// Works on `items` in so many threads and hands the answers to `emit` on this one, in order
/// and each as soon as it can be. `worker` makes what a thread works with; an answer of None
/// is that it was stopped. An error of `emit` ends everything.
///
/// Nobody waits for threads that are at something when it ends: an item that is being read
/// from a pipe may never come.
pub fn in_order<T, A, W, E>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    stop: &Stop,
    worker: impl Fn() -> W + Send + Sync + 'static,
    mut emit: impl FnMut(A) -> Result<(), E>,
) -> Result<Ended, E>
where
    T: 'static,
    A: Send + 'static,
    W: FnMut(T) -> Option<A>,
{
    let (sender, news) = channel();
    let waker: Sender<News<A>> = sender.clone();
    stop.wakes(Some(Box::new(move || drop(waker.send(News::Stopped)))));
    let queue = Arc::new(Mutex::new(items.enumerate()));
    let worker = Arc::new(worker);
    let threads = threads.max(1);
    for _ in 0..threads {
        let (leaves, queue) = (Leaves(sender.clone()), queue.clone());
        let (stop, worker) = (stop.clone(), worker.clone());
        std::thread::spawn(move || {
            let mut work = worker();
            loop {
                if stop.is_stopped() {
                    drop(leaves.0.send(News::Stopped));
                    break;
                }
                // Others may take theirs before the work on this one begins.
                let item = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((index, item)) = item else { break };
                if leaves.0.send(News::Answer(index, work(item))).is_err() {
                    break;
                }
            }
        });
    }
    let ended = hand_on(&news, threads, &mut emit);
    stop.wakes(None);
    if !matches!(ended, Ok(Ended::All)) {
        stop.stopped.store(true, Ordering::SeqCst);
    }
    ended
}

fn hand_on<A, E>(
    news: &Receiver<News<A>>,
    mut threads: usize,
    emit: &mut impl FnMut(A) -> Result<(), E>,
) -> Result<Ended, E> {
    let (mut next, mut waiting) = (0, BTreeMap::new());
    while threads > 0 {
        match news.recv() {
            Ok(News::Answer(index, answer)) => drop(waiting.insert(index, answer)),
            Ok(News::Left(false)) => threads -= 1,
            Ok(News::Left(true)) | Err(_) => return Ok(Ended::Lost),
            Ok(News::Stopped) => return Ok(Ended::Stopped),
        }
        while let Some(answer) = waiting.remove(&next) {
            let Some(answer) = answer else { return Ok(Ended::Stopped) };
            emit(answer)?;
            next += 1;
        }
    }
    Ok(if waiting.is_empty() { Ended::All } else { Ended::Lost })
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
        let ended = in_order(0..count, threads, &Stop::default(), work, |answer| {
            answers.push(answer);
            Ok::<(), ()>(())
        });
        assert_eq!(ended, Ok(Ended::All));
        assert_eq!(answers, (0..count).map(|item| item * item).collect::<Vec<_>>());
        let worked = waits.into_inner().unwrap().try_iter().count();
        assert_eq!(worked, count, "each once");
    }

    #[test]
    fn answers_come_in_order() {
        for threads in [0, 1, 2, 7] {
            check(0, threads);
            check(1, threads);
            check(100, threads);
        }
    }

    /// The first answer is ready last, the others wait for it.
    #[test]
    fn a_slow_one_holds_back_those_behind_it() {
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
        let ended = in_order(0..3, 2, &Stop::default(), worker, |answer| {
            answers.push(answer);
            Ok::<(), ()>(())
        });
        assert_eq!((ended, answers), (Ok(Ended::All), vec![0, 1, 2]));
    }

    #[test]
    fn what_ends_it_before_its_end() {
        fn run(
            at_two: fn(&Stop) -> Option<usize>,
            emit: fn(usize) -> Result<(), usize>,
        ) -> Result<Ended, usize> {
            let stop = Stop::default();
            let told = stop.clone();
            let worker = move || {
                let told = told.clone();
                move |item| if item == 2 { at_two(&told) } else { Some(item) }
            };
            in_order(0..4, 1, &stop, worker, emit)
        }
        let take = |_| Ok(());
        assert_eq!(run(|_| Some(2), take), Ok(Ended::All));
        assert_eq!(run(|_| None, take), Ok(Ended::Stopped));
        let stopped = |stop: &Stop| {
            stop.stop();
            None
        };
        assert_eq!(run(stopped, take), Ok(Ended::Stopped));
        assert_eq!(run(|_| panic!("a thread that is lost"), take), Ok(Ended::Lost));
        assert_eq!(run(|_| Some(2), |item| if item == 1 { Err(item) } else { Ok(()) }), Err(1));
    }
}
