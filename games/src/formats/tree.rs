//! A game with variations as stored in a file. A node takes 8 bytes, because opening collections
//! have tens of millions of moves. There are no links, so a file cannot create a cycle: nodes are
//! stored in file order with their depth, and each next node is a child or a sibling of an earlier
//! one.

use std::collections::BTreeMap;

use super::{Location, Mark, RecordedResult};

/// The unit of locations in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationUnit {
    /// Lines, from 1.
    Lines,
    /// Bytes, from 0.
    Bytes,
}

/// A game: its metadata and a tree of moves. The first move of every branch is the main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    /// The variant as named in the file, without a size; `None` if not stored.
    pub variant: Option<String>,
    /// The board size; `None` if not stored.
    pub size: Option<u8>,
    /// Position text of the start; `None` for the variant's own start.
    pub start: Option<String>,
    /// Player names by seat, where stored.
    pub names: Vec<Option<String>>,
    /// The result, where stored.
    pub result: Option<RecordedResult>,
    /// A comment on the whole game.
    pub comment: Option<String>,
    /// Facts about the game under the names of PGN's tags, such as `Date` and `Termination`.
    pub tags: Vec<(&'static str, String)>,
    unit: LocationUnit,
    moves: Vec<NodeEntry>,
    move_texts: MoveTexts,
    notes: Vec<Note>,
    texts: String,
    times: Vec<(u32, u64)>,
    evaluations: Vec<(u32, Evaluation)>,
}

/// What the search of a player found for the move that it chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The score from the mover's side, in the game's unit.
    pub score: i32,
    /// The depth of the search in plies; 0: unknown.
    pub depth: u32,
}

/// The score of a forced win is this minus the plies to it, as in the interface of engines.
const WIN_SCORE: u32 = 30_000;
/// The smallest score that is shown as a forced win.
const LEAST_WIN: u32 = WIN_SCORE - 1000;

impl Evaluation {
    /// The evaluation as other programs write it in comments, in hundredths of the game's unit:
    /// `+0.35/12`. A forced win in five moves of the winner is `+M5/12`.
    pub fn text(&self) -> String {
        let sign = if self.score < 0 { '-' } else { '+' };
        let size = self.score.unsigned_abs();
        let moves = WIN_SCORE.saturating_sub(size).div_ceil(2);
        let score = match size >= LEAST_WIN {
            true => format!("{sign}M{moves}"),
            false => format!("{sign}{}.{:02}", size / 100, size % 100),
        };
        if self.depth == 0 { score } else { format!("{score}/{}", self.depth) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeEntry {
    text: u16,
    depth: u16,
    location: u32,
}

/// A text on a move. Notes are sorted by node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Note {
    node: u32,
    kind: NoteKind,
    from: u32,
    to: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoteKind {
    Comment,
    Label,
    Mark,
}

/// Interned move texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MoveTexts {
    all: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, u16>,
}

impl MoveTexts {
    fn intern(&mut self, text: &str) -> Result<u16, TreeFull> {
        if let Some(&number) = self.numbers.get(text) {
            return Ok(number);
        }
        let number = u16::try_from(self.all.len()).map_err(|_| TreeFull)?;
        self.all.push(text.into());
        self.numbers.insert(text.into(), number);
        Ok(number)
    }
}

/// A tree that cannot grow: it has a line of 65,535 moves, 65,536 different move texts, or 2^32
/// moves or bytes of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game has too many moves or too many different moves")]
pub struct TreeFull;

/// One move of a [`GameTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Number in the tree, from 0.
    pub index: usize,
    /// Number of moves up to and including this one: 1 for a first move.
    pub depth: usize,
    /// The move text.
    pub mv: &'a str,
    /// Location in the file.
    pub location: Location,
    /// Comment on the move.
    pub comment: Option<&'a str>,
    /// Short label on the move's point.
    pub label: Option<&'a str>,
    /// Time used for the move, in milliseconds.
    pub used_ms: Option<u64>,
    /// What the mover's search found.
    pub evaluation: Option<Evaluation>,
}

impl Node<'_> {
    /// The evaluation and the time of the move as a comment: `+0.35/12 1.205s`. None: it has
    /// neither.
    pub fn measurements(&self) -> Option<String> {
        let used = self.used_ms.map(|ms| format!("{}.{:03}s", ms / 1000, ms % 1000));
        let parts = [self.evaluation.map(|evaluation| evaluation.text()), used];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }
}

