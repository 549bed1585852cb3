//! Limits how long a client may take to send a request's body, so that a body that never ends does
//! not keep a connection.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

/// The bytes for which a body that grows gets another second.
const BYTES_PER_SECOND: usize = 8 * 1024;

/// The error of a body that was not received in time.
#[derive(Debug, thiserror::Error)]
#[error("the body was not received in time")]
struct TimedOut;

/// Whether a body was not received in time.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeoutFlag(Arc<AtomicBool>);

impl TimeoutFlag {
    /// Returns whether the body was not received in time.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body that fails if it is not received in time; the time begins when it is first read.
struct TimedBody {
    body: Body,
    timeout: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    flag: TimeoutFlag,
}

/// Limits the time for receiving a body: `timeout`, and a second more for each 8 KiB received.
/// Returns the limited body, and a flag that tells whether it was too slow.
pub(crate) fn limit(body: Body, timeout: Duration) -> (Body, TimeoutFlag) {
    let flag = TimeoutFlag::default();
    if HttpBody::is_end_stream(&body) {
        return (body, flag);
    }
    let timed = TimedBody { body, timeout, deadline: None, flag: flag.clone() };
    (Body::new(timed), flag)
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let this = &mut *self;
        let timeout = this.timeout;
        let deadline = this.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                let more = Duration::from_secs(1).mul_f64(bytes as f64 / BYTES_PER_SECOND as f64);
                let until: Instant = deadline.deadline() + more;
                deadline.as_mut().reset(until);
                // Frames that arrive steadily must not hide that the time is up.
                match deadline.as_mut().poll(context) {
                    Poll::Ready(()) => this.fail(),
                    Poll::Pending => Poll::Ready(Some(Ok(frame))),
                }
            }
            Poll::Ready(end) => Poll::Ready(end.map(|frame| frame.map_err(Into::into))),
            Poll::Pending => match deadline.as_mut().poll(context) {
                Poll::Ready(()) => this.fail(),
                Poll::Pending => Poll::Pending,
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl TimedBody {
    fn fail(&self) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        self.flag.0.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(TimedOut.into())))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use futures_util::stream::{iter, pending};

    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    /// Reads a body of these parts, which then ends or stays silent. Returns the number of bytes;
    /// none: it was too slow.
    async fn read(parts: &'static [usize], ends: bool, timeout: Duration) -> Option<usize> {
        let sent = iter(parts).map(|bytes| Ok::<_, axum::Error>(Bytes::from(vec![0; *bytes])));
        let body = match ends {
            true => Body::from_stream(sent),
            false => Body::from_stream(sent.chain(pending())),
        };
        let (body, flag) = limit(body, timeout);
        let read = axum::body::to_bytes(body, usize::MAX).await;
        assert_eq!(read.is_err(), flag.is_set(), "{parts:?}");
        read.ok().map(|bytes| bytes.len())
    }

    #[tokio::test]
    async fn slow_bodies_fail() {
        let check = async |parts, ends, timeout, expected| {
            assert_eq!(read(parts, ends, timeout).await, expected, "{parts:?} {timeout:?}");
        };
        check(&[], true, LONG, Some(0)).await;
        check(&[5, 6], true, LONG, Some(11)).await;
        check(&[], false, Duration::ZERO, None).await;
        check(&[1], false, Duration::ZERO, None).await;
        check(&[1, 1, 1, 1], false, Duration::ZERO, None).await;
        // An hour for 30 MB, so that the second part is still in time.
        check(
            &[BYTES_PER_SECOND * 3600, 1],
            true,
            Duration::ZERO,
            Some(BYTES_PER_SECOND * 3600 + 1),
        )
        .await;
    }

    /// A byte that arrives after some milliseconds.
    async fn late_byte() -> Result<Bytes, axum::Error> {
        let since = Instant::now();
        while since.elapsed() < Duration::from_millis(20) {
            tokio::task::yield_now().await;
        }
        Ok(Bytes::from_static(b"x"))
    }

    #[tokio::test]
    async fn each_part_gives_time_by_its_length() {
        let check = async |bytes: usize, expected: Option<usize>| {
            let first = iter([Ok(Bytes::from(vec![0; bytes]))]);
            let sent = first.chain(futures_util::stream::once(late_byte()));
            let (body, flag) = limit(Body::from_stream(sent), Duration::ZERO);
            let read = axum::body::to_bytes(body, usize::MAX).await.ok();
            assert_eq!(read.map(|bytes| bytes.len()), expected);
            assert_eq!(flag.is_set(), expected.is_none());
        };
        check(1, None).await;
        check(BYTES_PER_SECOND * 3600, Some(BYTES_PER_SECOND * 3600 + 1)).await;
    }
}
