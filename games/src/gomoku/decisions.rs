//! Moves other than a stone of ordinary play: steps of a procedure, passes and fouls. Each changes
//! the stage and stores the previous one for undo. Slow compared with ordinary stones.

use super::board::Board;
use super::moves::Move;
use super::notation;
use super::point::{Color, Point};
use super::procedure::{ANYWHERE, Decider, StepKind};
use super::stage::Stage;
use super::symmetry::same_points;
use super::{Gomoku, Undo, UndoKind};
use crate::messages;
use crate::rules::{Rules, Seat};

/// The state before a decision, for undo.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecisionUndo {
    stage: Stage,
    to_move: Color,
    stone: Option<(Color, Point)>,
}

impl Gomoku {
    /// The decision of the current procedure step; `None` in ordinary play.
    #[inline]
    pub(super) fn current_step(&self) -> Option<StepKind> {
        self.rule_set.procedure.script().step(self.stage.step).map(|(_, kind)| kind)
    }

    /// Whether the legal moves are exactly the empty points (and a pass where the rule allows it):
    /// ordinary play of a colour without forbidden points.
    #[inline]
    pub(super) fn are_all_empty_points_legal(&self) -> bool {
        self.outcome.is_none()
            && self.current_step().is_none()
            && !self.rule().forbids(self.to_move)
    }

    /// The seat that holds a colour.
    #[inline]
    pub(super) fn seat_of(&self, color: Color) -> Seat {
        Seat(color as u8 ^ u8::from(self.stage.swapped))
    }

    /// The seat that decides at the current step of the procedure.
    pub(super) fn deciding_seat(&self) -> Seat {
        match self.rule_set.procedure.script().step(self.stage.step) {
            Some((Decider::Opener, _)) => Seat(0),
            Some((Decider::Responder, _)) => Seat(1),
            Some((Decider::Black, _)) => self.seat_of(Color::Black),
            Some((Decider::White, _)) => self.seat_of(Color::White),
            None => self.seat_of(self.to_move),
        }
    }

    /// Appends the moves of a step in order.
    pub(super) fn step_moves(&self, kind: StepKind, out: &mut Vec<Move>) {
        match kind {
            StepKind::Stone(distance) => {
                let near = |point: &Point| distance_from_centre(&self.board, *point) <= distance;
                out.extend(self.empty_points().filter(near).map(Move::Stone));
            }
            StepKind::Swap(third) => {
                out.extend([Move::Swap, Move::Keep]);
                out.extend(third);
            }
            StepKind::Announce => out.extend((1..=self.rule_set.max_fifths).map(Move::Fifths)),
            StepKind::Offer(_) => {
                let offered = self.excluded_offers();
                let new = self.empty_points().filter(|point| !offered.contains(point));
                out.extend(new.map(Move::Stone));
            }
            StepKind::Pick => out.extend(self.stage.offers.iter().map(Move::Stone)),
        }
    }

    /// The offered points and those equivalent to them.
    fn excluded_offers(&self) -> Vec<Point> {
        let kind = self.rule_set.procedure.offer_symmetry();
        self.stage.offers.iter().flat_map(|offer| same_points(&self.board, kind, offer)).collect()
    }

    /// Why a move cannot be played, in one sentence; `None` if it can. Fouls can be played.
    pub(super) fn refusal(&self, mv: Move) -> Option<String> {
        let occupied =
            mv.point().and_then(|point| self.stone_at(point).map(|color| (point, color)));
        let occupied =
            || occupied.map(|(point, color)| messages::stone_on_point(color.name(), point));
        let Some(kind) = self.current_step() else {
            return match mv {
                Move::Stone(_) => occupied(),
                Move::Pass if self.rule().allows_pass() => None,
                Move::Pass => Some(messages::no_pass_in(self.rule_set.id())),
                _ => Some(messages::NOTHING_TO_DECIDE.to_owned()),
            };
        };
        let mut step_moves = Vec::new();
        self.step_moves(kind, &mut step_moves);
        if step_moves.contains(&mv) {
            return None;
        }
        let known = match (kind, mv) {
            (StepKind::Offer(_), Move::Stone(point)) if self.stage.offers.contains(point) => {
                Some(messages::already_offered(point))
            }
            (StepKind::Offer(_), Move::Stone(point)) if occupied().is_none() => {
                self.equivalent_offer_reason(point)
            }
            (StepKind::Stone(_) | StepKind::Offer(_), Move::Stone(_)) => occupied(),
            _ => None,
        };
        known.or_else(|| Some(self.prompt_for(kind)))
    }

    /// Names the offer to which a point is equivalent.
    fn equivalent_offer_reason(&self, point: Point) -> Option<String> {
        let kind = self.rule_set.procedure.offer_symmetry();
        let same = |offer: &Point| same_points(&self.board, kind, *offer).contains(&point);
        let equivalent = self.stage.offers.iter().find(same)?;
        Some(messages::equivalent_offer(equivalent))
    }

    /// Asks for the decision of a step, in one sentence.
    pub(super) fn prompt_for(&self, kind: StepKind) -> String {
        match kind {
            StepKind::Stone(ANYWHERE) => messages::place_stone(self.to_move.name()),
            StepKind::Stone(0) => messages::place_first_stone(centre(&self.board)),
            StepKind::Stone(distance) => {
                let middle = self.size() / 2;
                let [low, high] = [middle.saturating_sub(distance), middle + distance];
                let [low, high] = [low, high].map(|line| Point::at(line, line));
                messages::place_stone_within(self.to_move.name(), low, high)
            }
            StepKind::Swap(None) => messages::CHOOSE_SWAP_OR_KEEP.to_owned(),
            StepKind::Swap(Some(third)) => messages::choose_swap_keep_or(third),
            StepKind::Announce => messages::announce_fifths(self.rule_set.max_fifths),
            StepKind::Offer(_) => {
                let number = self.stage.offers.len() + 1;
                messages::offer_point(number, self.stage.fifths)
            }
            StepKind::Pick => {
                let offers: Vec<String> = self.stage.offers.iter().map(|p| p.to_string()).collect();
                messages::pick_offer(offers.join(" "))
            }
        }
    }

