//! Gomoku and renju: five in a row on boards of 5 to 22. Contains the position and its rules;
//! boards, texts, diagrams, threats, forbidden points and opening procedures are in the submodules.
//!
//! # Move texts
//! A point such as `h8`: columns from `a`, rows from 1 at the bottom. In renju also `pass`. In the
//! phases of opening procedures also `swap`, `keep`, `put-two` (place two more stones and let the
//! opponent choose) and `fifths-5` (five fifth stones will be offered).
//!
//! # Position texts
//! `rows side`, such as `5/5/1xo2/5/5 b`: rows from the top down, `x` black, `o` white, numbers for
//! runs of empty points, and `b` or `w` for the colour of the next stone. Words after the side
//! describe procedures, passes and fouls, as in `… b swapped fifths-3 pick g10,h10,i7`:
//!
//! | word, in this order | meaning |
//! |---|---|
//! | `swapped` | seat 1 holds black |
//! | `fifths-3` | 3 fifth stones were announced; omitted once one was picked |
//! | `opening`, `swap`, `announce`, `offer`, `pick` | the phase; omitted in ordinary play |
//! | `g10,h10` | after `offer` and `pick`: the points offered so far, if any |
//! | `passed`, `passed-twice` | the last move was a pass; the last two were, and the game is drawn
//! |
//! | `foul-h8` | black's stone there was a foul, and black lost |
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
mod diagram;
mod facts;
mod forbidden;
mod formats;
mod moves;
mod notation;
mod openings;
mod point;
mod procedure;
mod queries;
mod rule;
mod stage;
mod suffix;
mod symmetry;
mod threats;
mod variants;
mod zobrist;

#[cfg(test)]
mod tests;

use crate::erased::Game;
use crate::info::{Features, GameInfo, Variant};
use crate::messages;
use crate::opening_names::OpeningName;
use crate::phase::Phase;
use crate::rules::{MoveSet, Outcome, PositionError, PositionFault, Rules, Seat, Side};
use board::Board;
pub use board::{LINES, Line};
use decisions::DecisionUndo;
pub use forbidden::Foul;
pub use moves::Move;
pub use openings::{OPENINGS, Opening};
pub use point::{Color, Direction, MAX_SIZE, MIN_SIZE, Point, PointSet};
pub use procedure::Procedure;
pub use rule::Rule;
use stage::Stage;
use variants::RuleSet;

/// The row of gomoku in the table of games.
pub static INFO: GameInfo = GameInfo {
    id: "gomoku",
    name: "Gomoku",
    seats: 2,
    sides: &[Color::Black.name(), Color::White.name()],
    features: Features::NONE,
    variants: &variants::VARIANTS,
    move_texts: "a point: column letter and row number, counted from the lower left: h8; in renju \
                 also pass; in opening procedures swap, keep, put-two (place two more stones and \
                 let the opponent choose), fifths-5 (offer five points for the fifth stone)",
    adjudicates: false,
    deal: None,
    formats: &formats::FORMATS,
    new: &Game::<Gomoku>::set_up,
    plugged_in: None,
};

/// A position of gomoku.
///
/// # Equality
/// Two positions are equal if variant, size, stones, side to move and stage are equal. The stage is
/// the phase, the colours of the seats, the announced number, the offers (in any order), and a pass
/// or foul just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    board: Board,
    rule_set: RuleSet,
    /// Colour of the next stone.
    to_move: Color,
    empties: u16,
    hash: u64,
    stage: Stage,
    outcome: Option<Outcome>,
}

/// Takes back one move of [`Gomoku`].
#[derive(Clone, Copy, Debug)]
pub struct Undo(UndoKind);

#[derive(Clone, Copy, Debug)]
enum UndoKind {
    /// A stone of ordinary play.
    Stone(Point),
    /// A null move.
    Null,
    Decision(DecisionUndo),
}

