//! A game in progress of any kind, for hosts: [`DynGame`] over [`GeneralRules`].

use super::{Actor, GeneralRules, Next, Observer, SeatSet};
use crate::board::Board;
use crate::ending::Ending;
use crate::erased::DynGame;
use crate::info::{GameInfo, Variant};
use crate::phase::Phase;
use crate::playouts::{PlayoutPlan, Playouts, playouts};
use crate::rules::{Refusal, Seat, SetupError, Side};
use crate::splitmix;

/// A [`DynGame`] implemented by general rules. Of the seats of a step, the lowest moves first.
#[derive(Clone, Debug)]
pub struct GeneralGame<G: GeneralRules> {
    position: G,
    history: Vec<Played<G>>,
}

/// A move that was played, and the position before it.
#[derive(Clone, Debug)]
struct Played<G: GeneralRules> {
    before: G,
    actor: Actor,
    mv: G::Move,
}

impl<G: GeneralRules> GeneralGame<G> {
    fn from_position(position: G) -> Self {
        Self { position, history: Vec::new() }
    }

    /// The current position.
    pub fn rules(&self) -> &G {
        &self.position
    }

    /// Sets up a game; the constructor in a game's row ([`GameInfo::new`]).
    pub fn set_up(
        variant: &Variant,
        position: Option<&str>,
    ) -> Result<Box<dyn DynGame>, SetupError> {
        let position = match position {
            Some(text) => G::parse_position(variant, text)
                .map_err(|error| SetupError::Position { game: G::INFO.id, error })?,
            None => G::start(variant),
        };
        Ok(Box::new(Self::from_position(position)))
    }

    fn read(&self, actor: Actor, text: &str) -> Result<(G::Move, String), Refusal> {
        let refuse = |reason| Refusal { text: text.to_owned(), reason };
        let mv = self.position.parse_move(actor, text).map_err(refuse)?;
        let mut canonical = String::new();
        self.position.write_move(actor, &mv, &mut canonical);
        Ok((mv, canonical))
    }

    /// Who plays the next move. Err: the game is over.
    fn actor(&self, text: &str) -> Result<Actor, Refusal> {
        self.position.next().first().ok_or_else(|| Refusal {
            text: text.to_owned(),
            reason: crate::messages::GAME_OVER.into(),
        })
    }
}

/// The number of sequences of `depth` moves. A finished game counts 1.
fn count<G: GeneralRules>(position: &G, depth: u32) -> u64 {
    let Some(actor) = position.next().first() else { return 1 };
    if depth == 0 {
        return 1;
    }
    let mut moves = Vec::new();
    match actor {
        Actor::Seat(seat) => position.generate(seat, &mut moves),
        Actor::Chance => {
            let mut outcomes = Vec::new();
            position.chance(&mut outcomes);
            moves.extend(outcomes.into_iter().map(|(mv, _)| mv));
        }
    }
    if depth == 1 {
        return moves.len() as u64;
    }
    let after = |mv: &G::Move| {
        let mut after = position.clone();
        after.play(actor, mv);
        count(&after, depth - 1)
    };
    moves.iter().map(after).sum()
}

