//! Bouts between engines that end before the rules end them: because of the scores of the engines,
//! or because perfect play is known. Solves nothing itself: [`Command::Solve`] asks the driver to.

use crate::messages as sentences;
use sandboard_games::{DynGame, Side};

use super::adjudication::{ScoreVerdict, SideScore, verdict};
use super::messages::{Command, EventKind, Rejection};
use super::result::AdjudicationRule;
use super::{Adjudication, AdjudicationError, BoutResult, Ply, Referee, Termination};
use crate::solver::{EndgameSolver, FinalScore, describe_endgames, endgame_solver};

impl Adjudication {
    /// Err: a value is invalid, or no solver solves the last part of `game` or so much of it.
    pub fn check_for(&self, game: &dyn DynGame) -> Result<(), AdjudicationError> {
        self.check()?;
        if !self.is_none() && !game.has_two_sides() {
            return Err(AdjudicationError::ManySides(game.sides().len()));
        }
        let Some(left) = self.solver else { return Ok(()) };
        let id = game.info().id;
        match endgame_solver(id).filter(|row| row.left(game).is_some()) {
            Some(EndgameSolver { max_left, unit, .. }) if left > *max_left => {
                Err(AdjudicationError::TooMuchLeft { left, max_left: *max_left, unit, game: id })
            }
            Some(_) => Ok(()),
            None => {
                let (variant, solved) = (game.variant().text(), describe_endgames());
                Err(AdjudicationError::NotSolved { left, game: id, variant, solved })
            }
        }
    }
}

impl Referee {
    /// Whether the position is being solved under this call to end the bout.
    pub fn is_solving(&self, call: u64) -> bool {
        self.result.is_none() && self.solving == Some(call)
    }

    /// Ends the bout early, or has its position solved, if the settings say so. Returns false if
    /// the bout continues.
    pub(super) fn end_early(&mut self, out: &mut Vec<Command>) -> bool {
        if !self.may_end_early || self.plies.is_empty() {
            return false;
        }
        // Perfect play comes before scores.
        if self.is_solvable() {
            self.last_call += 1;
            self.solving = Some(self.last_call);
            self.set_timer(out);
            out.push(Command::Solve { call: self.last_call });
            return true;
        }
        let of_players = self.plies.iter().filter(|ply| ply.player.is_some());
        let scores: Vec<_> = of_players.filter_map(|ply| self.score_of(ply)).collect();
        match verdict(&self.settings.adjudication, scores.into_iter()) {
            None => return false,
            Some(ScoreVerdict::Win(side, rule)) => {
                let (score, plies) = (rule.score, rule.plies);
                let how = sentences::seen_ahead(score, plies);
                let lead = if side == Side(0) { 1 } else { -1 };
                self.adjudicate(Some(side), AdjudicationRule::Win, [lead, -lead], &how, out);
            }
            Some(ScoreVerdict::Resign(side, rule)) => {
                let (score, moves) = (rule.score, rule.moves);
                let how = sentences::saw_itself_behind(score, moves);
                let lead = if side == Side(0) { -1 } else { 1 };
                let (winner, by) = (Some(side.other()), AdjudicationRule::Resign);
                self.adjudicate(winner, by, [lead, -lead], &how, out);
            }
            Some(ScoreVerdict::Draw(rule)) => {
                let (score, plies) = (rule.score, rule.plies);
                let how = sentences::seen_no_lead(score, plies);
                self.adjudicate(None, AdjudicationRule::Draw, [0, 0], &how, out);
            }
        }
        true
    }

    /// Whether so little of the game is left that the settings have it solved.
    fn is_solvable(&self) -> bool {
        let game = self.game.as_ref();
        self.settings.adjudication.solver.is_some_and(|max_left| {
            let left = endgame_solver(game.info().id).and_then(|row| row.left(game));
            left.is_some_and(|left| left <= max_left)
        })
    }

    /// The score of a player's move; none: the move is not of a player.
    fn score_of(&self, ply: &Ply) -> Option<SideScore> {
        let side = self.players.get(ply.player?)?.side;
        Some(SideScore { side, score: ply.line.as_ref().and_then(|line| line.score) })
    }

    /// Ends the bout with the score of its solved position.
    pub(super) fn end_by_solution(
        &mut self,
        call: u64,
        score: i32,
        out: &mut Vec<Command>,
    ) -> Result<(), Rejection> {
        if !self.is_solving(call) {
            return Err(Rejection::NotSolving);
        }
        let game = self.game.as_ref();
        let row = endgame_solver(game.info().id);
        let end = row.and_then(|row| row.final_score(game, score));
        let end = end.ok_or(Rejection::ImpossibleScore(score))?;
        let FinalScore { winner, counts, scores } = end;
        self.record_event(EventKind::Solved { score });
        let [first, second] = [Side(0), Side(1)].map(|side| self.game.side_name(side));
        let [one, other] = counts;
        let how = sentences::perfect_play(first, one, second, other);
        self.adjudicate(winner, AdjudicationRule::Solver, scores, &how, out);
        Ok(())
    }

    fn adjudicate(
        &mut self,
        winner: Option<Side>,
        by: AdjudicationRule,
        scores: [i32; 2],
        how: &str,
        out: &mut Vec<Command>,
    ) {
        let sentence = match winner {
            Some(side) => {
                sentences::win_adjudicated(self.players_of(side), self.game.side_name(side), how)
            }
            None => sentences::draw_adjudicated(how),
        };
        let (winner, termination) = (winner.map(|side| side.0), Termination::Adjudicated { by });
        let scores = self.scores_of_sides(|side| scores[usize::from(side.0 & 1)]);
        self.finish(BoutResult { winner, termination, scores, sentence }, out);
    }
}
