//! Where the entries of shapes lie: in rooms that double as they fill. A room that cannot double
//! is split by the owners of the highest card of each suit, the rooms that come of it by those of the
//! second highest, and so on: deals of long suits have thousands of entries to a shape, too many to be
//! looked through.

use crate::entry::{Entry, Lesson, Owners, SUIT};

/// The room of a shape at first, and how often it can double.
const SMALLEST: usize = 4;
const CLASSES: usize = 7;
/// One child for each way in which four highest cards are owned, two to an entry's place.
const CHILDREN: usize = 256;
const CHILDREN_CLASS: usize = 5;
const _: () = assert!(SMALLEST << CHILDREN_CLASS == CHILDREN / 2);
/// The least that a table of any use has.
pub(crate) const LEAST_ENTRIES: usize = 3 * (SMALLEST << (CLASSES - 1));

/// Entries that belong together, and where they lie.
#[derive(Clone, Copy, Default)]
pub(crate) struct Node {
    /// 0: it has no room.
    first: u32,
    count: u16,
    /// The room: [`SMALLEST`] shifted by so much.
    class: u8,
    /// Whether it has children; the first place of its room says where.
    split: bool,
    /// Which one gives way next when there is no larger room.
    oldest: u8,
}

impl Node {
    fn start(&self) -> usize {
        self.first as usize + usize::from(self.split)
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.start()..self.start() + usize::from(self.count)
    }

    fn capacity(&self) -> usize {
        (SMALLEST << self.class) - usize::from(self.split)
    }

    fn packed(&self) -> u64 {
        u64::from(self.first)
            | u64::from(self.count) << 32
            | u64::from(self.class) << 48
            | u64::from(self.split) << 52
            | u64::from(self.oldest) << 56
    }

    fn unpacked(word: u64) -> Node {
        Node {
            first: word as u32,
            count: (word >> 32) as u16,
            class: (word >> 48 & 15) as u8,
            split: word >> 52 & 1 != 0,
            oldest: (word >> 56) as u8,
        }
    }
}

/// A node: that of the shape itself, or a child in a room of children.
#[derive(Clone, Copy)]
enum At {
    Root,
    Child { room: usize, number: usize },
}

/// What came of putting an entry into a node.
enum Put {
    Done,
    /// The node was split: it may belong to a child now.
    Split,
    NoRoom,
}

/// All rooms.
pub(crate) struct Rooms {
    entries: Vec<Entry>,
    used: usize,
    most_used: usize,
    /// By class the first of a chain of rooms that nobody has; 0 ends it.
    free: [u32; CLASSES],
}

/// Which child: by the owners of the rank that is `level` below the highest, of each suit.
#[inline(always)]
fn child_of(owners: &Owners, level: u32) -> usize {
    let owner = |suit: u32| (owners[suit as usize / 2] >> (SUIT * (suit & 1) + 24 - 2 * level)) & 3;
    (owner(0) | owner(1) << 2 | owner(2) << 4 | owner(3) << 6) as usize
}

impl Rooms {
    pub(crate) fn new(entries: usize) -> Rooms {
        let entries = vec![Entry::default(); entries.max(LEAST_ENTRIES)];
        let mut rooms = Rooms { entries, used: 0, most_used: 0, free: [0; CLASSES] };
        rooms.clear();
        rooms
    }

    /// How many bytes have ever been in use.
    pub(crate) fn bytes(&self) -> usize {
        self.most_used * size_of::<Entry>()
    }

    /// Nobody has a room any more.
    pub(crate) fn clear(&mut self) {
        // No room begins at 0.
        (self.used, self.free) = (SMALLEST, [0; CLASSES]);
    }

    fn child(&self, room: usize, number: usize) -> Node {
        Node::unpacked(self.entries[room + number / 2].0[number & 1])
    }

    fn children(&self, node: Node) -> usize {
        self.entries[node.first as usize].0[0] as usize
    }

    /// The newest that says whether North-South take `need` tricks.
    #[inline]
    pub(crate) fn look(&self, root: Node, owners: &Owners, need: u32) -> Option<Lesson> {
        let decides = |entry: &&Entry| {
            let (least, most) = entry.bounds();
            entry.is_of(owners) && (least >= need || most < need)
        };
        let mut node = root;
        for level in 0.. {
            let found = self.entries[node.range()].iter().rev().find(decides);
            if let Some(entry) = found {
                return Some(entry.lesson());
            }
            if !node.split {
                break;
            }
            node = self.child(self.children(node), child_of(owners, level));
        }
        None
    }

    /// Remembers; an entry that says no more than this gives way to it, and one about the same
    /// positions is made tighter. False: there is no room.
    pub(crate) fn keep(&mut self, root: &mut Node, lengths: [u32; 4], entry: Entry) -> bool {
        let fixed = entry.lesson().fixed;
        let (mut at, mut level) = (At::Root, 0);
        loop {
            let mut node = self.node(root, at);
            while node.split && belongs_below(&fixed, &lengths, level) {
                let room = self.children(node);
                at = At::Child { room, number: child_of(&entry.0, level) };
                node = self.node(root, at);
                level += 1;
            }
            for old in &mut self.entries[node.range()] {
                if let Some(both) = entry.with(old) {
                    *old = both;
                    return true;
                }
            }
            match self.put(root, at, level, lengths, entry) {
                Put::Done => return true,
                Put::Split => (),
                Put::NoRoom => return false,
            }
        }
    }

