//! The tasks of the solver: deals and positions, and what to compute for them.

use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table, Vulnerability};
use sandboard_games::{Rules, bridge::Bridge};
use serde_json::Value;

use super::selection::ValueSelection;

/// What to compute for every deal.
#[derive(Clone, Copy, Debug)]
pub struct SolveRequest {
    /// The values of its table.
    pub values: ValueSelection,
    /// Whether to solve each opening lead.
    pub cards: bool,
    /// Whether to compute the par score and contracts.
    pub par: bool,
    /// Whether to trace the value through the cards played.
    pub trace: bool,
}

/// A task for the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A deal before the first card.
    Deal(Box<Deal>),
    /// A position, and the cards played from it.
    Position(Box<Position>),
}

/// Four hands with further information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The hands, indexed by [`Compass::index`].
    pub hands: [Cards; 4],
    /// The dealer, if known.
    pub dealer: Option<Compass>,
    /// The vulnerability, if known.
    pub vulnerable: Option<Vulnerability>,
    /// The contract that was played, if known.
    pub played: Option<Contract>,
    /// The cards played, beginning with the opening lead.
    pub play: Vec<Card>,
}

/// The strain and declarer of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    pub declarer: Compass,
    pub strain: Strain,
}

/// A position to solve after some cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The position before the cards.
    pub table: Table,
    /// The cards played from it.
    pub moves: Vec<Card>,
}

/// Identifies the task in its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskLabel {
    /// The `id` of a line.
    pub id: Option<Value>,
    /// The name of a board in a file.
    pub board: Option<String>,
    /// The deal in PBN, for files in another format.
    pub deal: Option<String>,
}

impl Deal {
    /// A deal with nothing known but the hands.
    pub fn from_hands(hands: [Cards; 4]) -> Deal {
        Deal { hands, dealer: None, vulnerable: None, played: None, play: Vec::new() }
    }

    /// The position before the opening lead. None if the hands have different lengths or no cards.
    pub fn table(&self, declarer: Compass, strain: Strain) -> Option<Table> {
        let table = Table::new(self.hands, strain, declarer.after(1))?;
        (table.tricks_left() > 0).then_some(table)
    }
}

/// Parses four hands in PBN. Err: what is wrong.
pub(super) fn read_hands(text: &str) -> Result<[Cards; 4], String> {
    // A position text is a deal with strain, leader and trick.
    let words = text.split_ascii_whitespace().count();
    if words != 4 {
        return Err(format!("the deal has {words} hands instead of four: N:… … … …"));
    }
    let position = read_position(&format!("{text} NT N -"))?;
    match position.table().tricks_left() {
        0 => Err("the deal has no card".to_owned()),
        _ => Ok(position.table().hands()),
    }
}

/// Parses a position text of any size.
pub(super) fn read_position(text: &str) -> Result<Bridge, String> {
    let variant = Bridge::INFO.variant("").map_err(|error| error.to_string())?;
    Bridge::parse_position(&variant, text).map_err(|error| error.to_string())
}
