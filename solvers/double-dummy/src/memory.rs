//! The table of positions already judged, as partition search has it (Ginsberg 1996; Haglund
//! and Hein's account of DDS): an entry stands for all positions of one shape, that is with
//! the same lengths of suits in the four hands and the same leader, in which the same hands
//! own so many of the highest cards of each suit. What an entry says is true of every such
//! position whatever the deal, so that nothing need be cleared but to make room.
//! Bounded: when it is full, what was learned near the end of the deal makes room, since it is
//! found out again soonest; another deal starts with nothing, which costs nothing (generations).

use crate::lanes::top_owners;

/// How many bits the owners of a suit take: two for each rank.
pub(crate) const SUIT: u32 = 26;
/// Above the owners of two suits: a bound, and how many ranks of each of the two are fixed.
const BOUND: u32 = 2 * SUIT;
const RANKS: u32 = BOUND + 4;
const FIELD: u64 = 15;

/// The owners of the ranks of two suits in each word, counted from the top; above them how
/// many of these ranks count, and in the first the least that North-South take, in the second the most.
type Entry = [u64; 2];

/// The owners of all ranks, counted from the top of each suit.
pub(crate) type Owners = [u64; 2];

/// By how many ranks of two suits are fixed: the mask over their owners.
static MASKS: [u64; 256] = {
    let mut masks = [0; 256];
    let mut ranks = 0;
    while ranks < 256 {
        if ranks & 15 <= 13 && ranks >> 4 <= 13 {
            masks[ranks] = top_owners(ranks as u32 & 15) | top_owners(ranks as u32 >> 4) << SUIT;
        }
        ranks += 1;
    }
    masks
};

/// The mask over the owners in a word of an entry.
#[inline(always)]
fn mask(word: u64) -> u64 {
    MASKS[(word >> RANKS) as usize]
}

#[inline(always)]
fn bounds(entry: &Entry) -> (u32, u32) {
    ((entry[0] >> BOUND & FIELD) as u32, (entry[1] >> BOUND & FIELD) as u32)
}

/// How many ranks of each suit are fixed.
fn fixed(entry: &Entry) -> [u32; 4] {
    std::array::from_fn(|suit| (entry[suit / 2] >> (RANKS + 4 * (suit as u32 & 1)) & FIELD) as u32)
}

/// Where a shape has the number of tricks left, and its key the generation.
pub(crate) const LEFT: u32 = 48;
const GENERATION: u32 = 55;

/// The entries of one shape: where they lie and how many.
#[derive(Clone, Copy, Default)]
struct Shape {
    key: u64,
    first: u32,
    count: u16,
    /// The room: [`SMALLEST`] shifted by so much.
    class: u8,
    /// Which one gives way next when there is no larger room.
    oldest: u8,
}

/// The room of a shape at first, and how often it can double.
const SMALLEST: usize = 4;
const CLASSES: usize = 7;
const NONE: u32 = u32::MAX;

/// Shapes that there is room for at first.
const FEW_SHAPES: usize = 1 << 15;
/// What shapes may take of all bytes.
const SHAPES_PART: usize = 4;

/// What is known, or to be remembered, of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lesson {
    /// How many of the highest cards of each suit it rests on.
    pub(crate) fixed: [u32; 4],
    /// Tricks that North-South take at least and at most.
    pub(crate) bounds: (u32, u32),
}

pub(crate) struct Memory {
    /// Grows from [`FEW_SHAPES`] on, so that short searches stay in the processor's caches.
    shapes: Vec<Shape>,
    most_shapes: usize,
    used_shapes: usize,
    entries: Vec<Entry>,
    used: usize,
    most_used: usize,
    /// By class the first of a chain of rooms that were left for larger ones.
    free: [u32; CLASSES],
    generation: u64,
}

