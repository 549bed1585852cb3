//! Moves that are more than a stone of ordinary play: the steps of a procedure,
//! passes, and fouls. Each changes the stage, is taken back as a whole, and is
//! slow compared with the stones that searches put.

use super::board::Board;
use super::moves::Move;
use super::notation;
use super::point::{Color, Point};
use super::procedure::{ANYWHERE, What, Who};
use super::stage::Stage;
use super::symmetry::same_points;
use super::{Change, Gomoku, Undo};
use crate::rules::{Rules, Seat};

/// What a decision changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    stage: Stage,
    to_move: Color,
    stone: Option<(Color, Point)>,
}

impl Gomoku {
    /// What the step of the procedure decides; none in ordinary play.
    #[inline]
    pub(super) fn due(&self) -> Option<What> {
        self.terms.procedure.script().step(self.stage.step).map(|(_, what)| what)
    }

    /// Whether the legal moves are the empty points, and a pass where the rule has it: in ordinary play of a colour
    /// that nothing is forbidden to.
    #[inline]
    pub(super) fn is_listed_by_points(&self) -> bool {
        self.outcome.is_none() && self.due().is_none() && !self.rule().forbids(self.to_move)
    }

    /// The seat that holds a colour.
    #[inline]
    pub(super) fn seat_of(&self, color: Color) -> Seat {
        Seat(color as u8 ^ u8::from(self.stage.swapped))
    }

    /// The seat whose decision a step of the procedure is.
    pub(super) fn decider(&self) -> Seat {
        match self.terms.procedure.script().step(self.stage.step) {
            Some((Who::Opener, _)) => Seat(0),
            Some((Who::Other, _)) => Seat(1),
            Some((Who::Black, _)) => self.seat_of(Color::Black),
            Some((Who::White, _)) => self.seat_of(Color::White),
            None => self.seat_of(self.to_move),
        }
    }

    /// The moves of a step, in their order.
    pub(super) fn choices(&self, what: What, out: &mut Vec<Move>) {
        match what {
            What::Stone(distance) => {
                let near = |point: &Point| distance_from_centre(&self.board, *point) <= distance;
                out.extend(self.empty_points().filter(near).map(Move::Stone));
            }
            What::Swap(third) => {
                out.extend([Move::Swap, Move::Keep]);
                out.extend(third);
            }
            What::Announce => out.extend((1..=self.terms.most_fifths).map(Move::Fifths)),
            What::Offer(_) => {
                let offered = self.same_as_offered();
                let new = self.empty_points().filter(|point| !offered.contains(point));
                out.extend(new.map(Move::Stone));
            }
            What::Pick => out.extend(self.stage.offers.iter().map(Move::Stone)),
        }
    }

    /// The points that were offered, and those that are the same by symmetry.
    fn same_as_offered(&self) -> Vec<Point> {
        let alike = self.terms.procedure.alike();
        self.stage.offers.iter().flat_map(|offer| same_points(&self.board, alike, offer)).collect()
    }

    /// Why a move cannot be played, in one sentence; none if it can. A foul can.
    pub(super) fn refusal(&self, mv: Move) -> Option<String> {
        let taken = mv.point().and_then(|point| self.stone_at(point).map(|color| (point, color)));
        let taken =
            || taken.map(|(point, color)| format!("a {} stone is on {point}", color.name()));
        let Some(what) = self.due() else {
            return match mv {
                Move::Stone(_) => taken(),
                Move::Pass if self.rule().allows_pass() => None,
                Move::Pass => Some(format!("nobody passes in {}", self.terms.id())),
                _ => Some("a stone is due: there is nothing to decide".to_owned()),
            };
        };
        let mut choices = Vec::new();
        self.choices(what, &mut choices);
        if choices.contains(&mv) {
            return None;
        }
        let known = match (what, mv) {
            (What::Offer(_), Move::Stone(point)) if self.stage.offers.contains(point) => {
                Some(format!("{point} has been offered already"))
            }
            (What::Offer(_), Move::Stone(point)) if taken().is_none() => self.twin_of(point),
            (What::Stone(_) | What::Offer(_), Move::Stone(_)) => taken(),
            _ => None,
        };
        known.or_else(|| Some(self.wanted(what)))
    }

    /// Which offer makes another point the same.
    fn twin_of(&self, point: Point) -> Option<String> {
        let alike = self.terms.procedure.alike();
        let same = |offer: &Point| same_points(&self.board, alike, *offer).contains(&point);
        let twin = self.stage.offers.iter().find(same)?;
        Some(format!("by symmetry it is the same as {twin}, which has been offered"))
    }

    /// What a step asks for, in one sentence.
    pub(super) fn wanted(&self, what: What) -> String {
        match what {
            What::Stone(ANYWHERE) => format!("a {} stone is due", self.to_move.name()),
            What::Stone(0) => format!("the first stone is put on {}", centre(&self.board)),
            What::Stone(distance) => {
                let middle = self.size() / 2;
                let [low, high] = [middle.saturating_sub(distance), middle + distance];
                let [low, high] = [low, high].map(|line| Point::at(line, line));
                format!("a {} stone from {low} to {high} is due", self.to_move.name())
            }
            What::Swap(None) => "the choice is swap or keep".to_owned(),
            What::Swap(Some(third)) => format!("the choice is swap, keep or {third}"),
            What::Announce => {
                format!("fifths-1 to fifths-{} is to be announced", self.terms.most_fifths)
            }
            What::Offer(_) => {
                let number = self.stage.offers.len() + 1;
                format!(
                    "point {number} of {} is to be offered for the fifth stone",
                    self.stage.fifths
                )
            }
            What::Pick => {
                let offers: Vec<String> = self.stage.offers.iter().map(|p| p.to_string()).collect();
                format!("one of the offered points is to be picked: {}", offers.join(" "))
            }
        }
    }