    fn node(&self, root: &Node, at: At) -> Node {
        match at {
            At::Root => *root,
            At::Child { room, number } => self.child(room, number),
        }
    }

    fn set(&mut self, root: &mut Node, at: At, node: Node) {
        match at {
            At::Root => *root = node,
            At::Child { room, number } => {
                self.entries[room + number / 2].0[number & 1] = node.packed();
            }
        }
    }

    fn put(&mut self, root: &mut Node, at: At, level: u32, lengths: [u32; 4], entry: Entry) -> Put {
        let mut node = self.node(root, at);
        if node.first == 0 {
            let Some(first) = self.room(0) else { return Put::NoRoom };
            node = Node { first, ..Node::default() };
        }
        if usize::from(node.count) == node.capacity() {
            if usize::from(node.class) + 1 < CLASSES {
                let Some(larger) = self.room(usize::from(node.class) + 1) else {
                    return Put::NoRoom;
                };
                let old = node.first as usize..node.range().end;
                self.entries.copy_within(old, larger as usize);
                self.give_back(node.first, node.class);
                (node.first, node.class) = (larger, node.class + 1);
            } else if !node.split && level < 13 {
                let Some(room) = self.room(CHILDREN_CLASS) else { return Put::NoRoom };
                self.split(root, at, node, room as usize, level, lengths);
                return Put::Split;
            } else {
                self.entries[node.start() + usize::from(node.oldest)] = entry;
                node.oldest = ((usize::from(node.oldest) + 1) % node.capacity()) as u8;
                self.set(root, at, node);
                return Put::Done;
            }
        }
        node.count += 1;
        self.entries[node.range().end - 1] = entry;
        self.set(root, at, node);
        Put::Done
    }

    /// Gives a node children, and those of its entries that belong to them.
    fn split(
        &mut self,
        root: &mut Node,
        at: At,
        node: Node,
        room: usize,
        level: u32,
        lengths: [u32; 4],
    ) {
        let entries = self.entries[node.range()].to_vec();
        self.entries[room..room + CHILDREN / 2].fill(Entry::default());
        self.entries[node.first as usize] = Entry([room as u64, 0]);
        let node = Node { count: 0, split: true, oldest: 0, ..node };
        self.set(root, at, node);
        for entry in entries {
            let below = belongs_below(&entry.lesson().fixed, &lengths, level);
            let (place, level) = match below {
                true => (At::Child { room, number: child_of(&entry.0, level) }, level + 1),
                false => (at, level),
            };
            // One that finds no room is forgotten.
            self.put(root, place, level, lengths, entry);
        }
    }

    fn room(&mut self, class: usize) -> Option<u32> {
        let free = self.free[class];
        if free != 0 {
            self.free[class] = self.entries[free as usize].0[0] as u32;
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

    fn give_back(&mut self, first: u32, class: u8) {
        self.entries[first as usize] = Entry([u64::from(self.free[usize::from(class)]), 0]);
        self.free[usize::from(class)] = first;
    }

    /// The places that a node and its children take.
    pub(crate) fn places(&self, node: Node) -> usize {
        let mut places = if node.first == 0 { 0 } else { SMALLEST << node.class };
        if node.split {
            let room = self.children(node);
            let children = (0..CHILDREN).map(|number| self.places(self.child(room, number)));
            places += children.sum::<usize>() + CHILDREN / 2;
        }
        places
    }

    /// Takes all that a node and its children have.
    pub(crate) fn release(&mut self, node: Node) {
        if node.split {
            let room = self.children(node);
            for number in 0..CHILDREN {
                self.release(self.child(room, number));
            }
            self.give_back(room as u32, CHILDREN_CLASS as u8);
        }
        if node.first != 0 {
            self.give_back(node.first, node.class);
        }
    }
}

/// Whether an entry with so many fixed ranks says whose the card at this level is in every suit
/// that has one.
fn belongs_below(fixed: &[u32; 4], lengths: &[u32; 4], level: u32) -> bool {
    fixed.iter().zip(lengths).all(|(fixed, length)| *fixed > level || *length <= level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_shapes_are_split_and_forget_nothing() {
        let mut rooms = Rooms::new(1 << 16);
        let (mut root, lengths) = (Node::default(), [6; 4]);
        // All four suits wholly fixed, their owners by the digits of a number.
        let owners = |number: u64| {
            let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let suit = |at: u32| (spread >> (12 * at) & 0xfff) << 14;
            [suit(0) | suit(1) << SUIT, suit(2) | suit(3) << SUIT]
        };
        let lesson = |number: u64| {
            let least = (number % 5) as u32;
            Lesson { fixed: [6; 4], bounds: (least, least) }
        };
        for number in 0..2000 {
            let entry = Entry::new(&owners(number), &lesson(number));
            assert!(rooms.keep(&mut root, lengths, entry));
        }
        assert!(root.split);
        for number in 0..2000 {
            assert_eq!(rooms.look(root, &owners(number), 3), Some(lesson(number)), "{number}");
        }
        assert_eq!(rooms.look(root, &owners(5000), 3), None);
        let places = rooms.places(root);
        rooms.release(root);
        let mut again = Node::default();
        let before = rooms.most_used;
        for number in 0..2000 {
            rooms.keep(&mut again, lengths, Entry::new(&owners(number), &lesson(number)));
        }
        assert_eq!((rooms.most_used, rooms.places(again)), (before, places), "rooms were lost");
    }
}
