//! A game with its variations as a file tells them. Eight bytes a move, since
//! collections of openings have tens of millions of them, and no links that a
//! file could tie into a knot: moves lie in the order of the file, each with its
//! depth, and the next one is its child, its sibling or that of a move before.

use std::collections::BTreeMap;

use super::{Place, Told};

/// What places in a file are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lines, from 1.
    Lines,
    /// Bytes, from 0.
    Bytes,
}

/// A game: what is known of it, and a tree of moves. The first move of every
/// branch is the main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    /// The variant in the file's words, without a size; none: not said.
    pub variant: Option<String>,
    /// The size of the board; none: not said.
    pub size: Option<u8>,
    /// The position text of its start; none: the variant's own.
    pub start: Option<String>,
    /// The players by seat, as far as they are named.
    pub names: Vec<Option<String>>,
    /// The result, where it is told.
    pub result: Option<Told>,
    /// A comment on the whole.
    pub comment: Option<String>,
    unit: Unit,
    moves: Vec<Entry>,
    words: Words,
    notes: Vec<Note>,
    texts: String,
    times: Vec<(u32, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    word: u16,
    depth: u16,
    place: u32,
}

/// A text on a move; they lie in the order of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Note {
    node: u32,
    kind: Kind,
    from: u32,
    to: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Comment,
    Label,
}

/// The different move texts, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Words {
    all: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, u16>,
}

impl Words {
    fn number(&mut self, text: &str) -> Result<u16, Full> {
        if let Some(&number) = self.numbers.get(text) {
            return Ok(number);
        }
        let number = u16::try_from(self.all.len()).map_err(|_| Full)?;
        self.all.push(text.into());
        self.numbers.insert(text.into(), number);
        Ok(number)
    }
}

/// A tree that takes no more: a line of 65,535 moves, so many different texts, or
/// four billion moves or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are more moves, or more different ones, than any game has")]
pub struct Full;

/// One move of a [`GameTree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Its number in the tree, from 0.
    pub index: usize,
    /// How many moves lead to it, itself included: 1 for a first move.
    pub depth: usize,
    /// The move's text.
    pub mv: &'a str,
    /// Where it is in the file.
    pub place: Place,
    /// What is said of it.
    pub comment: Option<&'a str>,
    /// A short text on its point.
    pub label: Option<&'a str>,
    /// The time it took, in milliseconds.
    pub used_ms: Option<u64>,
}

/// Making.
impl GameTree {
    /// A game without moves.
    pub fn new(unit: Unit) -> Self {
        Self {
            variant: None,
            size: None,
            start: None,
            names: Vec::new(),
            result: None,
            comment: None,
            unit,
            moves: Vec::new(),
            words: Words::default(),
            notes: Vec::new(),
            texts: String::new(),
            times: Vec::new(),
        }
    }

    /// Adds a move: a child of the last one where `depth` is one more than that
    /// one's, else a sibling of the last that has this depth. A first move has
    /// depth 1, and a depth that leaves a gap is lowered to where there is none.
    pub fn add(&mut self, depth: usize, mv: &str, place: usize) -> Result<(), Full> {
        let deepest = self.depth() + 1;
        let depth = u16::try_from(depth.clamp(1, deepest)).map_err(|_| Full)?;
        let place = u32::try_from(place).map_err(|_| Full)?;
        if self.moves.len() >= u32::MAX as usize {
            return Err(Full);
        }
        let word = self.words.number(mv)?;
        self.moves.push(Entry { word, depth, place });
        Ok(())
    }

    /// The depth of the move that was added last; 0 when there is none.
    pub fn depth(&self) -> usize {
        self.moves.last().map_or(0, |last| last.depth.into())
    }

    /// Adds to what is said of the move that was added last, or of the whole
    /// where there is none.
    pub fn add_comment(&mut self, text: &str) -> Result<(), Full> {
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
        match own.find(|&at| self.notes[at].kind == Kind::Comment) {
            Some(at) => self.append(at, text),
            None => self.note(Kind::Comment, text),
        }
    }

    /// Adds a line to a note, whose text is moved to the end where it is not there.
    fn append(&mut self, at: usize, text: &str) -> Result<(), Full> {
        let Note { from, to, .. } = self.notes[at];
        if to as usize != self.texts.len() {
            self.notes[at].from = u32::try_from(self.texts.len()).map_err(|_| Full)?;
            self.texts.extend_from_within(from as usize..to as usize);
        }
        self.texts.push('\n');
        self.texts.push_str(text);
        self.notes[at].to = u32::try_from(self.texts.len()).map_err(|_| Full)?;
        Ok(())
    }

    /// Puts a short text on the point of the move that was added last.
    pub fn set_label(&mut self, text: &str) -> Result<(), Full> {
        let text = text.trim();
        match text.is_empty() || self.moves.is_empty() {
            true => Ok(()),
            false => self.note(Kind::Label, text),
        }
    }

    fn note(&mut self, kind: Kind, text: &str) -> Result<(), Full> {
        let from = u32::try_from(self.texts.len()).map_err(|_| Full)?;
        self.texts.push_str(text);
        let to = u32::try_from(self.texts.len()).map_err(|_| Full)?;
        self.notes.push(Note { node: self.moves.len() as u32 - 1, kind, from, to });
        Ok(())
    }

