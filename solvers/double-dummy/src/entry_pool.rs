//! The storage of transposition entries: blocks that double as they fill. A block that cannot
//! double is split by the owners of the highest card of each suit, its children by those of the
//! second highest, and so on. Deals with long suits have thousands of entries per shape, too many
//! to scan.

use crate::entry::{Entry, Owners, PartitionBounds, SUIT};

/// The number of entries of the smallest block, and the number of size classes, each double the
/// previous one.
const SMALLEST: usize = 4;
const CLASSES: usize = 7;
/// One child for each combination of owners of four highest cards; two children per entry slot.
const CHILDREN: usize = 256;
const CHILDREN_CLASS: usize = 5;
const _: () = assert!(SMALLEST << CHILDREN_CLASS == CHILDREN / 2);
/// The smallest number of entries of a usable table.
pub(crate) const LEAST_ENTRIES: usize = 3 * (SMALLEST << (CLASSES - 1));

/// A list of entries in a block.
#[derive(Clone, Copy, Default)]
pub(crate) struct Node {
    /// The index of the block; 0: no block.
    first: u32,
    count: u16,
    /// The size class: the block has [`SMALLEST`] `<< class` slots.
    class: u8,
    /// Whether the node has children; the first slot of its block then holds their index.
    split: bool,
    /// The entry to be replaced next if the node cannot grow.
    next_replaced: u8,
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
            | u64::from(self.next_replaced) << 56
    }

    fn unpacked(word: u64) -> Node {
        Node {
            first: word as u32,
            count: (word >> 32) as u16,
            class: (word >> 48 & 15) as u8,
            split: word >> 52 & 1 != 0,
            next_replaced: (word >> 56) as u8,
        }
    }
}

/// The location of a node: the root of a shape, or a child in a block of children.
#[derive(Clone, Copy)]
enum Location {
    Root,
    Child { block: usize, number: usize },
}

/// The result of inserting an entry into a node.
enum Insertion {
    Done,
    /// The node was split; the entry may belong to a child now.
    Split,
    NoSpace,
}

/// All blocks of entries.
pub(crate) struct EntryPool {
    entries: Vec<Entry>,
    used: usize,
    most_used: usize,
    /// The first block of the free list of each size class; 0 ends a list.
    free: [u32; CLASSES],
}

/// The child index: the owners of the rank `level` below the highest, in each suit.
#[inline(always)]
fn child_of(owners: &Owners, level: u32) -> usize {
    let owner = |suit: u32| (owners[suit as usize / 2] >> (SUIT * (suit & 1) + 24 - 2 * level)) & 3;
    (owner(0) | owner(1) << 2 | owner(2) << 4 | owner(3) << 6) as usize
}

impl EntryPool {
    pub(crate) fn new(entries: usize) -> EntryPool {
        let entries = vec![Entry::default(); entries.max(LEAST_ENTRIES)];
        let mut pool = EntryPool { entries, used: 0, most_used: 0, free: [0; CLASSES] };
        pool.clear();
        pool
    }

    /// The largest number of bytes used so far.
    pub(crate) fn bytes(&self) -> usize {
        self.most_used * size_of::<Entry>()
    }

    /// Frees all blocks.
    pub(crate) fn clear(&mut self) {
        // Index 0 means no block.
        (self.used, self.free) = (SMALLEST, [0; CLASSES]);
    }

    fn child(&self, block: usize, number: usize) -> Node {
        Node::unpacked(self.entries[block + number / 2].0[number & 1])
    }

    fn children_block(&self, node: Node) -> usize {
        self.entries[node.first as usize].0[0] as usize
    }

    /// The newest entry that decides whether North-South take `need` tricks.
    #[inline]
    pub(crate) fn lookup(&self, root: Node, owners: &Owners, need: u32) -> Option<PartitionBounds> {
        let decides = |entry: &&Entry| {
            let (least, most) = entry.trick_bounds();
            entry.applies_to(owners) && (least >= need || most < need)
        };
        let mut node = root;
        for level in 0.. {
            let found = self.entries[node.range()].iter().rev().find(decides);
            if let Some(entry) = found {
                return Some(entry.bounds());
            }
            if !node.split {
                break;
            }
            node = self.child(self.children_block(node), child_of(owners, level));
        }
        None
    }

    /// Stores an entry. It replaces an entry that it implies, or tightens one of the same
    /// positions. Returns false if there is no space.
    pub(crate) fn store(&mut self, root: &mut Node, lengths: [u32; 4], entry: Entry) -> bool {
        let fixed_ranks = entry.bounds().fixed_ranks;
        let (mut location, mut level) = (Location::Root, 0);
        loop {
            let mut node = self.node(root, location);
            while node.split && belongs_in_child(&fixed_ranks, &lengths, level) {
                let block = self.children_block(node);
                location = Location::Child { block, number: child_of(&entry.0, level) };
                node = self.node(root, location);
                level += 1;
            }
            for old in &mut self.entries[node.range()] {
                if let Some(merged) = entry.merged(old) {
                    *old = merged;
                    return true;
                }
            }
            match self.insert(root, location, level, lengths, entry) {
                Insertion::Done => return true,
                Insertion::Split => (),
                Insertion::NoSpace => return false,
            }
        }
    }

    fn node(&self, root: &Node, location: Location) -> Node {
        match location {
            Location::Root => *root,
            Location::Child { block, number } => self.child(block, number),
        }
    }

