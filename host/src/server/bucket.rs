//! Token buckets: how much of something somebody may do at once, and for good. Pure: times come
//! in; and the table of buckets by address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So much for good, and so much at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many come back in a second.
    pub per_second: u32,
    /// How many there are at most.
    pub burst: u32,
}

/// What somebody has to its credit.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: Rate,
    /// In thousandths.
    credit: u64,
    at: Instant,
}

impl Bucket {
    /// A full one.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, credit: u64::from(rate.burst) * 1000, at: now }
    }

    /// Takes one, if there is one.
    pub fn take(&mut self, now: Instant) -> bool {
        self.earn(now);
        let has = self.credit >= 1000;
        if has {
            self.credit -= 1000;
        }
        has
    }

    fn most(&self) -> u64 {
        u64::from(self.rate.burst) * 1000
    }

    fn earn(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.at).as_millis();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        let earned = elapsed.saturating_mul(u64::from(self.rate.per_second));
        // What is less than a millisecond counts the next time.
        self.at += Duration::from_millis(elapsed);
        self.credit = self.credit.saturating_add(earned).min(self.most());
    }

    /// Whether nothing is missing from it, so that it need not be kept.
    fn is_full(&self, now: Instant) -> bool {
        let mut then = *self;
        then.earn(now);
        then.credit >= then.most()
    }
}

/// How many addresses are kept before full buckets are thrown away.
const ADDRESSES: usize = 4096;

/// A bucket for each address.
#[derive(Debug)]
pub struct Buckets {
    rate: Rate,
    of: Mutex<HashMap<IpAddr, Bucket>>,
}

impl Buckets {
    /// None yet.
    pub fn new(rate: Rate) -> Self {
        Self { rate, of: Mutex::default() }
    }

    /// Takes one from an address' bucket. Of IPv6, a network of 64 bits is one address.
    pub fn take(&self, address: IpAddr, now: Instant) -> bool {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.len() >= ADDRESSES {
            of.retain(|_, bucket| !bucket.is_full(now));
        }
        of.entry(network(address)).or_insert_with(|| Bucket::new(self.rate, now)).take(now)
    }
}

fn network(address: IpAddr) -> IpAddr {
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

    /// Takes one at each of these milliseconds: `+` where there was one.
    fn check(rate: Rate, at_ms: &[u64], expected: &str) {
        let begin = Instant::now();
        let mut bucket = Bucket::new(rate, begin);
        let took = |ms: &u64| bucket.take(begin + Duration::from_millis(*ms));
        let took: String =
            at_ms.iter().map(took).map(|took| if took { '+' } else { '-' }).collect();
        assert_eq!(took, expected, "{rate:?} {at_ms:?}");
    }

    #[test]
    fn credit_comes_back() {
        let rate = Rate { per_second: 2, burst: 3 };
        check(rate, &[0, 0, 0, 0], "+++-");
        check(rate, &[0, 0, 0, 499, 500, 501], "+++-+-");
        check(rate, &[0, 0, 0, 200, 400, 500, 600], "+++--+-");
        check(rate, &[0, 60_000, 60_000, 60_000, 60_000], "++++-");
        check(Rate { per_second: 0, burst: 1 }, &[0, 1, 1_000_000], "+--");
        check(Rate { per_second: 5, burst: 0 }, &[0, 10_000], "--");
    }

    #[test]
    fn parts_of_a_millisecond_are_not_lost() {
        let begin = Instant::now();
        let mut bucket = Bucket::new(Rate { per_second: 100, burst: 1 }, begin);
        let at = |number: u32| begin + Duration::from_micros(1_900) * number;
        let took = (0..1_000).filter(|number| bucket.take(at(*number))).count();
        assert!((165..=191).contains(&took), "in 1.9 s: {took}");
    }

    #[test]
    fn addresses_have_their_own() {
        let now = Instant::now();
        let buckets = Buckets::new(Rate { per_second: 1, burst: 1 });
        let check = |address: &str, expected: bool| {
            assert_eq!(buckets.take(address.parse().unwrap(), now), expected, "{address}");
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
        let buckets = Buckets::new(Rate { per_second: 1, burst: 1 });
        for number in 0..ADDRESSES as u32 {
            buckets.take(std::net::Ipv4Addr::from(number).into(), now);
        }
        assert!(!buckets.take(std::net::Ipv4Addr::from(7).into(), now));
        let later = now + Duration::from_secs(5);
        assert!(buckets.take(std::net::Ipv4Addr::from(u32::MAX).into(), later));
        assert_eq!(buckets.of.lock().unwrap().len(), 1);
    }
}
