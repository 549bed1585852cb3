//! PGN written: tags, then the moves, each variation in parentheses behind the move that it
//! replaces.

use super::super::{fen_of, start};
use crate::formats::{FormatError, GameTree, Node, Place, Told, one_line};
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

/// Writes a game with all its variations, moves in letters.
pub(in super::super) fn write_wxf(
    tree: &GameTree,
    variant: &Variant,
) -> Result<Vec<u8>, FormatError> {
    write(tree, variant, Style::Wxf)
}

/// Writes a game with all its variations, moves as points.
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
    let named = Named::of(tree, start, style)?;
    if let Some(comment) = &tree.comment {
        write_comment(comment, &mut out);
        out.push('\n');
    }
    Moves { tree, named, out: &mut out, numbered: false }.write();
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

fn result(told: Option<Told>) -> &'static str {
    match told.map(|told| told.winner) {
        None => "*",
        Some(None) => "1/2-1/2",
        Some(Some(Side(0))) => "1-0",
        Some(Some(_)) => "0-1",
    }
}

/// The moves of a tree as people write them, which takes the positions before them.
struct Named {
    texts: String,
    /// By move: where its name ends.
    ends: Vec<usize>,
    first: Color,
    number: u32,
}

impl Named {
    fn of(tree: &GameTree, mut game: Xiangqi, style: Style) -> Result<Named, FormatError> {
        let mut named = Named {
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
            let wrong = |reason: String| FormatError::new(Place::Move(node.depth), reason);
            let mv = game.parse_move(node.mv).map_err(wrong)?;
            game.write_styled(mv, style, &mut named.texts);
            named.ends.push(named.texts.len());
            undos.push(game.make(mv));
        }
        Ok(named)
    }

    fn text(&self, index: usize) -> &str {
        let begin = index.checked_sub(1).and_then(|before| self.ends.get(before)).unwrap_or(&0);
        self.ends.get(index).and_then(|end| self.texts.get(*begin..*end)).unwrap_or_default()
    }

    /// The number before a move of this depth, and whether it is red's.
    fn number(&self, depth: usize) -> (u32, bool) {
        let plies = depth - 1 + usize::from(self.first == Color::Black);
        (self.number + (plies / 2) as u32, plies.is_multiple_of(2))
    }
}

struct Moves<'a> {
    tree: &'a GameTree,
    named: Named,
    out: &'a mut String,
    /// The number of the last move needs not be said again for black's answer.
    numbered: bool,
}

/// What is still to be written.
enum Task {
    /// A move.
    Move(usize),
    /// What follows on a move.
    Rest(usize),
    Open,
    Close,
}

impl Moves<'_> {
    fn write(mut self) {
        let follows = Follows::of(self.tree);
        let mut tasks = Vec::new();
        push_moves(follows.first(None), &follows, &mut tasks);
        while let Some(task) = tasks.pop() {
            match task {
                Task::Move(index) => {
                    self.tree.node(index).into_iter().for_each(|node| self.write_move(node));
                }
                Task::Rest(index) => push_moves(follows.first(Some(index)), &follows, &mut tasks),
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
        // The result has a line of its own.
        if self.out.ends_with(' ') {
            self.out.pop();
            self.out.push('\n');
        }
    }

    fn write_move(&mut self, node: Node) {
        let (number, red) = self.named.number(node.depth);
        match red {
            true => self.out.push_str(&format!("{number}. ")),
            false if !self.numbered => self.out.push_str(&format!("{number}... ")),
            false => (),
        }
        self.out.push_str(self.named.text(node.index));
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

/// A move, its siblings in parentheses, then what follows on it: the last one first, since
/// the next task is the last of them.
fn push_moves(first: Option<usize>, follows: &Follows, tasks: &mut Vec<Task>) {
    let Some(main) = first else { return };
    tasks.push(Task::Rest(main));
    let begin = tasks.len();
    tasks.push(Task::Move(main));
    let mut next = follows.sibling(main);
    while let Some(sibling) = next {
        tasks.extend([Task::Open, Task::Move(sibling), Task::Rest(sibling), Task::Close]);
        next = follows.sibling(sibling);
    }
    tasks[begin..].reverse();
}

/// What follows on each move of a tree, and which moves there are in its place.
struct Follows {
    first: Vec<u32>,
    sibling: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Follows {
    fn of(tree: &GameTree) -> Follows {
        let mut follows =
            Follows { first: vec![NONE; tree.len() + 1], sibling: vec![NONE; tree.len()] };
        // The last move at each depth of the line that leads to where we are.
        let mut path: Vec<usize> = Vec::new();
        for node in tree.nodes() {
            let before = path.get(node.depth - 1).copied();
            path.truncate(node.depth - 1);
            let index = node.index as u32;
            match before {
                Some(before) => follows.sibling[before] = index,
                None => follows.first[path.last().map_or(0, |parent| parent + 1)] = index,
            }
            path.push(node.index);
        }
        follows
    }

    /// The first move behind another, or of all.
    fn first(&self, behind: Option<usize>) -> Option<usize> {
        known(self.first.get(behind.map_or(0, |index| index + 1)))
    }

    fn sibling(&self, of: usize) -> Option<usize> {
        known(self.sibling.get(of))
    }
}

fn known(index: Option<&u32>) -> Option<usize> {
    index.filter(|index| **index != NONE).map(|index| *index as usize)
}

/// A comment in braces, which it cannot hold itself.
fn write_comment(text: &str, out: &mut String) {
    out.push('{');
    out.extend(text.chars().map(|sign| match sign {
        '{' => '(',
        '}' => ')',
        _ => sign,
    }));
    out.push('}');
}
