//! The table of positions already judged, as partition search has it (Ginsberg 1996; Haglund
//! and Hein's account of DDS): an entry stands for all positions of one shape, that is with
//! the same lengths of suits in the four hands and the same leader, in which the same hands
//! own so many of the highest cards of each suit. What an entry says is true of every such
//! position whatever the deal, so that nothing need be cleared but to make room.
//! Bounded: when it is full, what was learned near the end of the deal makes room, since it is
//! found out again soonest; another deal starts with nothing, which costs nothing (generations).

use crate::entry::{Entry, Lesson, Owners};
use crate::rooms::{Node, Rooms};

/// Where a shape has the number of tricks left, and its key the generation.
pub(crate) const LEFT: u32 = 48;
const GENERATION: u32 = 55;
const GENERATIONS: u64 = 1 << (64 - GENERATION);

/// A shape and where its entries are.
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

/// Shapes that there is room for at first.
const FEW_SHAPES: usize = 1 << 15;
/// What shapes may take of all bytes.
const SHAPES_PART: usize = 4;

pub(crate) struct Memory {
    /// Grows from [`FEW_SHAPES`] on, so that short searches stay in the processor's caches.
    shapes: Vec<Shape>,
    most_shapes: usize,
    used_shapes: usize,
    rooms: Rooms,
    generation: u64,
}

impl Memory {
    /// As many entries and shapes as go into so many bytes, a few at least.
    pub(crate) fn new(bytes: usize) -> Memory {
        let most_shapes = (bytes / SHAPES_PART / size_of::<Shape>()).clamp(16, 1 << 26);
        let most_shapes = 1 << most_shapes.ilog2();
        let left = bytes.saturating_sub(most_shapes * size_of::<Shape>());
        Memory {
            shapes: vec![Shape::default(); most_shapes.min(FEW_SHAPES)],
            most_shapes,
            used_shapes: 0,
            rooms: Rooms::new((left / size_of::<Entry>()).min(1 << 31)),
            generation: 1,
        }
    }

    /// How many bytes have ever been in use.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.shapes[..]) + self.rooms.bytes()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.generation += 1;
        if self.generation == GENERATIONS {
            self.generation = 1;
            self.shapes.fill(Shape::default());
        }
        self.used_shapes = 0;
        self.rooms.clear();
    }

    /// Makes room for more shapes, or for what is left of those that are there.
    fn make_room_for_shapes(&mut self) {
        if self.shapes.len() == self.most_shapes {
            return self.make_room();
        }
        let slots = vec![Shape::default(); 2 * self.shapes.len()];
        let generation = self.generation;
        let old = std::mem::replace(&mut self.shapes, slots);
        self.insert(old.into_iter().filter(|shape| shape.key >> GENERATION == generation));
    }

    /// Forgets at least half: what has the fewest tricks left.
    fn make_room(&mut self) {
        let generation = self.generation;
        let slots = vec![Shape::default(); self.shapes.len()];
        let mut old = std::mem::replace(&mut self.shapes, slots);
        old.retain(|shape| shape.key >> GENERATION == generation);
        let mut places = [0; 16];
        let mut shapes = [0; 16];
        for shape in &old {
            shapes[shape.left()] += 1;
            places[shape.left()] += self.rooms.places(shape.node);
        }
        let all: usize = places.iter().sum();
        let (mut freed, mut gone, mut least) = (0, 0, 0);
        while least < 16 && (2 * freed < all || 2 * gone < old.len()) {
            freed += places[least];
            gone += shapes[least];
            least += 1;
        }
        for shape in old.iter().filter(|shape| shape.left() < least) {
            self.rooms.release(shape.node);
        }
        self.insert(old.into_iter().filter(|shape| shape.left() >= least));
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
        if shape.key == key { self.rooms.look(shape.node, owners, need) } else { None }
    }

    /// Remembers what was learned of a position.
    pub(crate) fn keep(&mut self, shape: u64, owners: &Owners, lesson: &Lesson) {
        if self.used_shapes * 4 > self.shapes.len() * 3 {
            self.make_room_for_shapes();
        }
        let (entry, lengths) = (Entry::new(owners, lesson), lengths(shape));
        // What is freed may lie in rooms of other sizes: then all is.
        for make_room in [Memory::make_room, Memory::clear] {
            let (at, key) = self.slot(shape);
            let slot = &mut self.shapes[at];
            if slot.key != key {
                *slot = Shape { key, node: Node::default() };
                self.used_shapes += 1;
            }
            if self.rooms.keep(&mut slot.node, lengths, entry) {
                return;
            }
            make_room(self);
        }
    }
}

/// How many cards of each suit there are, by the lengths in the hands.
fn lengths(shape: u64) -> [u32; 4] {
    let left = (shape >> LEFT & 15) as u32;
    let of = |suit: u32| (0..4).map(|hand| (shape >> (16 * suit + 4 * hand) & 15) as u32).sum();
    let three: [u32; 3] = [of(0), of(1), of(2)];
    [three[0], three[1], three[2], 4 * left - three.iter().sum::<u32>()]
}