impl<G: GeneralRules> DynGame for GeneralGame<G> {
    fn info(&self) -> &'static GameInfo {
        G::INFO
    }

    fn variant(&self) -> Variant {
        self.position.variant()
    }

    fn position(&self) -> String {
        let mut text = String::new();
        self.position.write_position(&mut text);
        text
    }

    fn next(&self) -> Next {
        self.position.next()
    }

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn phase(&self) -> Phase {
        self.position.phase()
    }

    fn prompt(&self) -> Option<String> {
        self.position.prompt()
    }

    fn side(&self, seat: Seat) -> Side {
        G::side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.position.side_name(side)
    }

    fn ending(&self) -> Option<Ending> {
        self.position.ending()
    }

    fn write_legal_of(&self, seat: Seat, out: &mut String) {
        let mut moves = Vec::new();
        self.position.generate(seat, &mut moves);
        let begin = out.len();
        for mv in &moves {
            if out.len() > begin {
                out.push(' ');
            }
            self.position.write_move(Actor::Seat(seat), mv, out);
        }
    }

    fn chance(&self) -> Vec<(String, u32)> {
        let mut outcomes = Vec::new();
        self.position.chance(&mut outcomes);
        let text = |(mv, weight): (G::Move, u32)| {
            let mut text = String::new();
            self.position.write_move(Actor::Chance, &mv, &mut text);
            (text, weight)
        };
        outcomes.into_iter().map(text).collect()
    }

    fn view(&self, observer: Observer) -> String {
        if observer == Observer::Everything {
            return self.position();
        }
        let mut text = String::new();
        self.position.write_view(observer, &mut text);
        text
    }

    fn seen(&self, observer: Observer, actor: Actor, mv: &str) -> Option<String> {
        let (mv, whole) = self.read(actor, mv).ok()?;
        if observer == Observer::Everything {
            return Some(whole);
        }
        let mut text = String::new();
        self.position.write_seen(observer, actor, &mv, &mut text);
        (!text.is_empty()).then_some(text)
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        let actor = self.actor(text)?;
        let (mv, canonical) = self.read(actor, text)?;
        let before = self.position.clone();
        self.position.play(actor, &mv);
        self.history.push(Played { before, actor, mv });
        Ok(canonical)
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        self.read(self.actor(text)?, text).map(|(_, canonical)| canonical)
    }

    fn canonical_of(&self, seat: Seat, text: &str) -> Result<String, Refusal> {
        self.read(Actor::Seat(seat), text).map(|(_, canonical)| canonical)
    }

    fn notation(&self, text: &str) -> Option<String> {
        let actor = self.actor(text).ok()?;
        let (mv, _) = self.read(actor, text).ok()?;
        let mut notation = String::new();
        self.position.write_notation(actor, &mv, &mut notation);
        (!notation.is_empty()).then_some(notation)
    }

    fn take_back(&mut self, plies: usize) -> usize {
        let plies = plies.min(self.history.len());
        let left = self.history.len() - plies;
        if let Some(first) = self.history.drain(left..).next() {
            self.position = first.before;
        }
        plies
    }

    fn plies(&self) -> usize {
        self.history.len()
    }

    fn moves(&self) -> Vec<String> {
        let text = |played: &Played<G>| {
            let mut text = String::new();
            played.before.write_move(played.actor, &played.mv, &mut text);
            text
        };
        self.history.iter().map(text).collect()
    }

    fn write_last_move(&self, out: &mut String) {
        if let Some(Played { before, actor, mv }) = self.history.last() {
            before.write_move(*actor, mv, out);
        }
    }

    fn board(&self, observer: Observer) -> Option<Board> {
        self.position.board(observer, self.history.last().map(|played| &played.mv))
    }

    fn diagram(&self, observer: Observer) -> String {
        if let Some(board) = self.board(observer) {
            return board.diagram();
        }
        let last = self.history.last().map(|played| (played.actor, played.mv.clone()));
        let mut text = String::new();
        self.position.write_diagram(observer, last, &mut text);
        text
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    fn perft(&self, depth: u32) -> u64 {
        count(&self.position, depth)
    }

    fn playouts(&self, plan: &PlayoutPlan) -> Playouts {
        playouts(&self.position, plan)
    }

    fn hash(&self) -> u64 {
        splitmix::hash_text(&self.position())
    }

    fn symmetric_hash(&self) -> u64 {
        self.hash()
    }

    fn without_history(&self) -> Box<dyn DynGame> {
        Box::new(Self::from_position(self.position.without_history()))
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        Box::new(self.clone())
    }
}

impl Next {
    /// Who plays the next move: chance, or the lowest of the seats. `None` after the end.
    #[inline]
    pub fn first(self) -> Option<Actor> {
        match self {
            Next::Seats(seats) => seats.lowest().map(Actor::Seat),
            Next::Chance => Some(Actor::Chance),
            Next::Over => None,
        }
    }

    /// Whether this seat is to move.
    pub fn has_seat(self, seat: Seat) -> bool {
        matches!(self, Next::Seats(seats) if seats.contains(seat))
    }

    /// The seats to move; none if chance is next, and after the end.
    pub fn seats(self) -> SeatSet {
        match self {
            Next::Seats(seats) => seats,
            Next::Chance | Next::Over => SeatSet::EMPTY,
        }
    }
}
