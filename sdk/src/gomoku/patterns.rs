//! The strong analyzer of gomoku. It knows what a stone of each colour makes on every point,
//! proposes moves and evaluates positions from that, and proves wins by continuous fours (VCF) and
//! continuous threats (VCT). Contains no rule of the game: it asks the rules for forbidden points.

mod candidates;
mod forced_win;
mod line_classes;
mod point_kinds;
mod proof_tables;
#[cfg(test)]
mod tests;
mod threat_map;
mod vcf;
mod vct;

use sandboard_games::gomoku::{Color, Gomoku, Move, Point};
use sandboard_games::{Phase, Rules};

pub use self::point_kinds::PATTERN_WEIGHTS;
use self::point_kinds::{PointCodes, PointKind, TO_MOVE};
use self::proof_tables::ProofTables;
use self::threat_map::ThreatMap;
use crate::analyzer::{Analyzer, Candidate, ForcedWin, ProofEffort, Scope};
use crate::noise::Noise;
use crate::weights::Weights;

/// The strong analyzer of gomoku, by the patterns on the lines through each point.
#[derive(Clone, Debug)]
pub struct PatternAnalyzer {
    threat_map: ThreatMap,
    /// For each move made: whether it put a stone on the board.
    put_stone: Vec<bool>,
    /// The value of the right to move.
    to_move: i32,
    /// The board for proofs; `None` while a proof uses it.
    proof_board: Option<Box<Gomoku>>,
    proofs: ProofTables,
    skill: Skill,
}

/// Which abilities an analyzer uses; levels of strength leave some out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Whether it searches for wins by continuous fours (VCF).
    pub vcf: bool,
    /// Whether it searches for wins by continuous fours and open threes (VCT).
    pub vct: bool,
    /// Whether it answers an open three before it becomes a four. It always answers fours.
    pub sees_open_threes: bool,
    /// The noise added to its values.
    pub noise: Noise,
}

impl Skill {
    /// All abilities, without noise.
    pub const ALL: Skill =
        Skill { vcf: true, vct: true, sees_open_threes: true, noise: Noise::NONE };
}

impl PatternAnalyzer {
    /// An analyzer with these weights, a table of [`PATTERN_WEIGHTS`], that stores proofs in at
    /// most `proof_bytes` bytes.
    pub fn new(weights: &Weights, skill: Skill, proof_bytes: usize) -> Self {
        Self {
            threat_map: ThreatMap::new(PointCodes::new(weights)),
            put_stone: Vec::new(),
            to_move: weights.value(TO_MOVE),
            proof_board: None,
            proofs: ProofTables::new(proof_bytes),
            skill,
        }
    }
}

impl Default for PatternAnalyzer {
    fn default() -> Self {
        Self::new(&Weights::new(&PATTERN_WEIGHTS), Skill::ALL, 1 << 20)
    }
}

/// Whether a colour may put a stone on this point. Cheap in variants without forbidden points.
#[inline]
fn may_play(position: &Gomoku, color: Color, point: Point) -> bool {
    !position.rule().forbids(color) || position.forbidden(point).is_none()
}

impl Analyzer<Gomoku> for PatternAnalyzer {
    const EVALUATES: bool = true;
    const PROVES_WINS: bool = true;

    fn candidates(&mut self, position: &Gomoku, out: &mut Vec<Candidate<Move>>) -> Scope {
        if position.phase() != Phase::Play {
            // A decision of an opening procedure: the search takes all legal moves.
            return Scope::Quiet;
        }
        if self.list_answers(position, out) {
            return Scope::Answers;
        }
        self.list_quiet(position, out);
        Scope::Quiet
    }

    fn reset(&mut self, position: &Gomoku) {
        self.threat_map.reset(position);
        self.put_stone.clear();
    }

    #[inline]
    fn made(&mut self, after: &Gomoku, mv: Move) {
        // In an opening procedure, an offered point is not yet a stone on the board.
        let stone = mv.point().and_then(|point| Some((after.stone_at(point)?, point)));
        if let Some((color, point)) = stone {
            self.threat_map.add_stone(color, point);
        }
        self.put_stone.push(stone.is_some());
    }

    #[inline]
    fn unmade(&mut self, _after: &Gomoku, _mv: Move) {
        if self.put_stone.pop() == Some(true) {
            self.threat_map.remove_last_stone();
        }
    }

    fn value(&self, position: &Gomoku) -> i32 {
        let mover = position.color_to_move();
        let (own, other) = (self.threat_map.total(mover), self.threat_map.total(mover.other()));
        own.value[0] + other.value[1] + self.to_move + self.skill.noise.for_hash(position.hash())
    }

    fn must_answer(&self, position: &Gomoku) -> bool {
        if position.phase() != Phase::Play {
            return false;
        }
        let mover = position.color_to_move();
        self.threat_map.count(mover.other(), PointKind::Five) > 0
            || self.skill.sees_open_threes
                && !self.threat_map.rule_masks().fives_can_be_spoiled()
                && self.winning_points(position, mover.other()).next().is_some()
    }

    fn forced_win(
        &mut self,
        position: &Gomoku,
        effort: ProofEffort,
        take_node: &mut dyn FnMut() -> bool,
    ) -> Option<ForcedWin<Move>> {
        self.prove_win(position, effort, take_node)
    }

    fn clear(&mut self) {
        self.proofs.clear();
    }

    fn forced_line(&mut self, position: &Gomoku, out: &mut Vec<Move>) {
        self.append_win_line(position, out);
    }
}
