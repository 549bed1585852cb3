//! What can be asked of a solver: the values of a deal, the cards of a position.

use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table, Vulnerability};
use sandboard_games::{Rules, bridge::Bridge};
use serde_json::Value;

use super::values::Values;

/// What is asked of every deal.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Which values of its table.
    pub values: Values,
    /// What each opening lead comes to.
    pub cards: bool,
    /// Par score and contracts.
    pub par: bool,
    /// What became of the values as the hand was played.
    pub trace: bool,
}

/// One thing to be solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A deal before the first card.
    Deal(Box<Deal>),
    /// A position, with the cards that follow it.
    Position(Box<Position>),
}

/// Four hands, and what is known beside them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// By [`Compass::index`].
    pub hands: [Cards; 4],
    /// Who dealt.
    pub dealer: Option<Compass>,
    /// Who is vulnerable.
    pub vulnerable: Option<Vulnerability>,
    /// In what it was played, and by whom.
    pub played: Option<Played>,
    /// The cards played, from the opening lead on.
    pub play: Vec<Card>,
}

/// What a trace and the leads of a deal that was played are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who plays it.
    pub declarer: Compass,
    /// In which strain.
    pub strain: Strain,
}

/// A position that is to be solved after some cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Before the cards.
    pub table: Table,
    /// The cards.
    pub moves: Vec<Card>,
}

/// What says again, in an answer, what was asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    /// As a line had it.
    pub id: Option<Value>,
    /// The name of a board in a file.
    pub board: Option<String>,
    /// The deal, where a file's own form is another.
    pub deal: Option<String>,
}

impl Deal {
    /// Four hands of which nothing else is known.
    pub fn of(hands: [Cards; 4]) -> Deal {
        Deal { hands, dealer: None, vulnerable: None, played: None, play: Vec::new() }
    }

    /// The table at which somebody declares in a strain. None: the hands are not of as many
    /// cards each, or there is none.
    pub fn table(&self, declarer: Compass, strain: Strain) -> Option<Table> {
        let table = Table::new(self.hands, strain, declarer.after(1))?;
        (table.tricks_left() > 0).then_some(table)
    }
}

/// Reads four hands in PBN. Err: everything that is wrong.
pub(super) fn read_hands(text: &str) -> Result<[Cards; 4], String> {
    // A position is a deal with who leads in what.
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

/// Reads a position text of any size.
pub(super) fn read_position(text: &str) -> Result<Bridge, String> {
    let variant = Bridge::INFO.variant("").map_err(|error| error.to_string())?;
    Bridge::parse_position(&variant, text).map_err(|error| error.to_string())
}
