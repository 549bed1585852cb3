//! Rate limits by token bucket, one bucket for each client or address. Reads no clock: callers pass
//! the time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A rate limit: a sustained rate and a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateLimit {
    /// Tokens that are refilled in a second.
    pub per_second: u32,
    /// The capacity of the bucket, in tokens.
    pub burst: u32,
}

/// The message rate of a socket, and of a ticket over all of its sockets.
pub(crate) const MESSAGE_RATE: RateLimit = RateLimit { per_second: 20, burst: 60 };

/// The token bucket of one client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenBucket {
    limit: RateLimit,
    /// Available tokens, in thousandths.
    millitokens: u64,
    updated_at: Instant,
}

impl TokenBucket {
    /// Creates a full bucket.
    pub(crate) fn new(limit: RateLimit, now: Instant) -> Self {
        Self { limit, millitokens: u64::from(limit.burst) * 1000, updated_at: now }
    }

    /// Takes a token. Returns false if none is available.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        self.refill(now);
        let is_available = self.millitokens >= 1000;
        if is_available {
            self.millitokens -= 1000;
        }
        is_available
    }

    fn capacity(&self) -> u64 {
        u64::from(self.limit.burst) * 1000
    }

    fn refill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.updated_at).as_millis();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        let refilled = elapsed.saturating_mul(u64::from(self.limit.per_second));
        // The remainder below a millisecond counts at the next refill.
        self.updated_at += Duration::from_millis(elapsed);
        self.millitokens = self.millitokens.saturating_add(refilled).min(self.capacity());
    }

    /// Whether the bucket is full, so that it need not be kept.
    fn is_full(&self, now: Instant) -> bool {
        let mut copy = *self;
        copy.refill(now);
        copy.millitokens >= copy.capacity()
    }
}

/// How many addresses are kept before full buckets are removed.
const ADDRESSES_MAX: usize = 4096;

/// A token bucket for each address.
#[derive(Debug)]
pub(crate) struct AddressLimiter {
    limit: RateLimit,
    buckets: Mutex<HashMap<IpAddr, TokenBucket>>,
}

impl AddressLimiter {
    /// Creates a limiter without addresses.
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, buckets: Mutex::default() }
    }

    /// Takes a token from an address's bucket. An IPv6 network of 64 bits counts as one address.
    pub(crate) fn take(&self, address: IpAddr, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= ADDRESSES_MAX {
            buckets.retain(|_, bucket| !bucket.is_full(now));
        }
        buckets
            .entry(network(address))
            .or_insert_with(|| TokenBucket::new(self.limit, now))
            .take(now)
    }
}

/// Returns what counts as one address: an IPv4 address, or an IPv6 network of 64 bits.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes a token at each of these times in milliseconds: `+` if one was available, `-` if not.
    fn check(limit: RateLimit, at_ms: &[u64], expected: &str) {
        let begin = Instant::now();
        let mut bucket = TokenBucket::new(limit, begin);
        let taken = |ms: &u64| bucket.take(begin + Duration::from_millis(*ms));
        let taken: String =
            at_ms.iter().map(taken).map(|taken| if taken { '+' } else { '-' }).collect();
        assert_eq!(taken, expected, "{limit:?} {at_ms:?}");
    }

    #[test]
    fn tokens_are_refilled() {
        let limit = RateLimit { per_second: 2, burst: 3 };
        check(limit, &[0, 0, 0, 0], "+++-");
        check(limit, &[0, 0, 0, 499, 500, 501], "+++-+-");
        check(limit, &[0, 0, 0, 200, 400, 500, 600], "+++--+-");
        check(limit, &[0, 60_000, 60_000, 60_000, 60_000], "++++-");
        check(RateLimit { per_second: 0, burst: 1 }, &[0, 1, 1_000_000], "+--");
        check(RateLimit { per_second: 5, burst: 0 }, &[0, 10_000], "--");
    }

    #[test]
    fn parts_of_a_millisecond_are_not_lost() {
        let begin = Instant::now();
        let mut bucket = TokenBucket::new(RateLimit { per_second: 100, burst: 1 }, begin);
        let at = |number: u32| begin + Duration::from_micros(1_900) * number;
        let taken = (0..1_000).filter(|number| bucket.take(at(*number))).count();
        assert!((165..=191).contains(&taken), "in 1.9 s: {taken}");
    }

    #[test]
    fn each_address_has_its_own_bucket() {
        let now = Instant::now();
        let limiter = AddressLimiter::new(RateLimit { per_second: 1, burst: 1 });
        let check = |address: &str, expected: bool| {
            assert_eq!(limiter.take(address.parse().unwrap(), now), expected, "{address}");
        };
        check("10.0.0.1", true);
        check("10.0.0.1", false);
        check("10.0.0.2", true);
        check("::ffff:10.0.0.2", false);
        check("2001:db8::1", true);
        check("2001:db8::ffff:0:0:1", false);
        check("2001:db8:0:1::1", true);
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let now = Instant::now();
        let limiter = AddressLimiter::new(RateLimit { per_second: 1, burst: 1 });
        for number in 0..ADDRESSES_MAX as u32 {
            limiter.take(std::net::Ipv4Addr::from(number).into(), now);
        }
        assert!(!limiter.take(std::net::Ipv4Addr::from(7).into(), now));
        let later = now + Duration::from_secs(5);
        assert!(limiter.take(std::net::Ipv4Addr::from(u32::MAX).into(), later));
        assert_eq!(limiter.buckets.lock().unwrap().len(), 1);
    }
}
