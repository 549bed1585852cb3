//! What the instances of an engine share while they search together in a bout: a table from number
//! to number, and 64 atomic cells. Does not interpret the values, takes no lock, and allocates only
//! when it is created.

mod lockless_table;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use sandboard_abi::{CellOp, limits};

use crate::{Fault, FaultCode};
use lockless_table::{LocklessTable, SLOT_BYTES};

/// Minimum number of slots, whatever the memory cap.
const SLOTS_MIN: u64 = 1 << 12;
/// The size of the table is the memory cap of an instance divided by this. It comes in addition to
/// the memory of the instances.
const MEMORY_DIVISOR: u64 = 4;

/// A table and cells that several instances share.
pub struct SharedTable {
    table: LocklessTable<AtomicU64>,
    cells: [AtomicI64; limits::CELLS],
}

/// The cells of an instance that searches alone.
pub(crate) struct LocalCells([i64; limits::CELLS]);

impl Default for LocalCells {
    fn default() -> Self {
        Self([0; limits::CELLS])
    }
}

impl LocalCells {
    /// Works as [`SharedTable::cell`] does.
    pub(crate) fn cell(&mut self, index: u32, op: CellOp, value: i64) -> Option<i64> {
        let cell = self.0.get_mut(index as usize)?;
        let before = *cell;
        *cell = match op {
            CellOp::Get => before,
            CellOp::Put => value,
            CellOp::Add => before.wrapping_add(value),
            CellOp::Max => before.max(value),
        };
        Some(before)
    }
}

impl SharedTable {
    /// An empty table for instances with this memory cap. Err: the system lacks memory.
    pub fn new(memory_bytes: u64) -> Result<Self, Fault> {
        let slots = Self::slots_for(memory_bytes);
        let table = LocklessTable::new(slots).ok_or_else(|| {
            let sentence = format!("got no memory for a shared table of {slots} slots");
            Fault::new(FaultCode::Host, sentence)
        })?;
        Ok(Self { table, cells: [const { AtomicI64::new(0) }; limits::CELLS] })
    }

    /// Number of slots of a table for instances with this memory cap.
    fn slots_for(memory_bytes: u64) -> u64 {
        let slots = (memory_bytes / MEMORY_DIVISOR / SLOT_BYTES).max(SLOTS_MIN);
        1 << slots.ilog2()
    }

    /// Size in bytes of a table for instances with this memory cap.
    #[cfg(target_os = "linux")]
    pub fn bytes_for(memory_bytes: u64) -> u64 {
        Self::slots_for(memory_bytes) * SLOT_BYTES
    }

    /// Number of slots.
    pub fn slots(&self) -> u64 {
        self.table.slots()
    }

    /// The value of a key; 0 if there is none, or if it was replaced.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> u64 {
        self.table.probe(key)
    }

    /// Stores a value under a key; 0 is not stored.
    #[inline]
    pub(crate) fn store(&self, key: u64, value: u64) {
        self.table.store(key, value);
    }

    /// Applies an operation to a cell and returns its previous value. None: there is no such cell.
    pub(crate) fn cell(&self, index: u32, op: CellOp, value: i64) -> Option<i64> {
        let cell = self.cells.get(index as usize)?;
        Some(match op {
            CellOp::Get => cell.load(Ordering::SeqCst),
            CellOp::Put => cell.swap(value, Ordering::SeqCst),
            CellOp::Add => cell.fetch_add(value, Ordering::SeqCst),
            CellOp::Max => cell.fetch_max(value, Ordering::SeqCst),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_a_quarter_of_the_cap_and_has_a_minimum() {
        let check = |memory_bytes: u64, expected: u64| {
            assert_eq!(SharedTable::slots_for(memory_bytes), expected, "{memory_bytes}");
        };
        check(0, 1 << 12);
        check(256 << 10, 1 << 12);
        check(512 << 10, 1 << 13);
        check((512 << 10) - 1, 1 << 12);
        check(64 << 20, 1 << 20);
        check((64 << 20) - 1, 1 << 19);
        check(100 << 20, 1 << 20);
        check(2 << 30, 1 << 25);
    }

    #[test]
    fn cell_operations_return_the_previous_value() {
        let (shared, mut local) = (SharedTable::new(0).unwrap(), LocalCells::default());
        let mut check = |index: u32, op: CellOp, value: i64, expected: Option<i64>| {
            assert_eq!(shared.cell(index, op, value), expected, "{index} {op:?} {value}");
            assert_eq!(local.cell(index, op, value), expected, "local: {index} {op:?} {value}");
        };
        check(0, CellOp::Get, 7, Some(0));
        check(0, CellOp::Put, i64::MAX, Some(0));
        check(0, CellOp::Add, 1, Some(i64::MAX));
        check(0, CellOp::Max, -1, Some(i64::MIN));
        check(0, CellOp::Max, -2, Some(-1));
        check(0, CellOp::Get, 0, Some(-1));
        check(63, CellOp::Put, 5, Some(0));
        check(62, CellOp::Get, 0, Some(0));
        check(64, CellOp::Get, 0, None);
        check(u32::MAX, CellOp::Put, 1, None);
    }

    #[test]
    fn concurrent_additions_are_all_counted() {
        let table = SharedTable::new(0).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).filter_map(|_| table.cell(9, CellOp::Add, 3)).count());
            }
        });
        assert_eq!(table.cell(9, CellOp::Get, 0), Some(120_000));
    }
}