impl Memory {
    /// As many entries and shapes as go into so many bytes, a few at least.
    pub(crate) fn new(bytes: usize) -> Memory {
        let most_shapes = (bytes / SHAPES_PART / size_of::<Shape>()).clamp(16, 1 << 26);
        let most_shapes = 1 << most_shapes.ilog2();
        let left = bytes.saturating_sub(most_shapes * size_of::<Shape>());
        let entries = (left / size_of::<Entry>()).clamp(SMALLEST << (CLASSES - 1), 1 << 28);
        Memory {
            shapes: vec![Shape::default(); most_shapes.min(FEW_SHAPES)],
            most_shapes,
            used_shapes: 0,
            entries: vec![[0; 2]; entries],
            used: 0,
            most_used: 0,
            free: [NONE; CLASSES],
            generation: 1,
        }
    }

    /// How many bytes have ever been in use.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.shapes[..]) + self.most_used * size_of::<Entry>()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.generation += 1;
        if self.generation == 1 << 9 {
            self.generation = 1;
            self.shapes.fill(Shape::default());
        }
        (self.used, self.used_shapes, self.free) = (0, 0, [NONE; CLASSES]);
    }

    /// Makes room for more shapes, or for what is left of those that are there.
    fn make_room_for_shapes(&mut self) {
        if self.shapes.len() == self.most_shapes {
            return self.make_room();
        }
        let (slots, generation) = (2 * self.shapes.len(), self.generation);
        let old = std::mem::replace(&mut self.shapes, vec![Shape::default(); slots]);
        self.insert(old.into_iter().filter(|shape| shape.key >> GENERATION == generation));
    }

    /// Forgets at least half: what has the fewest tricks left.
    fn make_room(&mut self) {
        let generation = self.generation;
        let current = |shape: &&Shape| shape.key >> GENERATION == generation;
        let mut slots = [0; 16];
        let mut shapes = [0; 16];
        for shape in self.shapes.iter().filter(current) {
            let left = (shape.key >> LEFT & FIELD) as usize;
            shapes[left] += 1;
            slots[left] += SMALLEST << shape.class;
        }
        let (mut freed, mut gone, mut least) = (0, 0, 0);
        while least < 16 && (2 * freed < self.used || 2 * gone < self.used_shapes) {
            freed += slots[least];
            gone += shapes[least];
            least += 1;
        }
        let stays = |shape: &&Shape| (shape.key >> LEFT & FIELD) as usize >= least;
        let mut kept: Vec<Shape> =
            self.shapes.iter().filter(current).filter(stays).copied().collect();
        kept.sort_unstable_by_key(|shape| shape.first);
        (self.used, self.free) = (0, [NONE; CLASSES]);
        for shape in &mut kept {
            let (first, room) = (shape.first as usize, SMALLEST << shape.class);
            // Rooms only move down, the lowest first: none is written over.
            self.entries.copy_within(first..first + room, self.used);
            shape.first = self.used as u32;
            self.used += room;
        }
        self.shapes.fill(Shape::default());
        self.insert(kept.into_iter());
    }

    /// Puts shapes into slots of which none is taken.
    fn insert(&mut self, shapes: impl Iterator<Item = Shape>) {
        self.used_shapes = 0;
        for shape in shapes {
            let (at, _) = self.slot(shape.key & !(u64::MAX << GENERATION));
            self.shapes[at] = shape;
            self.used_shapes += 1;
        }
    }

    /// The slot of a shape: its own or the free one where it would stand.
    #[inline]
    fn slot(&self, shape: u64) -> (usize, u64) {
        let key = shape | self.generation << GENERATION;
        let last = self.shapes.len() - 1;
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 32) as usize & last;
        while self.shapes[at].key != key && self.shapes[at].key >> GENERATION == self.generation {
            at = (at + 1) & last;
        }
        (at, key)
    }

    /// The newest that says whether North-South take `need` tricks in a position.
    #[inline]
    pub(crate) fn look(&self, shape: u64, owners: &Owners, need: u32) -> Option<Lesson> {
        let (at, key) = self.slot(shape);
        let shape = &self.shapes[at];
        if shape.key != key {
            return None;
        }
        let first = shape.first as usize;
        let entries = &self.entries[first..first + usize::from(shape.count)];
        entries.iter().rev().find_map(|entry| {
            let differs =
                (entry[0] ^ owners[0]) & mask(entry[0]) | (entry[1] ^ owners[1]) & mask(entry[1]);
            if differs != 0 {
                return None;
            }
            let bounds = bounds(entry);
            (bounds.0 >= need || bounds.1 < need).then(|| Lesson { fixed: fixed(entry), bounds })
        })
    }

    /// Remembers; an entry that says no more than this gives way to it, and one about the same
    /// positions is made tighter.
    pub(crate) fn keep(&mut self, shape: u64, owners: &Owners, lesson: &Lesson) {
        if self.used_shapes * 4 > self.shapes.len() * 3 {
            self.make_room_for_shapes();
        }
        let ranks = |suit: usize| u64::from(lesson.fixed[suit] | lesson.fixed[suit + 1] << 4);
        let (low, high) = (ranks(0), ranks(2));
        let masks = [MASKS[low as usize], MASKS[high as usize]];
        let (mut lower, mut upper) = lesson.bounds;
        let (mut at, mut key) = self.slot(shape);
        let mut place = None;
        if self.shapes[at].key == key {
            let Shape { first, count, .. } = self.shapes[at];
            let range = first as usize..first as usize + usize::from(count);
            for (number, entry) in self.entries[range].iter().enumerate() {
                let like = (entry[0] ^ owners[0]) & masks[0] | (entry[1] ^ owners[1]) & masks[1];
                if like != 0 {
                    continue;
                }
                let (least, most) = bounds(entry);
                if entry[0] >> RANKS == low && entry[1] >> RANKS == high {
                    (lower, upper) = (lower.max(least), upper.min(most));
                    place = Some(first as usize + number);
                    break;
                }
                let narrower =
                    mask(entry[0]) & masks[0] == masks[0] && mask(entry[1]) & masks[1] == masks[1];
                if narrower && least <= lower && most >= upper {
                    place = Some(first as usize + number);
                }
            }
        }
        let entry = [
            owners[0] & masks[0] | u64::from(lower) << BOUND | low << RANKS,
            owners[1] & masks[1] | u64::from(upper) << BOUND | high << RANKS,
        ];
        let place = place.unwrap_or_else(|| {
            loop {
                match self.place(at, key) {
                    Some(place) => break place,
                    None => {
                        self.clear();
                        (at, key) = self.slot(shape);
                    }
                }
            }
        });
        self.entries[place] = entry;
    }

    /// Where the next entry of the shape in this slot goes. None: there is no room.
    fn place(&mut self, at: usize, key: u64) -> Option<usize> {
        if self.shapes[at].key != key {
            let first = self.room(0)?;
            self.shapes[at] = Shape { key, first, ..Shape::default() };
            self.used_shapes += 1;
        }
        let Shape { first, count, class, oldest, .. } = self.shapes[at];
        let (first, count, class) = (first as usize, usize::from(count), usize::from(class));
        if count < SMALLEST << class {
            self.shapes[at].count += 1;
            return Some(first + count);
        }
        if class + 1 == CLASSES {
            self.shapes[at].oldest = ((usize::from(oldest) + 1) % count) as u8;
            return Some(first + usize::from(oldest));
        }
        let larger = self.room(class + 1)?;
        self.entries.copy_within(first..first + count, larger as usize);
        self.entries[first][0] = u64::from(self.free[class]);
        self.free[class] = first as u32;
        let shape = &mut self.shapes[at];
        (shape.first, shape.class) = (larger, class as u8 + 1);
        shape.count += 1;
        Some(larger as usize + count)
    }

    fn room(&mut self, class: usize) -> Option<u32> {
        let free = self.free[class];
        if free != NONE {
            self.free[class] = self.entries[free as usize][0] as u32;
            return Some(free);
        }
        let first = self.used;
        let end = first + (SMALLEST << class);
        if end > self.entries.len() {
            return None;
        }
        self.used = end;
        self.most_used = self.most_used.max(end);
        Some(first as u32)
    }
}
