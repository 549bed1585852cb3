//! Gomoku and renju: five in a row on boards of 5 to 22. Here are the position
//! and its rules; boards, texts, pictures, threats, forbidden points and opening
//! procedures are in the files beside.
//!
//! Move texts are points, `h8`: columns from `a`, rows from 1, the lowest; in
//! renju also `pass`; in the phases of procedures `swap`, `keep`, `put-two`
//! (lay two more stones and let the opponent choose) and `fifths-5` (five fifth
//! stones will be offered).
//! Position texts are `rows side`, as in `5/5/1xo2/5/5 b`: rows from the top
//! down, `x` black, `o` white, numbers for runs of empty points, side `b` or `w`,
//! the colour of the next stone. Words behind the side tell of procedures,
//! passes and fouls, as in `… b swapped fifths-3 pick g10,h10,i7`:
//!
//! | word, in this order | says |
//! |---|---|
//! | `swapped` | seat 1 holds black |
//! | `fifths-3` | so many fifth stones are announced and not yet done with |
//! | `opening`, `swap`, `announce`, `offer`, `pick` | the phase; without it ordinary play |
//! | `g10,h10` | behind `offer` and `pick`: the points offered so far, if any |
//! | `passed`, `passed-twice` | the last move was a pass; the last two were, and the game is drawn |
//! | `foul-h8` | black's stone there was a foul, and the game is lost |
//!
//! ```
//! use sandboard_games::{Rules, gomoku::{Gomoku, INFO}};
//!
//! let mut game = Gomoku::start(&INFO.variant("freestyle-5").unwrap());
//! game.play("c3").unwrap();
//! let mut text = String::new();
//! game.write_position(&mut text);
//! assert_eq!(text, "5/5/2x2/5/5 w");
//! ```

mod board;
mod decisions;
mod facts;
mod forbidden;
mod formats;
mod moves;
mod notation;
mod openings;
mod picture;
mod point;
mod procedure;
mod rule;
mod stage;
mod symmetry;
mod threats;
mod variants;
mod view;
mod words;
mod zobrist;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{GameInfo, Variant};
use crate::phase::Phase;
use crate::rules::{Generate, Outcome, PositionError, PositionFault, Rules, Seat, Side};
use board::Board;
pub use board::{LINES, Line};
use decisions::Before;
pub use forbidden::Foul;
pub use moves::Move;
pub use openings::{OPENINGS, Opening};
pub use point::{Color, Direction, MAX_SIZE, MIN_SIZE, Point, PointSet};
pub use procedure::Procedure;
pub use rule::Rule;
use stage::Stage;
use variants::Terms;

/// The row of gomoku in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "gomoku",
    name: "Gomoku",
    seats: 2,
    sides: [Color::Black.name(), Color::White.name()],
    variants: &variants::VARIANTS,
    move_texts: "a point: the letter of its column and the number of its row, from the lower left: h8; \
                 in renju also pass; in opening procedures swap, keep, put-two (lay two more \
                 stones and let the opponent choose), fifths-5 (offer five points for the fifth stone)",
    adjudicates: false,
    deal: None,
    formats: &formats::FORMATS,
    new: Game::<Gomoku>::set_up,
};

/// A position of gomoku.
///
/// # Equality
/// Equal are positions with the same variant, size, stones, side to move and
/// stage: phase, colours of the seats, announcement and offers (in any order),
/// passes and foul just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    board: Board,
    terms: Terms,
    /// The colour of the next stone.
    to_move: Color,
    empties: u16,
    hash: u64,
    stage: Stage,
    outcome: Option<Outcome>,
}

/// What takes back a move of [`Gomoku`].
#[derive(Clone, Copy, Debug)]
pub struct Undo(Change);

#[derive(Clone, Copy, Debug)]
enum Change {
    /// A stone of ordinary play.
    Stone(Point),
    /// A null move.
    Null,
    Decision(Before),
}

impl Gomoku {
    /// The position with these stones, of a colour at most one of which has won.
    fn from_board(terms: Terms, board: Board, to_move: Color, stage: Stage) -> Gomoku {
        let mut position = Gomoku {
            terms,
            to_move,
            empties: board.empty_points().count() as u16,
            hash: zobrist::empty(terms.rule, board.size()) ^ stage.key(terms.course()),
            stage,
            outcome: None,
            board,
        };
        for color in Color::ALL {
            let keys = position.board.stones(color).map(|point| zobrist::stone(color, point));
            position.hash ^= keys.fold(0, |all, key| all ^ key);
        }
        if to_move == Color::White {
            position.hash ^= zobrist::WHITE_TO_MOVE;
        }
        position.outcome = position.outcome_from_scratch();
        position
    }