/// Methods that build a tree.
impl GameTree {
    /// A game without moves. `unit` is the unit of all locations.
    pub fn new(unit: LocationUnit) -> Self {
        Self {
            variant: None,
            size: None,
            start: None,
            names: Vec::new(),
            result: None,
            comment: None,
            tags: Vec::new(),
            unit,
            moves: Vec::new(),
            move_texts: MoveTexts::default(),
            notes: Vec::new(),
            texts: String::new(),
            times: Vec::new(),
            evaluations: Vec::new(),
        }
    }

    /// Adds a move as a child of the previously added one if `depth` is one more than its depth,
    /// else as a sibling of the last move with that depth. A first move has depth 1. A depth that
    /// would leave a gap is reduced.
    pub fn add(&mut self, depth: usize, mv: &str, location: usize) -> Result<(), TreeFull> {
        let deepest = self.depth() + 1;
        let depth = u16::try_from(depth.clamp(1, deepest)).map_err(|_| TreeFull)?;
        let location = u32::try_from(location).map_err(|_| TreeFull)?;
        if self.moves.len() >= u32::MAX as usize {
            return Err(TreeFull);
        }
        let word = self.move_texts.intern(mv)?;
        self.moves.push(NodeEntry { text: word, depth, location });
        Ok(())
    }

    /// The depth of the move added last; 0 without moves.
    pub fn depth(&self) -> usize {
        self.moves.last().map_or(0, |last| last.depth.into())
    }

    /// Appends to the comment on the move added last, or on the whole game without moves. Empty
    /// texts are ignored.
    pub fn add_comment(&mut self, text: &str) -> Result<(), TreeFull> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        if self.moves.is_empty() {
            let whole = self.comment.get_or_insert_default();
            if !whole.is_empty() {
                whole.push('\n');
            }
            whole.push_str(text);
            return Ok(());
        }
        let node = self.moves.len() as u32 - 1;
        let mut own = self.notes.iter().rposition(|note| note.node != node).map_or(0, |at| at + 1)
            ..self.notes.len();
        match own.find(|&at| self.notes[at].kind == NoteKind::Comment) {
            Some(at) => self.append(at, text),
            None => self.note(NoteKind::Comment, text),
        }
    }

    /// Appends a line to a note. Moves the note's text to the end of `texts` if necessary.
    fn append(&mut self, at: usize, text: &str) -> Result<(), TreeFull> {
        let Note { from, to, .. } = self.notes[at];
        if to as usize != self.texts.len() {
            self.notes[at].from = u32::try_from(self.texts.len()).map_err(|_| TreeFull)?;
            self.texts.extend_from_within(from as usize..to as usize);
        }
        self.texts.push('\n');
        self.texts.push_str(text);
        self.notes[at].to = u32::try_from(self.texts.len()).map_err(|_| TreeFull)?;
        Ok(())
    }

    /// Sets a short label on the point of the move added last. Without moves it has no effect.
    pub fn set_label(&mut self, text: &str) -> Result<(), TreeFull> {
        let text = text.trim();
        match text.is_empty() || self.moves.is_empty() {
            true => Ok(()),
            false => self.note(NoteKind::Label, text),
        }
    }

    /// Judges the move added last. Without moves, and on a move that has a mark, it has no effect.
    pub fn set_mark(&mut self, mark: Mark) -> Result<(), TreeFull> {
        match self.moves.len().checked_sub(1) {
            Some(last) if self.text(last, NoteKind::Mark).is_none() => {
                self.note(NoteKind::Mark, mark.text())
            }
            _ => Ok(()),
        }
    }

    fn note(&mut self, kind: NoteKind, text: &str) -> Result<(), TreeFull> {
        let from = u32::try_from(self.texts.len()).map_err(|_| TreeFull)?;
        self.texts.push_str(text);
        let to = u32::try_from(self.texts.len()).map_err(|_| TreeFull)?;
        self.notes.push(Note { node: self.moves.len() as u32 - 1, kind, from, to });
        Ok(())
    }

    /// Sets the time used for the move added last, in milliseconds.
    pub fn set_used_ms(&mut self, ms: u64) {
        if let Some(last) = self.moves.len().checked_sub(1) {
            self.times.push((last as u32, ms));
        }
    }

    /// Sets what the mover's search found for the move added last.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) {
        if let Some(last) = self.moves.len().checked_sub(1) {
            self.evaluations.push((last as u32, evaluation));
        }
    }

    /// Replaces names and comments, for example by their decoded form.
    pub fn map_texts(&mut self, map: impl Fn(&str) -> String) -> Result<(), TreeFull> {
        for text in self.names.iter_mut().flatten().chain(&mut self.comment) {
            *text = map(text);
        }
        let mut texts = String::new();
        for note in &mut self.notes {
            let text = self.texts.get(note.from as usize..note.to as usize).unwrap_or_default();
            note.from = u32::try_from(texts.len()).map_err(|_| TreeFull)?;
            match note.kind {
                NoteKind::Mark => texts.push_str(text),
                NoteKind::Comment | NoteKind::Label => texts.push_str(&map(text)),
            }
            note.to = u32::try_from(texts.len()).map_err(|_| TreeFull)?;
        }
        self.texts = texts;
        Ok(())
    }

    /// Replaces a move's text, for example by the canonical one.
    pub fn set_move(&mut self, index: usize, mv: &str) -> Result<(), TreeFull> {
        let word = self.move_texts.intern(mv)?;
        if let Some(entry) = self.moves.get_mut(index) {
            entry.text = word;
        }
        Ok(())
    }
}