    /// Reads a move text in this position.
    pub(super) fn read_move(&self, text: &str) -> Result<Move, String> {
        if let Some(outcome) = self.outcome {
            return Err(messages::game_is_over(outcome.reason));
        }
        let mv = match (notation::read_word(text), self.current_step()) {
            (Some(word), _) => word,
            (None, Some(kind @ (StepKind::Swap(_) | StepKind::Announce))) => {
                return Err(self.prompt_for(kind));
            }
            (None, _) => Move::Stone(notation::read_point(text, self.size())?),
        };
        self.refusal(mv).map_or(Ok(mv), Err)
    }

    /// Plays a decision, a pass, or a stone after a pass.
    #[cold]
    #[inline(never)]
    pub(super) fn make_decision(&mut self, mv: Move) -> Undo {
        let mut before = DecisionUndo { stage: self.stage, to_move: self.to_move, stone: None };
        let kind = self.current_step();
        if let Move::Stone(point) = mv
            && !matches!(kind, Some(StepKind::Offer(_)))
        {
            before.stone = Some((self.to_move, point));
            self.place_stone(self.to_move, point);
            self.switch_turn();
        }
        match kind {
            None => self.apply_pass(mv),
            Some(kind) => self.advance_procedure(kind, mv),
        }
        Undo(UndoKind::Decision(before))
    }

    /// Plays a pass, or a stone after a pass.
    fn apply_pass(&mut self, mv: Move) {
        match mv {
            Move::Pass => {
                debug_assert!(self.rule().allows_pass(), "passing is not allowed");
                self.switch_turn();
                self.set_stage(Stage { passes: self.stage.passes + 1, ..self.stage });
                self.outcome = self.draw_by_passes();
            }
            Move::Stone(point) => {
                self.set_stage(self.stage.to_ordinary_play());
                self.outcome = self.outcome_after(self.to_move.other(), point);
            }
            _ => unreachable!("{mv} is not generated"),
        }
    }

    /// Advances the procedure by one step.
    fn advance_procedure(&mut self, kind: StepKind, mv: Move) {
        let mut stage = self.stage;
        let script = self.rule_set.procedure.script();
        let mut next = script.after(stage.step);
        match (kind, mv) {
            (StepKind::Offer(_), Move::Stone(point)) => {
                stage.offers.insert(point);
                if stage.offers.len() < stage.fifths {
                    next = Some(stage.step);
                }
            }
            (StepKind::Swap(_), Move::Swap) => stage.swapped = !stage.swapped,
            (StepKind::Swap(third), _) if third == Some(mv) => next = Some(script.branch_start()),
            (StepKind::Announce, Move::Fifths(count)) => stage.fifths = count,
            _ => {}
        }
        self.set_stage(match next {
            Some(step) => {
                Stage { step, fifths: script.fixed_fifths(step).unwrap_or(stage.fifths), ..stage }
            }
            None => stage.to_ordinary_play(),
        });
    }

    /// Plays a stone that is a foul.
    pub(super) fn make_foul(&mut self, point: Point, reason: &'static str) -> Undo {
        let mover = self.to_move;
        let before =
            DecisionUndo { stage: self.stage, to_move: mover, stone: Some((mover, point)) };
        self.place_stone(mover, point);
        self.switch_turn();
        self.set_stage(Stage { foul: Some(point), ..self.stage.to_ordinary_play() });
        self.outcome = Some(self.win_outcome(mover.other(), reason));
        Undo(UndoKind::Decision(before))
    }

    pub(super) fn unmake_decision(&mut self, before: DecisionUndo) {
        if let Some((color, point)) = before.stone {
            self.remove_stone(color, point);
        }
        if self.to_move != before.to_move {
            self.switch_turn();
        }
        self.set_stage(before.stage);
        self.outcome = None;
    }

    /// Implements [`Rules::after_defaults`](crate::Rules::after_defaults): always returns ordinary
    /// play.
    pub(super) fn decide_by_default(&self, mv: Move) -> Gomoku {
        let mut after = self.clone();
        if self.current_step().is_none() {
            after.make(mv);
            return after;
        }
        if let Move::Stone(point) = mv {
            after.place_stone(self.to_move, point);
            after.switch_turn();
        }
        let swapped = self.stage.swapped ^ (mv == Move::Swap);
        after.set_stage(Stage { swapped, ..Stage::PLAY });
        after
    }

    /// The same stones, turn and colours in ordinary play, without a pending procedure.
    pub fn without_procedure(&self) -> Gomoku {
        let mut play = self.clone();
        if self.current_step().is_some() {
            play.set_stage(self.stage.to_ordinary_play());
        }
        play
    }

    fn set_stage(&mut self, stage: Stage) {
        let procedure_key = self.rule_set.procedure_key();
        self.hash ^= self.stage.key(procedure_key) ^ stage.key(procedure_key);
        self.stage = stage;
    }
}

fn centre(board: &Board) -> Point {
    Point::at(board.size() / 2, board.size() / 2)
}

/// Distance from the centre in king's steps.
pub(super) fn distance_from_centre(board: &Board, point: Point) -> u8 {
    let centre = centre(board);
    let [columns, rows] =
        [point.column().abs_diff(centre.column()), point.row().abs_diff(centre.row())];
    columns.max(rows)
}
