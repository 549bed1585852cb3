//! Limits the connections of each address, so that one address cannot take all of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::rate_limit::network;

/// The open connections of each address.
#[derive(Debug)]
pub(crate) struct ConnectionLimiter {
    max: usize,
    counts: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection that is counted until this value is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    limiter: Arc<ConnectionLimiter>,
    address: IpAddr,
}

impl ConnectionLimiter {
    /// Allows each address this many connections.
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, counts: Mutex::default() })
    }

    /// Counts a connection of an address. None: the address has as many as are allowed. An IPv6
    /// network of 64 bits counts as one address.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let address = network(address);
        let mut counts = self.counts();
        let count = counts.entry(address).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(ConnectionPermit { limiter: self.clone(), address })
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut counts = self.limiter.counts();
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_connections() {
        let limiter = ConnectionLimiter::new(2);
        let take = |address: &str| limiter.take(address.parse().unwrap());
        let first = take("10.0.0.1");
        let second = take("::ffff:10.0.0.1");
        assert!(first.is_some() && second.is_some());
        assert!(take("10.0.0.1").is_none(), "the third");
        let other = take("10.0.0.2");
        assert!(other.is_some());
        drop(first);
        let again = take("10.0.0.1");
        assert!(again.is_some() && take("10.0.0.1").is_none());
        let networks = ["2001:db8::1", "2001:db8::2"].map(take);
        assert!(networks.iter().all(Option::is_some));
        assert!(take("2001:db8::3").is_none() && take("2001:db8:0:1::1").is_some());
        drop((second, other, again, networks));
        assert!(limiter.counts().is_empty(), "addresses without connections are forgotten");
    }
}