impl Gomoku {
    /// A position with these stones. At most one colour may have a winning row.
    fn from_board(rule_set: RuleSet, board: Board, to_move: Color, stage: Stage) -> Gomoku {
        let mut position = Gomoku {
            rule_set,
            to_move,
            empties: board.empty_points().count() as u16,
            hash: zobrist::empty(rule_set.rule, board.size()) ^ stage.key(rule_set.procedure_key()),
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
        position.outcome = position.compute_outcome();
        position
    }

    fn compute_outcome(&self) -> Option<Outcome> {
        let win = || Color::ALL.into_iter().find_map(|color| self.win_of(color));
        let foul = self.stage.foul.and_then(|point| suffix::foul_at(&self.board, point));
        let lost = foul.map(|foul| self.win_outcome(Color::White, foul.reason()));
        lost.or_else(win).or(self.draw()).or(self.draw_by_passes())
    }

    /// The win of a colour that has a winning row anywhere.
    fn win_of(&self, color: Color) -> Option<Outcome> {
        let run = |point| self.rule_set.rule.winning_run(&self.board, color, point);
        let longest = self.board.stones(color).map(run).max().unwrap_or(0);
        (longest > 0).then(|| self.win_outcome(color, rule::win_reason(longest)))
    }

    /// The draw when no point is empty.
    #[inline]
    fn draw(&self) -> Option<Outcome> {
        (self.empties == 0).then_some(Outcome {
            winner: None,
            reason: messages::BOARD_FULL,
            score: 0,
        })
    }

    /// The draw after two passes.
    fn draw_by_passes(&self) -> Option<Outcome> {
        let draw = Outcome { winner: None, reason: messages::TWO_PASSES, score: 0 };
        (self.stage.passes == 2).then_some(draw)
    }

    fn win_outcome(&self, color: Color, reason: &'static str) -> Outcome {
        Outcome { winner: Some(Self::side(self.seat_of(color))), reason, score: 0 }
    }

    /// The result of a stone just placed. No winning row existed before, so only a row through this
    /// stone can win.
    #[inline]
    fn outcome_after(&self, color: Color, point: Point) -> Option<Outcome> {
        match self.rule_set.rule.winning_run(&self.board, color, point) {
            0 => self.draw(),
            run => Some(self.win_outcome(color, rule::win_reason(run))),
        }
    }

    #[inline]
    fn switch_turn(&mut self) {
        self.to_move = self.to_move.other();
        self.hash ^= zobrist::WHITE_TO_MOVE;
    }

    #[inline]
    fn place_stone(&mut self, color: Color, point: Point) {
        self.board.toggle(color, point);
        self.hash ^= zobrist::stone(color, point);
        self.empties -= 1;
    }

    #[inline]
    fn remove_stone(&mut self, color: Color, point: Point) {
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
        let size = variant.size.unwrap_or(rule::DEFAULT_SIZE);
        let rule_set = RuleSet::of_variant(variant);
        let stage = match rule_set.procedure {
            Procedure::None => Stage::PLAY,
            _ => Stage::FIRST_STEP,
        };
        Self::from_board(rule_set, Board::empty(size), Color::Black, stage)
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let rule_set = RuleSet::of_variant(variant);
        let placement = notation::read_position(text, variant.size.or(rule_set.only_size()))?;
        let (board, to_move) = (placement.board, placement.to_move);
        let bare = Self::from_board(rule_set, board.clone(), to_move, Stage::PLAY);
        if Color::ALL.into_iter().all(|color| bare.win_of(color).is_some()) {
            let reason = "both colours have won".to_owned();
            return Err(PositionError(vec![PositionFault { offset: 0, reason }]));
        }
        let stage = placement.suffix.stage(rule_set, &board, to_move, bare.outcome.is_some());
        let stage = stage.map_err(|fault| PositionError(vec![fault]))?;
        Ok(Self::from_board(rule_set, board, to_move, stage))
    }

    fn write_position(&self, out: &mut String) {
        notation::write_position(&self.board, self.to_move, out);
        suffix::write(&self.stage, self.rule_set, out);
    }

    fn variant(&self) -> Variant {
        self.rule_set.variant(self.size())
    }

    #[inline]
    fn to_move(&self) -> Seat {
        if self.stage.is_ordinary_play() {
            self.seat_of(self.to_move)
        } else {
            self.deciding_seat()
        }
    }

    fn phase(&self) -> Phase {
        self.current_step().map_or(Phase::Play, |kind| kind.phase())
    }

    fn sides_may_change(&self) -> bool {
        self.current_step().is_some()
            && self.rule_set.procedure.script().may_swap_after(self.stage.step)
    }

    fn prompt(&self) -> Option<String> {
        self.current_step().filter(|_| self.outcome.is_none()).map(|kind| self.prompt_for(kind))
    }

    fn after_defaults(&self, mv: Move) -> Gomoku {
        self.decide_by_default(mv)
    }

    #[inline]
    fn side_name(&self, side: Side) -> &'static str {
        let holds = |color: &Color| Self::side(self.seat_of(*color)) == side;
        Color::ALL.into_iter().find(holds).map_or("", Color::name)
    }

