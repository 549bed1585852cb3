//! The table of positions already judged, as partition search has it (Ginsberg 1996; Haglund
//! and Hein's account of DDS): an entry stands for all positions of one shape, that is with
//! the same lengths of suits in the four hands and the same leader, in which the same hands
//! own so many of the highest cards of each suit. What an entry says is true of every such
//! position whatever the deal, so that nothing need be cleared but to make room.
//! Bounded: when it is full it is emptied, which costs nothing (generations).

use crate::lanes::top_owners;

/// Where the bounds stand in the first word of owners: six bits of each half are free.
const LOWER: u32 = 26;
const UPPER: u32 = 58;
/// Where the lead stands in the second: the suit, then how many cards are higher.
const LEAD: u32 = 26;
const FIELD: u64 = 15;

/// The owners of the ranks of two suits in each word, and which of them are fixed.
type Entry = [u64; 4];

/// The owners of all ranks, counted from the top of each suit.
pub(crate) type Owners = [u64; 2];

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

/// What is known of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Tricks that North-South take at least and at most, by the entry that decides.
    pub(crate) bounds: Option<(u32, u32)>,
    /// How many of the highest cards of each suit the entry has fixed.
    pub(crate) fixed: [u32; 4],
    /// The lead that was best, as suit and number of higher cards.
    pub(crate) lead: Option<(usize, u32)>,
}

/// What is to be remembered of a position.
pub(crate) struct Lesson {
    /// How many of the highest cards of each suit it rests on.
    pub(crate) fixed: [u32; 4],
    /// Tricks that North-South take at least and at most.
    pub(crate) bounds: (u32, u32),
    /// The best lead as suit and number of higher cards.
    pub(crate) lead: (usize, u32),
}

pub(crate) struct Memory {
    shapes: Vec<Shape>,
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
        let shapes = (bytes / 16 / size_of::<Shape>()).clamp(16, 1 << 18);
        let shapes = 1 << shapes.ilog2();
        let left = bytes.saturating_sub(shapes * size_of::<Shape>());
        let entries = (left / size_of::<Entry>()).clamp(SMALLEST << (CLASSES - 1), 1 << 26);
        Memory {
            shapes: vec![Shape::default(); shapes],
            used_shapes: 0,
            entries: vec![[0; 4]; entries],
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

    /// The slot of a shape: its own or the free one where it would stand.
    #[inline]
    fn slot(&self, shape: u64) -> (usize, u64) {
        let key = shape | self.generation << 55;
        let last = self.shapes.len() - 1;
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 32) as usize & last;
        while self.shapes[at].key != key && self.shapes[at].key >> 55 == self.generation {
            at = (at + 1) & last;
        }
        (at, key)
    }

    /// What is known of a position: the newest entry that says whether North-South take `need`
    /// tricks, and otherwise the lead of one that does not.
    #[inline]
    pub(crate) fn look(&self, shape: u64, owners: &Owners, need: u32) -> Known {
        let (at, key) = self.slot(shape);
        let shape = &self.shapes[at];
        let mut known = Known::default();
        if shape.key != key {
            return known;
        }
        let first = shape.first as usize;
        for entry in self.entries[first..first + usize::from(shape.count)].iter().rev() {
            if (entry[0] ^ owners[0]) & entry[2] | (entry[1] ^ owners[1]) & entry[3] != 0 {
                continue;
            }
            let bounds = ((entry[0] >> LOWER & FIELD) as u32, (entry[0] >> UPPER & FIELD) as u32);
            let lead = entry[1] >> LEAD;
            known.lead = Some((lead as usize & 3, (lead >> 32 & FIELD) as u32));
            if bounds.0 >= need || bounds.1 < need {
                known.bounds = Some(bounds);
                known.fixed = std::array::from_fn(|suit| {
                    let mask = (entry[2 + suit / 2] >> (32 * (suit & 1))) as u32;
                    13u32.saturating_sub(mask.trailing_zeros() / 2)
                });
                break;
            }
        }
        known
    }

    /// Remembers; an entry about the same positions is made tighter instead of a second one.
    pub(crate) fn keep(&mut self, shape: u64, owners: &Owners, lesson: &Lesson) {
        if self.used_shapes * 4 > self.shapes.len() * 3 {
            self.clear();
        }
        let fixed = lesson.fixed.map(top_owners);
        let mask = [fixed[0] | fixed[1] << 32, fixed[2] | fixed[3] << 32];
        let (mut lower, mut upper) = lesson.bounds;
        let owners = [owners[0] & mask[0], owners[1] & mask[1]];
        let (mut at, mut key) = self.slot(shape);
        if self.shapes[at].key == key {
            let Shape { first, count, .. } = self.shapes[at];
            let same = |entry: &&mut Entry| {
                entry[2] == mask[0]
                    && entry[3] == mask[1]
                    && (entry[0] ^ owners[0]) & mask[0] | (entry[1] ^ owners[1]) & mask[1] == 0
            };
            let range = first as usize..first as usize + usize::from(count);
            if let Some(entry) = self.entries[range].iter_mut().find(same) {
                lower = lower.max((entry[0] >> LOWER & FIELD) as u32);
                upper = upper.min((entry[0] >> UPPER & FIELD) as u32);
                *entry = Memory::entry(owners, mask, (lower, upper), lesson.lead);
                return;
            }
        }
        let entry = Memory::entry(owners, mask, (lower, upper), lesson.lead);
        let place = loop {
            match self.place(at, key) {
                Some(place) => break place,
                None => {
                    self.clear();
                    (at, key) = self.slot(shape);
                }
            }
        };
        self.entries[place] = entry;
    }

    fn entry(owners: Owners, mask: [u64; 2], bounds: (u32, u32), lead: (usize, u32)) -> Entry {
        [
            owners[0] | u64::from(bounds.0) << LOWER | u64::from(bounds.1) << UPPER,
            owners[1] | (lead.0 as u64) << LEAD | u64::from(lead.1) << (LEAD + 32),
            mask[0],
            mask[1],
        ]
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
