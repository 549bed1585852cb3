//! Converts moves from PGN order, where a variation follows the move that it replaces, to the order
//! of a [`GameTree`], where a move and its whole continuation come before its next sibling.

use std::ops::Range;

use crate::formats::{FormatError, GameTree, Location, Mark, tree_full};

/// Marks the absence of a move.
const NONE: u32 = u32::MAX;

/// Moves, each linked to its continuations.
#[derive(Debug, Default)]
pub(super) struct Branches {
    moves: Vec<Branch>,
    /// The first moves of the game, as a chain of siblings.
    roots: Children,
    comments: Vec<(u32, Range<usize>)>,
}

#[derive(Debug)]
struct Branch {
    word: Range<usize>,
    line: usize,
    mark: Option<Mark>,
    next_sibling: u32,
    children: Children,
}

#[derive(Clone, Copy, Debug)]
struct Children {
    first: u32,
    last: u32,
}

impl Default for Children {
    fn default() -> Self {
        Children { first: NONE, last: NONE }
    }
}

/// A position in the tree: after this move, or at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor(u32);

impl Cursor {
    /// Before the first move.
    pub(super) const START: Cursor = Cursor(NONE);
}

impl Branches {
    /// Adds a move at a position: a part of the file's text, and its line.
    pub(super) fn add(&mut self, cursor: Cursor, word: Range<usize>, line: usize) -> Cursor {
        let index = self.moves.len() as u32;
        let children = Children::default();
        self.moves.push(Branch { word, line, mark: None, next_sibling: NONE, children });
        let children = match self.moves.get_mut(cursor.0 as usize) {
            Some(parent) => &mut parent.children,
            None => &mut self.roots,
        };
        let before = children.last;
        children.last = index;
        match before {
            NONE => children.first = index,
            _ => {
                if let Some(before) = self.moves.get_mut(before as usize) {
                    before.next_sibling = index;
                }
            }
        }
        Cursor(index)
    }

    /// Judges the move at a position, unless it has a mark.
    pub(super) fn mark(&mut self, on: Cursor, mark: Mark) {
        if let Some(branch) = self.moves.get_mut(on.0 as usize) {
            branch.mark.get_or_insert(mark);
        }
    }

    /// Adds a comment on a move or on the game: a part of the file's text.
    pub(super) fn comment(&mut self, on: Cursor, text: Range<usize>) {
        self.comments.push((on.0, text));
    }

    /// Writes everything to a tree; `text` is the file's text.
    pub(super) fn write_to(mut self, text: &str, tree: &mut GameTree) -> Result<(), FormatError> {
        let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        // Comments on one move keep their order; comments on the game are last.
        self.comments.sort_by_key(|(on, _)| *on);
        let comments_on = |on: u32| {
            let first = self.comments.partition_point(|(other, _)| *other < on);
            self.comments[first..].iter().take_while(move |(other, _)| *other == on)
        };
        for (_, comment) in comments_on(NONE) {
            tree.add_comment(part(comment)).map_err(tree_full(Location::Whole))?;
        }
        // A stack of pending moves: a sibling waits below the continuation of the move before it.
        let mut left = vec![(self.roots.first, 1)];
        while let Some((index, depth)) = left.pop() {
            let Some(branch) = self.moves.get(index as usize) else { continue };
            let at = Location::Line(branch.line);
            tree.add(depth, part(&branch.word), branch.line).map_err(tree_full(at))?;
            if let Some(mark) = branch.mark {
                tree.set_mark(mark).map_err(tree_full(at))?;
            }
            for (_, comment) in comments_on(index) {
                tree.add_comment(part(comment)).map_err(tree_full(at))?;
            }
            left.push((branch.next_sibling, depth));
            left.push((branch.children.first, depth + 1));
        }
        Ok(())
    }
}
