//! What the instances of one engine share that search together in one bout: a table from
//! number to number and 64 atomic cells. Knows nothing of what is in them, takes no lock
//! and allocates only when it is made.

mod table;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use sandboard_abi::{CellOp, limits};

use super::{Fault, FaultCode};
use table::{SLOT_BYTES, Table};

/// The fewest slots of a table, whatever its instances may hold.
const SLOTS_MIN: u64 = 1 << 12;
/// What part of an instance's memory cap the table takes beside it.
const SHARE: u64 = 4;

/// What the instances of a team share.
pub struct Commons {
    table: Table<AtomicU64>,
    cells: [AtomicI64; limits::CELLS],
}

/// Slots of the table of a team each of which may hold so many bytes.
pub fn slots(memory_bytes: u64) -> u64 {
    let slots = (memory_bytes / SHARE / SLOT_BYTES).max(SLOTS_MIN);
    1 << slots.ilog2()
}

/// Bytes of that table.
#[cfg(target_os = "linux")]
pub fn table_bytes(memory_bytes: u64) -> u64 {
    slots(memory_bytes) * SLOT_BYTES
}

/// The cells of an instance that is alone.
pub struct Cells([i64; limits::CELLS]);

impl Default for Cells {
    fn default() -> Self {
        Self([0; limits::CELLS])
    }
}

impl Cells {
    /// As [`Commons::cell`].
    pub fn cell(&mut self, index: u32, op: CellOp, value: i64) -> Option<i64> {
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

impl Commons {
    /// Empty, for instances each of which may hold so many bytes. Err: the system has no
    /// memory for it.
    pub fn new(memory_bytes: u64) -> Result<Self, Fault> {
        let slots = slots(memory_bytes);
        let table = Table::new(slots).ok_or_else(|| {
            let sentence = format!("got no memory for a shared table of {slots} slots");
            Fault::new(FaultCode::Host, sentence)
        })?;
        Ok(Self { table, cells: [const { AtomicI64::new(0) }; limits::CELLS] })
    }

    /// How many slots the table has.
    pub fn slots(&self) -> u64 {
        self.table.slots()
    }

    /// What was stored under this key; 0: nothing, or it is gone.
    #[inline]
    pub fn probe(&self, key: u64) -> u64 {
        self.table.probe(key)
    }

    /// Stores a value under a key; 0 stores nothing.
    #[inline]
    pub fn store(&self, key: u64, value: u64) {
        self.table.store(key, value);
    }

    /// Works on a cell; what it held before. None: there is no such cell.
    pub fn cell(&self, index: u32, op: CellOp, value: i64) -> Option<i64> {
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
    fn a_table_is_a_quarter_of_the_cap_and_never_too_small() {
        let check = |memory_bytes: u64, expected: u64| {
            assert_eq!(slots(memory_bytes), expected, "{memory_bytes}");
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
    fn cells_do_what_they_are_asked_and_tell_what_was_there() {
        let (commons, mut own) = (Commons::new(0).unwrap(), Cells::default());
        let mut check = |index: u32, op: CellOp, value: i64, expected: Option<i64>| {
            assert_eq!(commons.cell(index, op, value), expected, "{index} {op:?} {value}");
            assert_eq!(own.cell(index, op, value), expected, "alone: {index} {op:?} {value}");
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
    fn additions_of_many_threads_are_all_counted() {
        let commons = Commons::new(0).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).filter_map(|_| commons.cell(9, CellOp::Add, 3)).count());
            }
        });
        assert_eq!(commons.cell(9, CellOp::Get, 0), Some(120_000));
    }
}
