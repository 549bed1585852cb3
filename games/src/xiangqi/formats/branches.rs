//! Moves as PGN has them, where a variation stands behind the move that it replaces and
//! before what follows on that: put into the order of a [`GameTree`], which tells a move
//! with all that follows on it before the next one in its place.

use std::ops::Range;

use super::full;
use crate::formats::{FormatError, GameTree, Place};

/// No move.
const NONE: u32 = u32::MAX;

/// Moves with what follows on each.
#[derive(Debug, Default)]
pub(super) struct Branches {
    moves: Vec<Branch>,
    /// The first moves of all, as a chain of siblings.
    roots: Children,
    comments: Vec<(u32, Range<usize>)>,
}

#[derive(Debug)]
struct Branch {
    word: Range<usize>,
    line: usize,
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

/// Where in the moves a reader stands: behind this one; at the start behind none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Behind(u32);

impl Behind {
    /// Behind no move.
    pub(super) const START: Behind = Behind(NONE);
}

impl Branches {
    /// Adds a move behind another: a part of the file's text, and its line.
    pub(super) fn add(&mut self, behind: Behind, word: Range<usize>, line: usize) -> Behind {
        let index = self.moves.len() as u32;
        self.moves.push(Branch { word, line, next_sibling: NONE, children: Children::default() });
        let children = match self.moves.get_mut(behind.0 as usize) {
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
        Behind(index)
    }

    /// Says something of a move, or of the whole: a part of the file's text.
    pub(super) fn comment(&mut self, on: Behind, text: Range<usize>) {
        self.comments.push((on.0, text));
    }

    /// Puts all of it into a tree; `text` is the file's.
    pub(super) fn put(mut self, text: &str, tree: &mut GameTree) -> Result<(), FormatError> {
        let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        // What is said of one move keeps its order; what is said of the whole comes last.
        self.comments.sort_by_key(|(on, _)| *on);
        let said = |on: u32| {
            let first = self.comments.partition_point(|(other, _)| *other < on);
            self.comments[first..].iter().take_while(move |(other, _)| *other == on)
        };
        for (_, comment) in said(NONE) {
            tree.add_comment(part(comment)).map_err(full(Place::Whole))?;
        }
        // The moves still to come, the next one on top: a sibling waits below what follows
        // on the move before it.
        let mut left = vec![(self.roots.first, 1)];
        while let Some((index, depth)) = left.pop() {
            let Some(branch) = self.moves.get(index as usize) else { continue };
            let at = Place::Line(branch.line);
            tree.add(depth, part(&branch.word), branch.line).map_err(full(at))?;
            for (_, comment) in said(index) {
                tree.add_comment(part(comment)).map_err(full(at))?;
            }
            left.push((branch.next_sibling, depth));
            left.push((branch.children.first, depth + 1));
        }
        Ok(())
    }
}
