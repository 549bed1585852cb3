//! Writes PGN: tags, then the moves, with each variation in parentheses after the move that it
//! replaces.

use super::super::{fen_of, start};
use crate::formats::{FormatError, GameTree, Location, Node, RecordedResult, one_line};
use crate::info::Variant;
use crate::rules::{Rules, Side};
use crate::xiangqi::{Color, Style, Undo, Xiangqi};

/// Writes a game with all its variations, moves in Chinese.
pub(in super::super) fn write_chinese(
    tree: &GameTree,
    variant: &Variant,
) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Chinese)
}

/// Writes a game with all its variations, moves in WXF.
pub(in super::super) fn write_wxf(
    tree: &GameTree,
    variant: &Variant,
) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Wxf)
}

/// Writes a game with all its variations, moves in ICCS.
pub(in super::super) fn write_iccs(
    tree: &GameTree,
    variant: &Variant,
) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Iccs)
}

fn write(tree: &GameTree, variant: &Variant, style: Style) -> Result<Vec<u8>, FormatError> {
    let start = start(tree, variant)?;
    let mut out = String::new();
    write_tags(tree, &start, style, &mut out);
    let names = MoveNames::of(tree, start, style)?;
    if let Some(comment) = &tree.comment {
        write_comment(comment, &mut out);
        out.push('\n');
    }
    MoveWriter { tree, names, out: &mut out, numbered: false }.write();
    out.push_str(result(tree.result));
    out.push_str("\n\n");
    Ok(out.into_bytes())
}

fn write_tags(tree: &GameTree, start: &Xiangqi, style: Style, out: &mut String) {
    let mut tag = |name: &str, value: &str| {
        let value = one_line(value).unwrap_or_default().replace('\\', "\\\\").replace('"', "\\\"");
        out.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let name = |seat: usize| tree.names.get(seat).and_then(Option::as_deref).unwrap_or("?");
    tag("Game", "Chinese Chess");
    tag("Event", "?");
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", "?");
    tag("RedTeam", "?");
    tag("Red", name(0));
    tag("BlackTeam", "?");
    tag("Black", name(1));
    tag("Result", result(tree.result));
    if tree.start.is_some() {
        tag("FEN", &fen_of(start));
    }
    let format = match style {
        Style::Chinese => "Chinese",
        Style::Wxf => "WXF",
        Style::Iccs => "ICCS",
    };
    tag("Format", format);
    out.push('\n');
}

fn result(result: Option<RecordedResult>) -> &'static str {
    match result.map(|result| result.winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side(0))) => "1-0",
        Some(Some(_)) => "0-1",
    }
}

/// The moves of a tree in a notation for people, which depends on the positions before them.
struct MoveNames {
    texts: String,
    /// By move: the end of its name in `texts`.
    ends: Vec<usize>,
    first: Color,
    number: u32,
}

impl MoveNames {
    fn of(tree: &GameTree, mut game: Xiangqi, style: Style) -> Result<MoveNames, FormatError> {
        let mut names = MoveNames {
            texts: String::new(),
            ends: Vec::new(),
            first: game.color_to_move(),
            number: game.number,
        };
        let mut undos: Vec<Undo> = Vec::new();
        for node in tree.nodes() {
            while undos.len() >= node.depth {
                undos.pop().into_iter().for_each(|undo| game.unmake(undo));
            }
            let wrong = |reason: String| FormatError::new(Location::Move(node.depth), reason);
            let mv = game.parse_move(node.mv).map_err(wrong)?;
            game.write_styled(mv, style, &mut names.texts);
            names.ends.push(names.texts.len());
            undos.push(game.make(mv));
        }
        Ok(names)
    }

    fn text(&self, index: usize) -> &str {
        let begin = index.checked_sub(1).and_then(|before| self.ends.get(before)).unwrap_or(&0);
        self.ends.get(index).and_then(|end| self.texts.get(*begin..*end)).unwrap_or_default()
    }

    /// The number before a move of this depth, and whether the move is red's.
    fn number(&self, depth: usize) -> (u32, bool) {
        let plies = depth - 1 + usize::from(self.first == Color::Black);
        (self.number + (plies / 2) as u32, plies.is_multiple_of(2))
    }
}

struct MoveWriter<'a> {
    tree: &'a GameTree,
    names: MoveNames,
    out: &'a mut String,
    /// Whether black's next move can follow without repeating the move number.
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
        let (number, red) = self.names.number(node.depth);
        match red {
            true => self.out.push_str(&format!("{number}. ")),
            false if !self.numbered => self.out.push_str(&format!("{number}... ")),
            false => (),
        }
        self.out.push_str(self.names.text(node.index));
        self.numbered = red && node.comment.is_none();
        match node.comment {
            Some(comment) => {
                self.out.push(' ');
                write_comment(comment, self.out);
                self.out.push('\n');
            }
            None => self.out.push(if red { ' ' } else { '\n' }),
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
