//! The erased face of a game, for hosts: one object that knows its position,
//! the moves that led to it and how to take them back. Checked only.

use crate::info::{GameInfo, Variant};
use crate::phase::Phase;
use crate::rules::{Generate, Outcome, Refusal, Rules, Seat, SetupError, Side};

/// A game in progress, of any kind. Every call is checked: nothing that comes
/// in as text can do more than be refused.
pub trait DynGame: Send + Sync {
    /// The game's row in the table.
    fn info(&self) -> &'static GameInfo;
    /// The variant with the size in force.
    fn variant(&self) -> Variant;
    /// The position's text.
    fn position(&self) -> String;
    /// The seat that moves next.
    fn to_move(&self) -> Seat;
    /// What is decided next.
    fn phase(&self) -> Phase;
    /// What who moves is asked for beyond a move of ordinary play, for people.
    fn question(&self) -> Option<String>;
    /// The side of a seat.
    fn side(&self, seat: Seat) -> Side;
    /// What a side is called now.
    fn side_name(&self, side: Side) -> &'static str;
    /// How the game has ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Appends the legal moves as a line: separated by one space, fixed order.
    fn write_legal(&self, out: &mut String);
    /// Plays a move if it is legal and gives back its canonical text; a foul
    /// is played, too, and ends the game (see [`Rules`], "Fouls"); else nothing
    /// changes.
    fn play(&mut self, text: &str) -> Result<String, Refusal>;
    /// The canonical text of a move that could be played, without playing it.
    fn canonical(&self, text: &str) -> Result<String, Refusal>;
    /// Takes back up to `plies` moves; how many it took back.
    fn take_back(&mut self, plies: usize) -> usize;
    /// How many moves were played here since the game was set up.
    fn plies(&self) -> usize;
    /// The moves played here, in canonical texts.
    fn moves(&self) -> Vec<String>;
    /// Appends the last move's canonical text; nothing when there is none.
    fn write_last_move(&self, out: &mut String);
    /// A picture of the board for a terminal, with the last move marked.
    fn board(&self) -> String;
    /// What the game adds to a `rules` answer: name and JSON text.
    fn facts(&self) -> Vec<(&'static str, String)>;
    /// Games of exactly `depth` plies from here, see [`perft`](crate::perft()).
    fn perft(&self, depth: u32) -> u64;
    /// The hash of the position, see [`Rules::hash`].
    fn hash(&self) -> u64;
    /// The hash that symmetric positions share, see [`Rules::symmetric_hash`].
    fn symmetric_hash(&self) -> u64;
    /// A game that begins in this position, see [`Rules::anew`].
    fn anew(&self) -> Box<dyn DynGame>;
    /// An independent copy.
    fn boxed_clone(&self) -> Box<dyn DynGame>;
}

/// A [`DynGame`] over typed rules.
#[derive(Clone, Debug)]
pub struct Game<R: Rules> {
    position: R,
    history: Vec<Played<R>>,
}

#[derive(Clone, Debug)]
struct Played<R: Rules> {
    mv: R::Move,
    undo: R::Undo,
}

impl<R: Rules> Game<R> {
    /// A game that begins in this position.
    pub fn from_position(position: R) -> Self {
        Self { position, history: Vec::new() }
    }

    /// The position now.
    pub fn rules(&self) -> &R {
        &self.position
    }

    fn read(&self, text: &str) -> Result<(R::Move, String), Refusal> {
        let refuse = |reason| Refusal { text: text.to_owned(), reason };
        let mv = self.position.parse_move(text).map_err(refuse)?;
        let mut canonical = String::new();
        self.position.write_move(mv, &mut canonical);
        Ok((mv, canonical))
    }

    /// The constructor that a row of the table of games names.
    pub fn set_up(
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Box<dyn DynGame>, SetupError> {
        let position = match position {
            Some(text) => R::parse_position(variant, text)
                .map_err(|error| SetupError::Position { game: R::INFO.id, error })?,
            None => R::start(variant),
        };
        Ok(Box::new(Self::from_position(position)))
    }
}

impl<R: Rules> DynGame for Game<R> {
    fn info(&self) -> &'static GameInfo {
        R::INFO
    }

    fn variant(&self) -> Variant {
        self.position.variant()
    }

    fn position(&self) -> String {
        let mut text = String::new();
        self.position.write_position(&mut text);
        text
    }

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn phase(&self) -> Phase {
        self.position.phase()
    }

    fn question(&self) -> Option<String> {
        self.position.question()
    }

    fn side(&self, seat: Seat) -> Side {
        R::side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.position.side_name(side)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn write_legal(&self, out: &mut String) {
        let mut moves = Vec::new();
        self.position.generate(Generate::All, &mut moves);
        let begin = out.len();
        // Most texts of moves and their blanks take so much; more is only slower.
        out.reserve(moves.len() * 4);
        for mv in moves {
            if self.position.is_legal(mv) {
                if out.len() > begin {
                    out.push(' ');
                }
                self.position.write_move(mv, out);
            }
        }
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        let (mv, canonical) = self.read(text)?;
        let undo = self.position.make_judged(mv);
        self.history.push(Played { mv, undo });
        Ok(canonical)
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        self.read(text).map(|(_, canonical)| canonical)
    }

    fn take_back(&mut self, plies: usize) -> usize {
        let plies = plies.min(self.history.len());
        for played in self.history.drain(self.history.len() - plies..).rev() {
            self.position.unmake(played.undo);
        }
        plies
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    fn moves(&self) -> Vec<String> {
        let mut back = self.clone();
        let mut moves = Vec::with_capacity(self.history.len());
        while !back.history.is_empty() {
            let mut text = String::new();
            back.write_last_move(&mut text);
            moves.push(text);
            back.take_back(1);
        }
        moves.reverse();
        moves
    }

    fn write_last_move(&self, out: &mut String) {
        // A move's text belongs to the position before it.
        if let Some(played) = self.history.last() {
            let mut before = self.position.clone();
            before.unmake(played.undo.clone());
            before.write_move(played.mv, out);
        }
    }

    fn board(&self) -> String {
        let mut text = String::new();
        self.position.write_board(self.history.last().map(|played| played.mv), &mut text);
        text
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.position.facts()
    }

    fn perft(&self, depth: u32) -> u64 {
        crate::perft(&mut self.position.clone(), depth)
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn symmetric_hash(&self) -> u64 {
        self.position.symmetric_hash()
    }

    fn anew(&self) -> Box<dyn DynGame> {
        Box::new(Self::from_position(self.position.anew()))
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }
}
