//! The transposition table of partition search (Ginsberg 1996; Haglund and Hein's description of
//! DDS). An entry covers all positions of one shape, that is with the same suit lengths in the four
//! hands and the same leader, in which the same hands own a number of highest cards of each suit.
//! An entry is valid for every deal, so entries are only removed for space.
//!
//! The memory is bounded. If it is full, entries near the end of the deal are removed first, since
//! they are found again fastest. A new deal starts a new generation, which removes all entries at
//! no cost.

use crate::entry::{Entry, Owners, PartitionBounds};
use crate::entry_pool::{EntryPool, Node};

/// The bit offset of the number of tricks left in a shape, and of the generation in its key.
pub(crate) const LEFT: u32 = 48;
const GENERATION: u32 = 55;
const GENERATIONS: u64 = 1 << (64 - GENERATION);

/// A shape with the node of its entries.
#[derive(Clone, Copy, Default)]
struct Shape {
    key: u64,
    node: Node,
}

impl Shape {
    fn left(&self) -> usize {
        (self.key >> LEFT & 15) as usize
    }
}

/// The initial number of shape slots.
const SHAPES_START: usize = 1 << 15;
/// The shape slots take at most this fraction (1 / n) of the memory.
const SHAPES_DIVISOR: usize = 4;

pub(crate) struct TranspositionTable {
    /// The shape slots; they grow from [`SHAPES_START`], so that short searches stay in the CPU
    /// caches.
    shapes: Vec<Shape>,
    shapes_max: usize,
    shapes_used: usize,
    pool: EntryPool,
    generation: u64,
}

impl TranspositionTable {
    /// Creates a table of this many bytes, or of the minimum size.
    pub(crate) fn new(bytes: usize) -> TranspositionTable {
        let shapes_max = (bytes / SHAPES_DIVISOR / size_of::<Shape>()).clamp(16, 1 << 26);
        let shapes_max = 1 << shapes_max.ilog2();
        let left = bytes.saturating_sub(shapes_max * size_of::<Shape>());
        TranspositionTable {
            shapes: vec![Shape::default(); shapes_max.min(SHAPES_START)],
            shapes_max,
            shapes_used: 0,
            pool: EntryPool::new((left / size_of::<Entry>()).min(1 << 31)),
            generation: 1,
        }
    }

    /// The largest number of bytes used so far.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.shapes[..]) + self.pool.bytes()
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.generation += 1;
        if self.generation == GENERATIONS {
            self.generation = 1;
            self.shapes.fill(Shape::default());
        }
        self.shapes_used = 0;
        self.pool.clear();
    }

    /// Grows the shape slots, or frees some at the maximum size.
    fn grow_shapes(&mut self) {
        if self.shapes.len() == self.shapes_max {
            return self.free_half();
        }
        let slots = vec![Shape::default(); 2 * self.shapes.len()];
        let generation = self.generation;
        let old = std::mem::replace(&mut self.shapes, slots);
        self.insert(old.into_iter().filter(|shape| shape.key >> GENERATION == generation));
    }

    /// Removes at least half of the entries: those with the fewest tricks left.
    fn free_half(&mut self) {
        let generation = self.generation;
        let empty = vec![Shape::default(); self.shapes.len()];
        let mut old = std::mem::replace(&mut self.shapes, empty);
        old.retain(|shape| shape.key >> GENERATION == generation);
        let mut slots = [0; 16];
        let mut shapes = [0; 16];
        for shape in &old {
            shapes[shape.left()] += 1;
            slots[shape.left()] += self.pool.slot_count(shape.node);
        }
        let all: usize = slots.iter().sum();
        let (mut freed, mut removed, mut least) = (0, 0, 0);
        while least < 16 && (2 * freed < all || 2 * removed < old.len()) {
            freed += slots[least];
            removed += shapes[least];
            least += 1;
        }
        for shape in old.iter().filter(|shape| shape.left() < least) {
            self.pool.release(shape.node);
        }
        self.insert(old.into_iter().filter(|shape| shape.left() >= least));
    }

    /// Inserts shapes into empty slots.
    fn insert(&mut self, shapes: impl Iterator<Item = Shape>) {
        self.shapes_used = 0;
        for shape in shapes {
            let (index, _) = self.slot(shape.key & !(u64::MAX << GENERATION));
            self.shapes[index] = shape;
            self.shapes_used += 1;
        }
    }

    /// The slot of a shape, or the free slot where it belongs; with its key.
    #[inline]
    fn slot(&self, shape: u64) -> (usize, u64) {
        let key = shape | self.generation << GENERATION;
        let last = self.shapes.len() - 1;
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut index = (hash >> 32) as usize & last;
        while self.shapes[index].key != key
            && self.shapes[index].key >> GENERATION == self.generation
        {
            index = (index + 1) & last;
        }
        (index, key)
    }

    /// The newest entry that decides whether North-South take `need` tricks in a position.
    #[inline]
    pub(crate) fn lookup(&self, shape: u64, owners: &Owners, need: u32) -> Option<PartitionBounds> {
        let (index, key) = self.slot(shape);
        let shape = &self.shapes[index];
        if shape.key == key { self.pool.lookup(shape.node, owners, need) } else { None }
    }

    /// Stores the bounds of a position.
    pub(crate) fn store(&mut self, shape: u64, owners: &Owners, bounds: &PartitionBounds) {
        if self.shapes_used * 4 > self.shapes.len() * 3 {
            self.grow_shapes();
        }
        let (entry, lengths) = (Entry::new(owners, bounds), lengths(shape));
        // The freed blocks may have other sizes; then all entries are removed.
        for free_half in [TranspositionTable::free_half, TranspositionTable::clear] {
            let (index, key) = self.slot(shape);
            let slot = &mut self.shapes[index];
            if slot.key != key {
                *slot = Shape { key, node: Node::default() };
                self.shapes_used += 1;
            }
            if self.pool.store(&mut slot.node, lengths, entry) {
                return;
            }
            free_half(self);
        }
    }
}

/// The number of cards of each suit, from the lengths in the hands.
fn lengths(shape: u64) -> [u32; 4] {
    let left = (shape >> LEFT & 15) as u32;
    let of = |suit: u32| (0..4).map(|hand| (shape >> (16 * suit + 4 * hand) & 15) as u32).sum();
    let three: [u32; 3] = [of(0), of(1), of(2)];
    [three[0], three[1], three[2], 4 * left - three.iter().sum::<u32>()]
}