    fn outcome_from_scratch(&self) -> Option<Outcome> {
        let win = || Color::ALL.into_iter().find_map(|color| self.win_of(color));
        let foul = self.stage.foul.and_then(|point| words::foul_at(&self.board, point));
        let lost = foul.map(|foul| self.won(Color::White, foul.reason()));
        lost.or_else(win).or(self.draw()).or(self.draw_by_passes())
    }

    /// The win of a colour that has a winning row anywhere.
    fn win_of(&self, color: Color) -> Option<Outcome> {
        let run = |point| self.terms.rule.winning_run(&self.board, color, point);
        let longest = self.board.stones(color).map(run).max().unwrap_or(0);
        (longest > 0).then(|| self.won(color, rule::won_by(longest)))
    }

    /// The end of the game when no point is left.
    #[inline]
    fn draw(&self) -> Option<Outcome> {
        (self.empties == 0).then_some(Outcome { winner: None, reason: "board full", score: 0 })
    }

    /// The end of the game when nobody wants to put a stone.
    fn draw_by_passes(&self) -> Option<Outcome> {
        let draw = Outcome { winner: None, reason: "two passes", score: 0 };
        (self.stage.passes == 2).then_some(draw)
    }

    fn won(&self, color: Color, reason: &'static str) -> Outcome {
        Outcome { winner: Some(Self::side(self.seat_of(color))), reason, score: 0 }
    }

    /// The end of the game by a stone just put. There was no winning row before,
    /// so that one can only run through this stone.
    #[inline]
    fn outcome_after(&self, color: Color, point: Point) -> Option<Outcome> {
        match self.terms.rule.winning_run(&self.board, color, point) {
            0 => self.draw(),
            run => Some(self.won(color, rule::won_by(run))),
        }
    }

    #[inline]
    fn pass_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.hash ^= zobrist::WHITE_TO_MOVE;
    }

    #[inline]
    fn put(&mut self, color: Color, point: Point) {
        self.board.toggle(color, point);
        self.hash ^= zobrist::stone(color, point);
        self.empties -= 1;
    }

    #[inline]
    fn take(&mut self, color: Color, point: Point) {
        self.board.toggle(color, point);
        self.hash ^= zobrist::stone(color, point);
        self.empties += 1;
    }
}

impl Rules for Gomoku {
    type Move = Move;
    type Undo = Undo;

    const INFO: &'static GameInfo = &INFO;

    fn start(variant: &Variant) -> Self {
        let size = variant.size.unwrap_or(rule::USUAL_SIZE);
        let terms = Terms::of(variant);
        let stage = match terms.procedure {
            Procedure::None => Stage::PLAY,
            _ => Stage::BEGIN,
        };
        Self::from_board(terms, Board::empty(size), Color::Black, stage)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let terms = Terms::of(variant);
        let placement = notation::read_position(text, variant.size.or(terms.only_size()))?;
        let (board, to_move) = (placement.board, placement.to_move);
        let bare = Self::from_board(terms, board.clone(), to_move, Stage::PLAY);
        if Color::ALL.into_iter().all(|color| bare.win_of(color).is_some()) {
            let reason = "both colours have won".to_owned();
            return Err(PositionError(vec![PositionFault { at: 0, reason }]));
        }
        let stage = placement.words.stage(terms, &board, to_move, bare.outcome.is_some());
        let stage = stage.map_err(|fault| PositionError(vec![fault]))?;
        Ok(Self::from_board(terms, board, to_move, stage))
    }

    fn write_position(&self, out: &mut String) {
        notation::write_position(&self.board, self.to_move, out);
        words::write(&self.stage, self.terms, out);
    }

    fn variant(&self) -> Variant {
        self.terms.variant(self.size())
    }

    #[inline]
    fn to_move(&self) -> Seat {
        if self.stage.is_plain() { self.seat_of(self.to_move) } else { self.decider() }
    }

    fn phase(&self) -> Phase {
        self.due().map_or(Phase::Play, |what| what.phase())
    }