/// Methods that read a tree.
impl GameTree {
    /// Number of moves in all lines.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are no moves.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The move with this number, from 0.
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        let entry = self.moves.get(index)?;
        let location = entry.location as usize;
        Some(Node {
            index,
            depth: entry.depth.into(),
            mv: self.move_texts.all.get(usize::from(entry.text))?,
            location: match self.unit {
                LocationUnit::Lines => Location::Line(location),
                LocationUnit::Bytes => Location::Byte(location),
            },
            comment: self.text(index, NoteKind::Comment),
            label: self.text(index, NoteKind::Label),
            used_ms: measured(&self.times, index),
            evaluation: measured(&self.evaluations, index),
        })
    }

    fn text(&self, index: usize, kind: NoteKind) -> Option<&str> {
        let first = self.notes.partition_point(|note| (note.node as usize) < index);
        let mut own = self.notes[first..].iter().take_while(|note| note.node as usize == index);
        let note = own.find(|note| note.kind == kind)?;
        self.texts.get(note.from as usize..note.to as usize)
    }

    /// The judgement of the move with this number, from 0.
    pub fn mark(&self, index: usize) -> Option<Mark> {
        Mark::from_text(self.text(index, NoteKind::Mark)?)
    }

    /// Number of moves with a mark.
    pub fn mark_count(&self) -> usize {
        self.notes.iter().filter(|note| note.kind == NoteKind::Mark).count()
    }

    /// All moves, in file order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.moves.len()).filter_map(|index| self.node(index))
    }

    /// The moves of the main line.
    pub fn main_line(&self) -> impl Iterator<Item = Node<'_>> {
        self.nodes().enumerate().take_while(|(index, node)| node.depth == index + 1).map(|it| it.1)
    }

    fn is_last(&self, index: usize) -> bool {
        self.moves.get(index + 1).is_none_or(|next| next.depth <= self.moves[index].depth)
    }

    /// Number of lines, that is, of leaves; 0 without moves.
    pub fn lines(&self) -> usize {
        (0..self.moves.len()).filter(|index| self.is_last(*index)).count()
    }

    /// Numbers of moves with a comment (plus 1 for a comment on the game), with a label, and with a
    /// time.
    pub fn annotation_counts(&self) -> [usize; 3] {
        let count = |kind| self.notes.iter().filter(|note| note.kind == kind).count();
        let whole = usize::from(self.comment.is_some());
        [count(NoteKind::Comment) + whole, count(NoteKind::Label), self.times.len()]
    }

    /// For each move, whether a sibling follows later in the tree.
    pub(crate) fn have_later_siblings(&self) -> Vec<bool> {
        let mut open: Vec<bool> = Vec::new();
        let mut have = vec![false; self.moves.len()];
        for (index, entry) in self.moves.iter().enumerate().rev() {
            let depth = usize::from(entry.depth);
            // Deeper and later nodes belong to a node that is not above this node's siblings.
            open.resize(depth + 1, false);
            have[index] = std::mem::replace(&mut open[depth], true);
        }
        have
    }
}

