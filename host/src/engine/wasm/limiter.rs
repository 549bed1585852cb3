//! The memory cap of one store: all its memories and tables together, so that
//! many small ones cost as much as a large one. Only the cap says no; memory
//! that the system refuses is the host's fault, not the engine's.

use wasmtime::ResourceLimiter;

use super::runtime::TABLE_ELEMENTS;

/// What a table element is charged, in bytes.
const TABLE_ELEMENT_BYTES: u64 = 8;

/// What a store was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// More bytes than its cap, memories and tables together.
    Bytes,
    /// More elements of one table than any may have.
    Elements,
}

/// Counts what a store holds.
#[derive(Debug)]
pub struct MemoryLimiter {
    cap_bytes: u64,
    held_bytes: u64,
    /// What it asked for beyond a cap, last.
    pub refused: Option<Refused>,
    /// The system had less than the cap.
    pub starved: Option<String>,
}

impl MemoryLimiter {
    /// An empty store with this cap.
    pub fn new(cap_bytes: u64) -> Self {
        Self { cap_bytes, held_bytes: 0, refused: None, starved: None }
    }

    /// The cap, in bytes.
    pub fn cap_bytes(&self) -> u64 {
        self.cap_bytes
    }

    /// What is held. Wasm never gives back, so this is the peak as well.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    fn grow(&mut self, current: u64, desired: u64) -> bool {
        let held = self.held_bytes.saturating_add(desired.saturating_sub(current));
        let admitted = held <= self.cap_bytes;
        if admitted {
            self.held_bytes = held;
        } else {
            self.refused = Some(Refused::Bytes);
        }
        admitted
    }
}

impl ResourceLimiter for MemoryLimiter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.grow(current as u64, desired as u64))
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        if self.refused.is_some() {
            return Ok(());
        }
        self.starved = Some(error.to_string());
        // The engine is not to play on with less memory than it was promised.
        Err(error)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // A pool gives its own size as the maximum, the heap none: what a table
        // may have is said here, and the same with both.
        let own = maximum.filter(|maximum| *maximum < TABLE_ELEMENTS);
        if own.is_some_and(|own| desired > own) {
            return Ok(false);
        }
        if desired > TABLE_ELEMENTS {
            self.refused = Some(Refused::Elements);
            return Ok(false);
        }
        let bytes = |elements: usize| elements as u64 * TABLE_ELEMENT_BYTES;
        Ok(self.grow(bytes(current), bytes(desired)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_are_summed() {
        let mut limiter = MemoryLimiter::new(1000);
        assert!(limiter.memory_growing(0, 600, None).unwrap());
        assert!(limiter.table_growing(0, 50, None).unwrap());
        assert_eq!(limiter.refused, None);
        assert!(!limiter.table_growing(50, 51, None).unwrap());
        assert_eq!(limiter.refused, Some(Refused::Bytes));
        assert_eq!(limiter.held_bytes(), 1000);
    }

    #[test]
    fn a_modules_own_maximum_is_no_overdraft() {
        let mut limiter = MemoryLimiter::new(1000);
        assert!(!limiter.memory_growing(0, 600, Some(500)).unwrap());
        assert_eq!(limiter.refused, None);
    }

    #[test]
    fn a_table_has_a_cap_of_its_own() {
        let mut limiter = MemoryLimiter::new(u64::MAX);
        assert!(limiter.table_growing(0, TABLE_ELEMENTS, None).unwrap());
        assert!(!limiter.table_growing(0, 11, Some(10)).unwrap());
        assert_eq!(limiter.refused, None);
        for maximum in [None, Some(TABLE_ELEMENTS), Some(usize::MAX)] {
            let more = TABLE_ELEMENTS + 1;
            assert!(!limiter.table_growing(TABLE_ELEMENTS, more, maximum).unwrap());
            assert_eq!(limiter.refused.take(), Some(Refused::Elements));
        }
        assert_eq!(limiter.held_bytes(), TABLE_ELEMENTS as u64 * TABLE_ELEMENT_BYTES);
    }
}
