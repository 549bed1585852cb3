//! Reads an SGF game: converts nodes and variations to a tree of moves. Works without recursion;
//! only the start depths of open variations are stored.

use super::node::Properties;
use crate::formats::scan::{Scanner, text};
use crate::formats::{FormatError, GameTree, Location, LocationUnit, excerpt};
use crate::gomoku::formats::tree_full;
use crate::gomoku::point::{Color, MAX_SIZE};
use crate::gomoku::rule::DEFAULT_SIZE;

/// Maximum nesting of variations. No real analysis needs more.
const NESTED_MAX: usize = 65_536;

/// The state of the reader.
pub(super) struct Game {
    tree: GameTree,
    size: u8,
    setup: Setup,
    /// Number of moves up to the current node.
    depth: usize,
    /// Whether the move added last is the current node's move.
    after_last: bool,
    /// Comments of nodes without a move, at the start of a variation.
    pending: String,
}

impl Game {
    /// Reads a game whose opening parenthesis was just consumed.
    pub(crate) fn read(scanner: &mut Scanner, size: Option<u8>) -> Result<GameTree, FormatError> {
        let mut game = Game {
            tree: GameTree::new(LocationUnit::Lines),
            size: size.unwrap_or(DEFAULT_SIZE),
            setup: Setup::default(),
            depth: 0,
            after_last: true,
            pending: String::new(),
        };
        game.read_variations(scanner)?;
        let Game { mut tree, size, setup, .. } = game;
        tree.size = Some(size);
        tree.start = setup.start(size);
        Ok(tree)
    }

    fn read_variations(&mut self, scanner: &mut Scanner) -> Result<(), FormatError> {
        let mut properties = Properties::default();
        let mut open = vec![0];
        let (mut first, mut closed) = (true, false);
        loop {
            if scanner.take(b';') {
                if closed {
                    return Err(scanner.error("a node after the variations of its line"));
                }
                let line = scanner.line();
                properties.read(scanner)?;
                if std::mem::take(&mut first) {
                    self.read_root(&properties)?;
                }
                self.read_node(&properties, line)?;
            } else if scanner.take(b'(') {
                if scanner.peek() != Some(b';') {
                    return Err(scanner.error("a variation must start with a node: `(;`"));
                }
                if open.len() == NESTED_MAX {
                    return Err(scanner.error("too many nested variations"));
                }
                open.push(self.depth);
                closed = false;
            } else if scanner.take(b')') {
                self.depth = open.pop().unwrap_or(0);
                self.pending.clear();
                (self.after_last, closed) = (false, true);
                if open.is_empty() {
                    return Ok(());
                }
            } else {
                return Err(match scanner.peek() {
                    Some(byte) => scanner.error(format!(
                        "{} is not a property, a node, or the start or end of a variation",
                        excerpt(&[byte])
                    )),
                    None => scanner.error("the file ends inside a game: `)` is missing"),
                });
            }
        }
    }

    /// Reads the properties that are only valid in the first node.
    fn read_root(&mut self, properties: &Properties) -> Result<(), FormatError> {
        if let Some(kind) = properties.get("GM") {
            kind.check_game()?;
        }
        if let Some(size) = properties.get("SZ") {
            self.size = size.size()?;
        }
        let text = |name| properties.get(name).and_then(|property| property.one_line());
        self.tree.variant = text("RU");
        self.tree.names = vec![text("PB"), text("PW")];
        self.tree.result = properties.get("RE").and_then(|property| property.result());
        Ok(())
    }

