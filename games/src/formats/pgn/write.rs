//! Writes PGN: tags, then the moves, with each variation in parentheses after the move that it
//! replaces.

use crate::formats::{GameTree, Mark, Node, RecordedResult, one_line};
use crate::rules::Side;

/// Writes a game with all its variations, with these tags, and moves in this notation.
pub(crate) fn write(tree: &GameTree, tags: &[(&str, &str)], names: &MoveNames) -> Vec<u8> {
    let mut out = String::new();
    for (name, value) in tags {
        let value = one_line(value).unwrap_or_default().replace('\\', "\\\\").replace('"', "\\\"");
        out.push_str(&format!("[{name} \"{value}\"]\n"));
    }
    out.push('\n');
    if let Some(comment) = &tree.comment {
        write_comment(comment, &mut out);
        out.push('\n');
    }
    MoveWriter { tree, names, out: &mut out, numbered: false }.write();
    out.push_str(result_text(tree.result));
    out.push_str("\n\n");
    out.into_bytes()
}

/// The text of a result, `*` if it is not known.
pub(crate) fn result_text(result: Option<RecordedResult>) -> &'static str {
    match result.map(|result| result.winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side(0))) => "1-0",
        Some(Some(_)) => "0-1",
    }
}

/// The moves of a tree in the notation of a file, which may depend on the positions before them.
pub(crate) struct MoveNames {
    texts: String,
    /// By move: the end of its name in `texts`.
    ends: Vec<usize>,
    /// The number of the first move.
    number: u32,
    /// Whether the second player makes the first move.
    second_begins: bool,
}

impl MoveNames {
    /// No names yet, for a game whose first move has this number.
    pub(crate) fn new(number: u32, second_begins: bool) -> Self {
        Self { texts: String::new(), ends: Vec::new(), number, second_begins }
    }

    /// Adds the name of the next move of the tree.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.texts);
        self.ends.push(self.texts.len());
    }

    fn text(&self, index: usize) -> &str {
        let begin = index.checked_sub(1).and_then(|before| self.ends.get(before)).unwrap_or(&0);
        self.ends.get(index).and_then(|end| self.texts.get(*begin..*end)).unwrap_or_default()
    }

    /// The number before a move of this depth, and whether the move is the first player's.
    fn number(&self, depth: usize) -> (u32, bool) {
        let plies = depth - 1 + usize::from(self.second_begins);
        (self.number.saturating_add((plies / 2) as u32), plies.is_multiple_of(2))
    }
}

struct MoveWriter<'a> {
    tree: &'a GameTree,
    names: &'a MoveNames,
    out: &'a mut String,
    /// Whether the second player's next move can follow without repeating the move number.
    numbered: bool,
}

/// A pending output step.
enum Task {
    /// Write a move.
    Move(usize),
    /// Write the continuation of a move.
    Rest(usize),
    Open,
    Close,
}

impl MoveWriter<'_> {
    fn write(mut self) {
        let links = TreeLinks::of(self.tree);
        let mut tasks = Vec::new();
        push_moves(links.first(None), &links, &mut tasks);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Move(index) => {
                    self.tree.node(index).into_iter().for_each(|node| self.write_move(node));
                }
                Task::Rest(index) => push_moves(links.first(Some(index)), &links, &mut tasks),
                Task::Open => {
                    self.out.push('(');
                    self.numbered = false;
                }
                Task::Close => {
                    let blanks = self.out.len() - self.out.trim_end().len();
                    self.out.truncate(self.out.len() - blanks);
                    self.out.push_str(")\n");
                    self.numbered = false;
                }
            }
        }
        // The result has its own line.
        if self.out.ends_with(' ') {
            self.out.pop();
            self.out.push('\n');
        }
    }

    fn write_move(&mut self, node: Node) {
        let (number, is_first) = self.names.number(node.depth);
        match is_first {
            true => self.out.push_str(&format!("{number}. ")),
            false if !self.numbered => self.out.push_str(&format!("{number}... ")),
            false => (),
        }
        self.out.push_str(self.names.text(node.index));
        self.out.push_str(self.tree.mark(node.index).map_or("", Mark::text));
        self.numbered = is_first && node.comment.is_none();
        match node.comment {
            Some(comment) => {
                self.out.push(' ');
                write_comment(comment, self.out);
                self.out.push('\n');
            }
            None => self.out.push(if is_first { ' ' } else { '\n' }),
        }
    }
}

/// Pushes a move, its siblings in parentheses, then its continuation. The last task pushed is
/// executed first.
fn push_moves(first: Option<usize>, links: &TreeLinks, tasks: &mut Vec<Task>) {
    let Some(main) = first else { return };
    tasks.push(Task::Rest(main));
    let begin = tasks.len();
    tasks.push(Task::Move(main));
    let mut next = links.sibling(main);
    while let Some(sibling) = next {
        tasks.extend([Task::Open, Task::Move(sibling), Task::Rest(sibling), Task::Close]);
        next = links.sibling(sibling);
    }
    tasks[begin..].reverse();
}

/// The first continuation and the next sibling of each move of a tree.
struct TreeLinks {
    first: Vec<u32>,
    sibling: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl TreeLinks {
    fn of(tree: &GameTree) -> TreeLinks {
        let mut links =
            TreeLinks { first: vec![NONE; tree.len() + 1], sibling: vec![NONE; tree.len()] };
        // The last move at each depth of the current line.
        let mut path: Vec<usize> = Vec::new();
        for node in tree.nodes() {
            let before = path.get(node.depth - 1).copied();
            path.truncate(node.depth - 1);
            let index = node.index as u32;
            match before {
                Some(before) => links.sibling[before] = index,
                None => links.first[path.last().map_or(0, |parent| parent + 1)] = index,
            }
            path.push(node.index);
        }
        links
    }

    /// The first continuation of a move, or the first move of the game.
    fn first(&self, cursor: Option<usize>) -> Option<usize> {
        known(self.first.get(cursor.map_or(0, |index| index + 1)))
    }

    fn sibling(&self, of: usize) -> Option<usize> {
        known(self.sibling.get(of))
    }
}

fn known(index: Option<&u32>) -> Option<usize> {
    index.filter(|index| **index != NONE).map(|index| *index as usize)
}

/// Writes a comment in braces, which it cannot contain itself.
fn write_comment(text: &str, out: &mut String) {
    out.push('{');
    out.extend(text.chars().map(|sign| match sign {
        '{' => '(',
        '}' => ')',
        _ => sign,
    }));
    out.push('}');
}