/// Methods that extract a part of a tree.
impl GameTree {
    /// The game with one line only, the one that ends in the given leaf, counted from 0.
    pub fn extract_line(&self, line: usize) -> Option<GameTree> {
        let mut lasts = (0..self.moves.len()).filter(|index| self.is_last(*index));
        let mut wanted = lasts.nth(line)? as u32;
        let mut path = vec![wanted];
        let mut depth = self.moves[wanted as usize].depth;
        while depth > 1 {
            wanted -= 1;
            if self.moves[wanted as usize].depth < depth {
                depth = self.moves[wanted as usize].depth;
                path.push(wanted);
            }
        }
        path.reverse();
        Some(self.subset(path.into_iter()))
    }

    /// The game without the moves for which `is_removed` is true, and without their continuations.
    pub fn without_moves(&self, is_removed: impl Fn(usize) -> bool) -> GameTree {
        let mut removed_depth = u16::MAX;
        let kept = (0..self.moves.len() as u32).filter(move |&index| {
            let depth = self.moves[index as usize].depth;
            if depth > removed_depth {
                return false;
            }
            removed_depth = if is_removed(index as usize) { depth } else { u16::MAX };
            removed_depth == u16::MAX
        });
        self.subset(kept)
    }

    /// Whether a move has an evaluation or a time.
    pub fn has_measurements(&self) -> bool {
        !self.times.is_empty() || !self.evaluations.is_empty()
    }

    /// The game with the evaluations and times of its moves as comments, before other comments:
    /// for formats that store comments only.
    pub fn with_measurements_as_comments(&self) -> Result<GameTree, TreeFull> {
        let mut tree = self.without_nodes();
        for index in 0..self.moves.len() {
            let Some(node) = self.node(index) else { continue };
            let parts = [node.measurements(), node.comment.map(str::to_owned)];
            let comment = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
            let measured = Node { used_ms: None, evaluation: None, ..node };
            let comment = (!comment.is_empty()).then_some(comment);
            tree.push_node(self, Node { comment: comment.as_deref(), ..measured })?;
        }
        Ok(tree)
    }

    /// The game with these moves before its own, from another start position.
    pub fn with_moves_before(
        &self,
        moves: &[&str],
        start: Option<String>,
    ) -> Result<GameTree, TreeFull> {
        let mut tree = GameTree { start, ..self.without_nodes() };
        for (index, mv) in moves.iter().enumerate() {
            tree.add(index + 1, mv, 0)?;
        }
        let before = u16::try_from(moves.len()).map_err(|_| TreeFull)?;
        for index in 0..self.moves.len() {
            let Some(node) = self.node(index) else { continue };
            tree.push_node(self, node)?;
            if let Some(entry) = tree.moves.last_mut() {
                entry.depth = entry.depth.checked_add(before).ok_or(TreeFull)?;
            }
        }
        Ok(tree)
    }

    /// The game with a subset of its moves, in the same order.
    fn subset(&self, kept: impl Iterator<Item = u32>) -> GameTree {
        let mut tree = self.without_nodes();
        for index in kept {
            let Some(node) = self.node(index as usize) else { continue };
            // A subset of the texts cannot exceed the limits.
            let pushed = tree.push_node(self, node);
            debug_assert!(pushed.is_ok());
        }
        tree
    }

    /// Adds a move of another tree with the same move texts.
    fn push_node(&mut self, from: &GameTree, node: Node<'_>) -> Result<(), TreeFull> {
        self.moves.push(from.moves[node.index]);
        if let Some(text) = node.comment {
            self.note(NoteKind::Comment, text)?;
        }
        if let Some(text) = node.label {
            self.note(NoteKind::Label, text)?;
        }
        if let Some(mark) = from.mark(node.index) {
            self.set_mark(mark)?;
        }
        if let Some(ms) = node.used_ms {
            self.set_used_ms(ms);
        }
        if let Some(evaluation) = node.evaluation {
            self.set_evaluation(evaluation);
        }
        Ok(())
    }

    /// The game without moves, which may be added again.
    fn without_nodes(&self) -> GameTree {
        GameTree {
            moves: Vec::new(),
            notes: Vec::new(),
            times: Vec::new(),
            evaluations: Vec::new(),
            texts: String::new(),
            variant: self.variant.clone(),
            start: self.start.clone(),
            names: self.names.clone(),
            comment: self.comment.clone(),
            tags: self.tags.clone(),
            move_texts: self.move_texts.clone(),
            ..*self
        }
    }
}

/// The entry of a move in a list that is sorted by moves.
fn measured<T: Copy>(entries: &[(u32, T)], index: usize) -> Option<T> {
    let at = entries.binary_search_by_key(&index, |(node, _)| *node as usize).ok()?;
    Some(entries[at].1)
}