    /// Says what time the move took that was added last.
    pub fn set_used_ms(&mut self, ms: u64) {
        if let Some(last) = self.moves.len().checked_sub(1) {
            self.times.push((last as u32, ms));
        }
    }

    /// Puts other words for names and comments, such as decoded ones.
    pub fn respell(&mut self, word: impl Fn(&str) -> String) -> Result<(), Full> {
        for text in self.names.iter_mut().flatten().chain(&mut self.comment) {
            *text = word(text);
        }
        let mut texts = String::new();
        for note in &mut self.notes {
            let text = self.texts.get(note.from as usize..note.to as usize).unwrap_or_default();
            note.from = u32::try_from(texts.len()).map_err(|_| Full)?;
            texts.push_str(&word(text));
            note.to = u32::try_from(texts.len()).map_err(|_| Full)?;
        }
        self.texts = texts;
        Ok(())
    }

    /// Gives a move another text, such as its canonical one.
    pub fn rename(&mut self, index: usize, mv: &str) -> Result<(), Full> {
        let word = self.words.number(mv)?;
        if let Some(entry) = self.moves.get_mut(index) {
            entry.word = word;
        }
        Ok(())
    }
}

/// Looking.
impl GameTree {
    /// How many moves it has, in all lines together.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether it has no move.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The move with this number.
    pub fn node(&self, index: usize) -> Option<Node<'_>> {
        let entry = self.moves.get(index)?;
        let place = entry.place as usize;
        Some(Node {
            index,
            depth: entry.depth.into(),
            mv: self.words.all.get(usize::from(entry.word))?,
            place: match self.unit {
                Unit::Lines => Place::Line(place),
                Unit::Bytes => Place::Byte(place),
            },
            comment: self.text(index, Kind::Comment),
            label: self.text(index, Kind::Label),
            used_ms: self.used_ms(index),
        })
    }

    fn text(&self, index: usize, kind: Kind) -> Option<&str> {
        let first = self.notes.partition_point(|note| (note.node as usize) < index);
        let mut own = self.notes[first..].iter().take_while(|note| note.node as usize == index);
        let note = own.find(|note| note.kind == kind)?;
        self.texts.get(note.from as usize..note.to as usize)
    }

    fn used_ms(&self, index: usize) -> Option<u64> {
        let at = self.times.binary_search_by_key(&index, |(node, _)| *node as usize).ok()?;
        Some(self.times[at].1)
    }

    /// Every move, in the order of the file.
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

    /// How many lines it has: last moves; none where it has no move.
    pub fn lines(&self) -> usize {
        (0..self.moves.len()).filter(|index| self.is_last(*index)).count()
    }

    /// How many moves have a comment (the whole counts as one), a label, a time.
    pub fn notes(&self) -> [usize; 3] {
        let count = |kind| self.notes.iter().filter(|note| note.kind == kind).count();
        let whole = usize::from(self.comment.is_some());
        [count(Kind::Comment) + whole, count(Kind::Label), self.times.len()]
    }

    /// For each move whether another one is played in its place later in the tree.
    pub fn have_siblings(&self) -> Vec<bool> {
        let mut open: Vec<bool> = Vec::new();
        let mut have = vec![false; self.moves.len()];
        for (index, entry) in self.moves.iter().enumerate().rev() {
            let depth = usize::from(entry.depth);
            // What is deeper and later belongs to a move that is not above this one's siblings.
            open.resize(depth + 1, false);
            have[index] = std::mem::replace(&mut open[depth], true);
        }
        have
    }
}

/// Taking parts.
impl GameTree {
    /// The game with one line only: that of the n-th last move, from 0.
    pub fn only_line(&self, line: usize) -> Option<GameTree> {
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
        Some(self.of(path.into_iter()))
    }

    /// The game without some moves and all that follows on them.
    pub fn without(&self, leave_out: impl Fn(usize) -> bool) -> GameTree {
        let mut barred = u16::MAX;
        let kept = (0..self.moves.len() as u32).filter(move |&index| {
            let depth = self.moves[index as usize].depth;
            if depth > barred {
                return false;
            }
            barred = if leave_out(index as usize) { depth } else { u16::MAX };
            barred == u16::MAX
        });
        self.of(kept)
    }

    /// The game with these of its moves, in their order.
    fn of(&self, kept: impl Iterator<Item = u32>) -> GameTree {
        let mut tree = GameTree {
            moves: Vec::new(),
            notes: Vec::new(),
            times: Vec::new(),
            texts: String::new(),
            variant: self.variant.clone(),
            start: self.start.clone(),
            names: self.names.clone(),
            comment: self.comment.clone(),
            words: self.words.clone(),
            ..*self
        };
        for index in kept {
            let Some(node) = self.node(index as usize) else { continue };
            tree.moves.push(self.moves[index as usize]);
            // A part of what has been taken is not more than that.
            let said = node.comment.map_or(Ok(()), |text| tree.note(Kind::Comment, text));
            let labelled = node.label.map_or(Ok(()), |text| tree.note(Kind::Label, text));
            debug_assert!(said.is_ok() && labelled.is_ok());
            if let Some(ms) = node.used_ms {
                tree.set_used_ms(ms);
            }
        }
        tree
    }
}