    /// Reads a move text, for this position.
    pub(super) fn read_move(&self, text: &str) -> Result<Move, String> {
        if let Some(outcome) = self.outcome {
            return Err(format!("the game is over: {}", outcome.reason));
        }
        let mv = match (notation::read_word(text), self.due()) {
            (Some(word), _) => word,
            (None, Some(what @ (What::Swap(_) | What::Announce))) => return Err(self.wanted(what)),
            (None, _) => Move::Stone(notation::read_point(text, self.size())?),
        };
        self.refusal(mv).map_or(Ok(mv), Err)
    }

    /// Makes a move that is more than a stone of ordinary play, or a stone after a pass.
    #[cold]
    #[inline(never)]
    pub(super) fn decide(&mut self, mv: Move) -> Undo {
        let mut before = Before { stage: self.stage, to_move: self.to_move, stone: None };
        let what = self.due();
        if let Move::Stone(point) = mv
            && !matches!(what, Some(What::Offer(_)))
        {
            before.stone = Some((self.to_move, point));
            self.put(self.to_move, point);
            self.pass_turn();
        }
        match what {
            None => self.play_on(mv),
            Some(what) => self.go_on(what, mv),
        }
        Undo(Change::Decision(before))
    }

    /// A pass, or a stone after one.
    fn play_on(&mut self, mv: Move) {
        match mv {
            Move::Pass => {
                debug_assert!(self.rule().allows_pass(), "nobody passes");
                self.pass_turn();
                self.set_stage(Stage { passes: self.stage.passes + 1, ..self.stage });
                self.outcome = self.draw_by_passes();
            }
            Move::Stone(point) => {
                self.set_stage(self.stage.played_on());
                self.outcome = self.outcome_after(self.to_move.other(), point);
            }
            _ => unreachable!("{mv} is not generated"),
        }
    }

    /// A step of the procedure.
    fn go_on(&mut self, what: What, mv: Move) {
        let mut stage = self.stage;
        let script = self.terms.procedure.script();
        let mut next = script.after(stage.step);
        match (what, mv) {
            (What::Offer(_), Move::Stone(point)) => {
                stage.offers.insert(point);
                if stage.offers.len() < stage.fifths {
                    next = Some(stage.step);
                }
            }
            (What::Swap(_), Move::Swap) => stage.swapped = !stage.swapped,
            (What::Swap(third), _) if third == Some(mv) => next = Some(script.after_third_answer()),
            (What::Announce, Move::Fifths(count)) => stage.fifths = count,
            _ => {}
        }
        self.set_stage(match next {
            Some(step) => {
                Stage { step, fifths: script.fixed_fifths(step).unwrap_or(stage.fifths), ..stage }
            }
            None => stage.played_on(),
        });
    }

    /// Makes a stone that is a foul.
    pub(super) fn commit_foul(&mut self, point: Point, reason: &'static str) -> Undo {
        let mover = self.to_move;
        let before = Before { stage: self.stage, to_move: mover, stone: Some((mover, point)) };
        self.put(mover, point);
        self.pass_turn();
        self.set_stage(Stage { foul: Some(point), ..self.stage.played_on() });
        self.outcome = Some(self.won(mover.other(), reason));
        Undo(Change::Decision(before))
    }

    pub(super) fn undecide(&mut self, before: Before) {
        if let Some((color, point)) = before.stone {
            self.take(color, point);
        }
        if self.to_move != before.to_move {
            self.pass_turn();
        }
        self.set_stage(before.stage);
        self.outcome = None;
    }

    /// See [`Rules::settled`](crate::Rules::settled): ordinary play, whatever was due.
    pub(super) fn settle(&self, mv: Move) -> Gomoku {
        let mut after = self.clone();
        if self.due().is_none() {
            after.make(mv);
            return after;
        }
        if let Move::Stone(point) = mv {
            after.put(self.to_move, point);
            after.pass_turn();
        }
        let swapped = self.stage.swapped ^ (mv == Move::Swap);
        after.set_stage(Stage { swapped, ..Stage::PLAY });
        after
    }

    /// The same stones, turn and colours in ordinary play, whatever procedure is
    /// under way.
    pub fn as_it_stands(&self) -> Gomoku {
        let mut play = self.clone();
        if self.due().is_some() {
            play.set_stage(self.stage.played_on());
        }
        play
    }

    fn set_stage(&mut self, stage: Stage) {
        let course = self.terms.course();
        self.hash ^= self.stage.key(course) ^ stage.key(course);
        self.stage = stage;
    }
}

fn centre(board: &Board) -> Point {
    Point::at(board.size() / 2, board.size() / 2)
}

/// In the steps of a king.
pub(super) fn distance_from_centre(board: &Board, point: Point) -> u8 {
    let centre = centre(board);
    let [columns, rows] =
        [point.column().abs_diff(centre.column()), point.row().abs_diff(centre.row())];
    columns.max(rows)
}