    fn set(&mut self, root: &mut Node, location: Location, node: Node) {
        match location {
            Location::Root => *root = node,
            Location::Child { block, number } => {
                self.entries[block + number / 2].0[number & 1] = node.packed();
            }
        }
    }

    fn insert(
        &mut self,
        root: &mut Node,
        location: Location,
        level: u32,
        lengths: [u32; 4],
        entry: Entry,
    ) -> Insertion {
        let mut node = self.node(root, location);
        if node.first == 0 {
            let Some(first) = self.allocate(0) else { return Insertion::NoSpace };
            node = Node { first, ..Node::default() };
        }
        if usize::from(node.count) == node.capacity() {
            if usize::from(node.class) + 1 < CLASSES {
                let Some(larger) = self.allocate(usize::from(node.class) + 1) else {
                    return Insertion::NoSpace;
                };
                let old = node.first as usize..node.range().end;
                self.entries.copy_within(old, larger as usize);
                self.free_block(node.first, node.class);
                (node.first, node.class) = (larger, node.class + 1);
            } else if !node.split && level < 13 {
                let Some(block) = self.allocate(CHILDREN_CLASS) else { return Insertion::NoSpace };
                self.split(root, location, node, block as usize, level, lengths);
                return Insertion::Split;
            } else {
                self.entries[node.start() + usize::from(node.next_replaced)] = entry;
                node.next_replaced =
                    ((usize::from(node.next_replaced) + 1) % node.capacity()) as u8;
                self.set(root, location, node);
                return Insertion::Done;
            }
        }
        node.count += 1;
        self.entries[node.range().end - 1] = entry;
        self.set(root, location, node);
        Insertion::Done
    }

    /// Splits a node: creates children and moves entries to them.
    fn split(
        &mut self,
        root: &mut Node,
        location: Location,
        node: Node,
        block: usize,
        level: u32,
        lengths: [u32; 4],
    ) {
        let entries = self.entries[node.range()].to_vec();
        self.entries[block..block + CHILDREN / 2].fill(Entry::default());
        self.entries[node.first as usize] = Entry([block as u64, 0]);
        let node = Node { count: 0, split: true, next_replaced: 0, ..node };
        self.set(root, location, node);
        for entry in entries {
            let in_child = belongs_in_child(&entry.bounds().fixed_ranks, &lengths, level);
            let (target, level) = match in_child {
                true => (Location::Child { block, number: child_of(&entry.0, level) }, level + 1),
                false => (location, level),
            };
            // An entry without space is dropped.
            self.insert(root, target, level, lengths, entry);
        }
    }

    fn allocate(&mut self, class: usize) -> Option<u32> {
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

    fn free_block(&mut self, first: u32, class: u8) {
        self.entries[first as usize] = Entry([u64::from(self.free[usize::from(class)]), 0]);
        self.free[usize::from(class)] = first;
    }

    /// The number of slots used by a node and its children.
    pub(crate) fn slot_count(&self, node: Node) -> usize {
        let mut slots = if node.first == 0 { 0 } else { SMALLEST << node.class };
        if node.split {
            let block = self.children_block(node);
            let children = (0..CHILDREN).map(|number| self.slot_count(self.child(block, number)));
            slots += children.sum::<usize>() + CHILDREN / 2;
        }
        slots
    }

    /// Frees the blocks of a node and its children.
    pub(crate) fn release(&mut self, node: Node) {
        if node.split {
            let block = self.children_block(node);
            for number in 0..CHILDREN {
                self.release(self.child(block, number));
            }
            self.free_block(block as u32, CHILDREN_CLASS as u8);
        }
        if node.first != 0 {
            self.free_block(node.first, node.class);
        }
    }
}

/// Whether an entry with these fixed ranks fixes the owner of the card at this level in every suit
/// that has one.
fn belongs_in_child(fixed: &[u32; 4], lengths: &[u32; 4], level: u32) -> bool {
    fixed.iter().zip(lengths).all(|(fixed, length)| *fixed > level || *length <= level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_shapes_are_split_without_losing_entries() {
        let mut pool = EntryPool::new(1 << 16);
        let (mut root, lengths) = (Node::default(), [6; 4]);
        // All ranks fixed, with owners from the digits of a number.
        let owners = |number: u64| {
            let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let suit = |at: u32| (spread >> (12 * at) & 0xfff) << 14;
            [suit(0) | suit(1) << SUIT, suit(2) | suit(3) << SUIT]
        };
        let bounds = |number: u64| {
            let least = (number % 5) as u32;
            PartitionBounds { fixed_ranks: [6; 4], tricks: (least, least) }
        };
        for number in 0..2000 {
            let entry = Entry::new(&owners(number), &bounds(number));
            assert!(pool.store(&mut root, lengths, entry));
        }
        assert!(root.split);
        for number in 0..2000 {
            assert_eq!(pool.lookup(root, &owners(number), 3), Some(bounds(number)), "{number}");
        }
        assert_eq!(pool.lookup(root, &owners(5000), 3), None);
        let slots = pool.slot_count(root);
        pool.release(root);
        let mut again = Node::default();
        let before = pool.most_used;
        for number in 0..2000 {
            pool.store(&mut again, lengths, Entry::new(&owners(number), &bounds(number)));
        }
        assert_eq!((pool.most_used, pool.slot_count(again)), (before, slots), "blocks were lost");
    }
}