    fn generate(&self, set: MoveSet, out: &mut Vec<Move>) {
        if self.outcome.is_some() {
            return;
        }
        match (self.current_step(), set) {
            (None, MoveSet::All) => {
                out.extend(self.empty_points().map(Move::Stone));
                out.extend(self.rule().allows_pass().then_some(Move::Pass));
            }
            (None, MoveSet::Noisy) => out.extend(self.noisy_points().iter().map(Move::Stone)),
            (Some(kind), MoveSet::All) => self.step_moves(kind, out),
            (Some(_), MoveSet::Noisy) => {}
        }
    }

    /// In renju a generated point may be forbidden to black. The test is expensive, and a search
    /// visits only few of the points.
    #[inline]
    fn is_legal(&self, generated: Move) -> bool {
        let Move::Stone(point) = generated else { return true };
        !self.rule().forbids(self.to_move) || forbidden::foul(&self.board, point).is_none()
    }

    fn count_moves(&self) -> Option<u64> {
        let stones = self.are_all_empty_points_legal().then(|| u64::from(self.board.empties()))?;
        Some(stones + u64::from(self.rule().allows_pass()))
    }

    #[inline]
    fn nth_move(&self, number: u64) -> Option<Move> {
        if !self.are_all_empty_points_legal() {
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
            Move::Stone(point) if self.stage.is_ordinary_play() => {
                debug_assert!(self.outcome.is_none() && self.is_empty(point), "{mv} in {self:?}");
                let mover = self.to_move;
                self.place_stone(mover, point);
                self.switch_turn();
                self.outcome = self.outcome_after(mover, point);
                Undo(UndoKind::Stone(point))
            }
            _ => self.make_decision(mv),
        }
    }

    fn make_parsed(&mut self, mv: Move) -> Undo {
        let forbids = self.rule().forbids(self.to_move) && self.current_step().is_none();
        let foul = mv.point().filter(|_| forbids).and_then(|point| self.forbidden(point));
        match (mv, foul) {
            (Move::Stone(point), Some(foul)) => self.make_foul(point, foul.reason()),
            _ => self.make(mv),
        }
    }

    #[inline]
    fn unmake(&mut self, undo: Undo) {
        match undo.0 {
            UndoKind::Stone(point) => {
                self.switch_turn();
                self.remove_stone(self.to_move, point);
                self.outcome = None;
            }
            UndoKind::Null => self.switch_turn(),
            UndoKind::Decision(before) => self.unmake_decision(before),
        }
    }

    /// Gives the other colour the next stone. No rule allows this, but a search may ask what a
    /// second stone would threaten.
    fn make_null(&mut self) -> Option<Undo> {
        if self.outcome.is_some() || !self.stage.is_ordinary_play() {
            return None;
        }
        self.switch_turn();
        Some(Undo(UndoKind::Null))
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
        let stones = |symmetry| symmetry::stones_key(&self.board, symmetry);
        let but_stones = self.hash ^ stones(symmetry::SYMMETRIES[0]);
        symmetry::SYMMETRIES.into_iter().map(stones).min().unwrap_or(0) ^ but_stones
    }

    fn write_diagram(&self, last: Option<Move>, out: &mut String) {
        let mark = |point| self.mark(point);
        diagram::write_diagram(&self.board, last.and_then(Move::point), mark, out);
    }

    fn opening(&self) -> Option<OpeningName> {
        let Opening { chinese, romaji, .. } = self.renju_opening()?;
        Some(OpeningName { latin: romaji, chinese: Some(chinese) })
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.all_facts()
    }
}
