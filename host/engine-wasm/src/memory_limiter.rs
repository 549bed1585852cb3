//! Enforces the memory cap of one store over all its memories and tables together, so that many
//! small ones count like a large one. Only the cap is the engine's fault: memory that the system
//! refuses is a fault of the host.

use super::runtime::TABLE_ELEMENTS;

/// Bytes charged for each table element.
pub(crate) const TABLE_ELEMENT_BYTES: u64 = 8;

/// Why growth was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedGrowth {
    /// Memories and tables together would exceed the cap.
    Memory,
    /// A table would exceed the maximum number of elements.
    TableElements,
}

/// Counts and limits the memory of a store.
#[derive(Debug)]
pub(crate) struct MemoryLimiter {
    cap_bytes: u64,
    used_bytes: u64,
    /// The last growth that a cap refused.
    pub(crate) refused: Option<RefusedGrowth>,
    /// The error of the system, if it had less memory than the cap.
    pub(crate) system_error: Option<String>,
}

impl MemoryLimiter {
    /// The limiter of an empty store.
    pub(crate) fn new(cap_bytes: u64) -> Self {
        Self { cap_bytes, used_bytes: 0, refused: None, system_error: None }
    }

    /// The cap, in bytes.
    pub(crate) fn cap_bytes(&self) -> u64 {
        self.cap_bytes
    }

    /// Bytes in use. Memories never shrink, so this is also the peak.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// The bytes by which memories and tables may still grow.
    #[cfg(any(test, target_family = "wasm"))]
    pub(crate) fn left_bytes(&self) -> u64 {
        self.cap_bytes - self.used_bytes
    }

    /// Notes how many bytes are left after growth that code in the modules has limited.
    #[cfg(any(test, target_family = "wasm"))]
    pub(crate) fn set_left_bytes(&mut self, left_bytes: u64) {
        self.used_bytes = self.cap_bytes.saturating_sub(left_bytes);
    }

    fn grow(&mut self, current: u64, desired: u64) -> bool {
        let used = self.used_bytes.saturating_add(desired.saturating_sub(current));
        let fits = used <= self.cap_bytes;
        if fits {
            self.used_bytes = used;
        } else {
            self.refused = Some(RefusedGrowth::Memory);
        }
        fits
    }

    /// Whether a memory may grow to this size, in bytes. `maximum` is the module's own.
    pub(crate) fn memory_may_grow(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> bool {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return false;
        }
        self.grow(current as u64, desired as u64)
    }

    /// Whether a table may grow to this number of elements. `maximum` is the module's own, or that
    /// of an allocator.
    pub(crate) fn table_may_grow(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> bool {
        // Some allocators pass their own size as the maximum, others none. This check makes all
        // refuse at the same size.
        let own = maximum.filter(|maximum| *maximum < TABLE_ELEMENTS);
        if own.is_some_and(|own| desired > own) {
            return false;
        }
        if desired > TABLE_ELEMENTS {
            self.refused = Some(RefusedGrowth::TableElements);
            return false;
        }
        let bytes = |elements: usize| elements as u64 * TABLE_ELEMENT_BYTES;
        self.grow(bytes(current), bytes(desired))
    }

    /// Notes that the system refused memory that the cap allows. Returns whether that ends the
    /// call: the engine must not continue with less memory than its cap promises.
    #[cfg(any(feature = "wasmi", not(target_family = "wasm")))]
    pub(crate) fn memory_was_refused(&mut self, reason: &str) -> bool {
        if self.refused.is_some() {
            return false;
        }
        self.system_error = Some(reason.to_owned());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_and_tables_are_summed() {
        let mut limiter = MemoryLimiter::new(1000);
        assert!(limiter.memory_may_grow(0, 600, None));
        assert!(limiter.table_may_grow(0, 50, None));
        assert_eq!(limiter.refused, None);
        assert!(!limiter.table_may_grow(50, 51, None));
        assert_eq!(limiter.refused, Some(RefusedGrowth::Memory));
        assert_eq!(limiter.used_bytes(), 1000);
    }

    #[test]
    fn what_modules_have_used_is_noted() {
        let mut limiter = MemoryLimiter::new(1000);
        assert!(limiter.memory_may_grow(0, 600, None));
        assert_eq!(limiter.left_bytes(), 400);
        limiter.set_left_bytes(100);
        assert_eq!(limiter.used_bytes(), 900);
        assert!(!limiter.memory_may_grow(0, 101, None));
        assert!(limiter.memory_may_grow(0, 100, None));
    }

    #[test]
    fn reaching_a_modules_own_maximum_is_not_refused_by_the_cap() {
        let mut limiter = MemoryLimiter::new(1000);
        assert!(!limiter.memory_may_grow(0, 600, Some(500)));
        assert_eq!(limiter.refused, None);
    }

    #[test]
    fn a_table_has_a_cap_of_its_own() {
        let mut limiter = MemoryLimiter::new(u64::MAX);
        assert!(limiter.table_may_grow(0, TABLE_ELEMENTS, None));
        assert!(!limiter.table_may_grow(0, 11, Some(10)));
        assert_eq!(limiter.refused, None);
        for maximum in [None, Some(TABLE_ELEMENTS), Some(usize::MAX)] {
            let more = TABLE_ELEMENTS + 1;
            assert!(!limiter.table_may_grow(TABLE_ELEMENTS, more, maximum));
            assert_eq!(limiter.refused.take(), Some(RefusedGrowth::TableElements));
        }
        assert_eq!(limiter.used_bytes(), TABLE_ELEMENTS as u64 * TABLE_ELEMENT_BYTES);
    }
}