    fn read_node(&mut self, properties: &Properties, line: usize) -> Result<(), FormatError> {
        self.read_setup(properties)?;
        let mv = self.read_move(properties)?;
        if let Some(comment) = properties.get("C") {
            self.pending.push_str(&text(comment.value));
            self.pending.push('\n');
        }
        if self.after_last {
            self.tree.add_comment(&self.pending).map_err(tree_full(Location::Line(line)))?;
            self.pending.clear();
        }
        if let Some(mark) = properties.mark().filter(|_| mv.is_some()) {
            self.tree.set_mark(mark).map_err(tree_full(Location::Line(line)))?;
        }
        let labels =
            properties.all("LB").filter_map(|label| Some((label.label()?.0 == mv?, label)));
        for (_, label) in labels.filter(|(own, _)| *own).take(1) {
            let label = label.label().and_then(|(_, label)| crate::formats::one_line(&label));
            let label = label.unwrap_or_default();
            self.tree.set_label(&label).map_err(tree_full(Location::Line(line)))?;
        }
        Ok(())
    }

    fn read_setup(&mut self, properties: &Properties) -> Result<(), FormatError> {
        let stones = [("AB", Some(Color::Black)), ("AW", Some(Color::White)), ("AE", None)];
        for (name, stone) in stones {
            for property in properties.all(name) {
                if !self.tree.is_empty() {
                    return Err(property.wrong(format!("{name} changes the board after moves")));
                }
                for (column, row) in property.points(self.size)? {
                    self.setup.stones[row as usize][column as usize] = stone;
                }
            }
        }
        if let Some(player) = properties.get("PL").filter(|_| self.tree.is_empty()) {
            self.setup.first = Some(player.color()?);
        }
        Ok(())
    }

    /// Reads the move of a node, if there is one. Returns the letters of its point.
    fn read_move<'a>(&mut self, node: &Properties<'a>) -> Result<Option<&'a [u8]>, FormatError> {
        let (color, property) = match (node.get("B"), node.get("W")) {
            (None, None) => return Ok(None),
            (Some(black), None) => (Color::Black, black),
            (None, Some(white)) => (Color::White, white),
            (Some(_), Some(white)) => return Err(white.wrong("B and W in one node")),
        };
        let mv = property.mv(self.size)?;
        let first = *self.setup.first.get_or_insert(color);
        let to_move = if self.depth.is_multiple_of(2) { first } else { first.other() };
        if color != to_move {
            let (color, to_move) = (color.name(), to_move.name());
            let number = self.depth + 1;
            return Err(property.wrong(format!("move {number} is {color}'s, not {to_move}'s")));
        }
        self.depth += 1;
        let added = self.tree.add(self.depth, &mv, property.line);
        added.map_err(tree_full(Location::Line(property.line)))?;
        self.after_last = true;
        Ok(Some(property.value.trim_ascii()))
    }
}

/// The stones on the board before the first move, rows from the top.
#[derive(Default)]
struct Setup {
    stones: [[Option<Color>; MAX_SIZE as usize]; MAX_SIZE as usize],
    first: Option<Color>,
}

impl Setup {
    /// The position text, unless it is an empty board with black to move.
    fn start(&self, size: u8) -> Option<String> {
        let count = |color| self.stones.iter().flatten().filter(|it| **it == Some(color)).count();
        let (black, white) = (count(Color::Black), count(Color::White));
        let usual = if black > white { Color::White } else { Color::Black };
        let first = self.first.unwrap_or(usual);
        if black + white == 0 && first == Color::Black {
            return None;
        }
        let row = |row: &[Option<Color>]| {
            let mut text = String::new();
            let mut empties = 0;
            for point in row {
                match point {
                    None => empties += 1,
                    Some(color) => {
                        push_empties(&mut empties, &mut text);
                        text.push(color.stone());
                    }
                }
            }
            push_empties(&mut empties, &mut text);
            text
        };
        let size = usize::from(size);
        let rows: Vec<String> = self.stones[..size].iter().map(|it| row(&it[..size])).collect();
        let side = if first == Color::Black { 'b' } else { 'w' };
        Some(format!("{} {side}", rows.join("/")))
    }
}

fn push_empties(empties: &mut u32, text: &mut String) {
    if *empties > 0 {
        text.push_str(&empties.to_string());
        *empties = 0;
    }
}