    fn sides_may_change(&self) -> bool {
        self.due().is_some() && self.terms.procedure.script().may_swap_after(self.stage.step)
    }

    fn question(&self) -> Option<String> {
        self.due().filter(|_| self.outcome.is_none()).map(|what| self.wanted(what))
    }

    fn settled(&self, mv: Move) -> Gomoku {
        self.settle(mv)
    }

    #[inline]
    fn side_name(&self, side: Side) -> &'static str {
        let holds = |color: &Color| Self::side(self.seat_of(*color)) == side;
        Color::ALL.into_iter().find(holds).map_or("", Color::name)
    }

    fn generate(&self, what: Generate, out: &mut Vec<Move>) {
        if self.outcome.is_some() {
            return;
        }
        match (self.due(), what) {
            (None, Generate::All) => {
                out.extend(self.empty_points().map(Move::Stone));
                out.extend(self.rule().allows_pass().then_some(Move::Pass));
            }
            (None, Generate::Noisy) => out.extend(self.noisy_points().iter().map(Move::Stone)),
            (Some(due), Generate::All) => self.choices(due, out),
            (Some(_), Generate::Noisy) => {}
        }
    }

    /// In renju a point that is generated for black can be forbidden: looking at
    /// it costs, and a search looks at few of the points.
    #[inline]
    fn is_legal(&self, generated: Move) -> bool {
        let Move::Stone(point) = generated else { return true };
        !self.rule().forbids(self.to_move) || forbidden::foul(&self.board, point).is_none()
    }

    fn count_moves(&self) -> Option<u64> {
        let stones = self.is_listed_by_points().then(|| u64::from(self.board.empties()))?;
        Some(stones + u64::from(self.rule().allows_pass()))
    }

    #[inline]
    fn nth_move(&self, number: u64) -> Option<Move> {
        if !self.is_listed_by_points() {
            return None;
        }
        let stones = u64::from(self.board.empties());
        match u32::try_from(number).ok()? {
            point if number < stones => self.board.nth_empty(point).map(Move::Stone),
            _ => (number == stones && self.rule().allows_pass()).then_some(Move::Pass),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, String> {
        self.read_move(text)
    }

    fn write_move(&self, mv: Move, out: &mut String) {
        notation::write_move(mv, out);
    }

    #[inline]
    fn make(&mut self, mv: Move) -> Undo {
        match mv {
            Move::Stone(point) if self.stage.is_plain() => {
                debug_assert!(self.outcome.is_none() && self.is_empty(point), "{mv} in {self:?}");
                let mover = self.to_move;
                self.put(mover, point);
                self.pass_turn();
                self.outcome = self.outcome_after(mover, point);
                Undo(Change::Stone(point))
            }
            _ => self.decide(mv),
        }
    }

    fn make_judged(&mut self, mv: Move) -> Undo {
        let forbids = self.rule().forbids(self.to_move) && self.due().is_none();
        let foul = mv.point().filter(|_| forbids).and_then(|point| self.forbidden(point));
        match (mv, foul) {
            (Move::Stone(point), Some(foul)) => self.commit_foul(point, foul.reason()),
            _ => self.make(mv),
        }
    }

    #[inline]
    fn unmake(&mut self, undo: Undo) {
        match undo.0 {
            Change::Stone(point) => {
                self.pass_turn();
                self.take(self.to_move, point);
                self.outcome = None;
            }
            Change::Null => self.pass_turn(),
            Change::Decision(before) => self.undecide(before),
        }
    }

    /// The other colour moves next: by the rules nobody passes, but a search
    /// may ask what a second stone would threaten.
    fn make_null(&mut self) -> Option<Undo> {
        if self.outcome.is_some() || !self.stage.is_plain() {
            return None;
        }
        self.pass_turn();
        Some(Undo(Change::Null))
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    #[inline]
    fn hash(&self) -> u64 {
        self.hash
    }

    fn symmetric_hash(&self) -> u64 {
        let stones = |turn| symmetry::stones_key(&self.board, turn);
        let but_stones = self.hash ^ stones(symmetry::TURNS[0]);
        symmetry::TURNS.into_iter().map(stones).min().unwrap_or(0) ^ but_stones
    }

    fn write_board(&self, last: Option<Move>, out: &mut String) {
        let mark = |point| self.mark(point);
        picture::write_board(&self.board, last.and_then(Move::point), mark, out);
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.all_facts()
    }
}
