//! Bouts of engines that end before the rules end them: because both sides say the same of it,
//! or because perfect play is known from there on. Solves nothing itself: it asks its driver,
//! which has the position solved.

use super::adjudication::{Said, Verdict, verdict};
use super::result::Adjudicator;
use super::words::{Command, Rejection, What};
use super::{Adjudication, AdjudicationError, BoutResult, Ply, Referee, Termination};
use crate::exact::{End, Ending, ending_of, endings_in_words};
use sandboard_games::{DynGame, Side};

impl Adjudication {
    /// Err: the rules cannot be, or not of this game as it stands: its last part, or so much of it,
    /// is solved by nobody.
    pub fn fits(&self, game: &dyn DynGame) -> Result<(), AdjudicationError> {
        self.check()?;
        let Some(left) = self.exact else { return Ok(()) };
        let id = game.info().id;
        match ending_of(id).filter(|row| row.left(game).is_some()) {
            Some(Ending { most, unit, .. }) if left > *most => {
                Err(AdjudicationError::TooMuchLeft { left, most: *most, unit, game: id })
            }
            Some(_) => Ok(()),
            None => {
                let (variant, solved) = (game.variant().text(), endings_in_words());
                Err(AdjudicationError::NoEnding { left, game: id, variant, solved })
            }
        }
    }
}

impl Referee {
    /// Whether the position is being solved for the bout's end under this call.
    pub fn settles(&self, call: u64) -> bool {
        self.result.is_none() && self.settling == Some(call)
    }

    /// Ends the bout early, or has it settled, where its rules say so; whether it did.
    pub(super) fn adjudicated(&mut self, out: &mut Vec<Command>) -> bool {
        if !self.adjudicates || self.plies.is_empty() {
            return false;
        }
        // What is known goes before what is thought.
        if self.is_nearly_over() {
            self.next_call += 1;
            self.settling = Some(self.next_call);
            self.arm(out);
            out.push(Command::Settle { call: self.next_call });
            return true;
        }
        let said = self.plies.iter().map(|ply| self.said(ply));
        match verdict(&self.settings.adjudication, said) {
            None => return false,
            Some(Verdict::Win(side, rule)) => {
                let (score, plies) = (rule.score, rule.plies);
                let how = format!("both sides saw it ahead by {score} or more for {plies} plies");
                self.ends_early(Some(side), Adjudicator::Win, None, &how, out);
            }
            Some(Verdict::Draw(rule)) => {
                let (score, plies) = (rule.score, rule.plies);
                let how =
                    format!("both sides saw nobody ahead by more than {score} for {plies} plies");
                self.ends_early(None, Adjudicator::Draw, None, &how, out);
            }
        }
        true
    }

    fn is_nearly_over(&self) -> bool {
        let game = self.game.as_ref();
        let most = self.settings.adjudication.exact;
        most.is_some_and(|most| {
            let left = ending_of(game.info().id).and_then(|row| row.left(game));
            left.is_some_and(|left| left <= most)
        })
    }

    fn said(&self, ply: &Ply) -> Option<Said> {
        let side = self.players.get(ply.player)?.side;
        Some(Said { side, score: ply.line.as_ref()?.score? })
    }

    /// The position has been solved: that is the end.
    pub(super) fn settled(
        &mut self,
        call: u64,
        score: i32,
        out: &mut Vec<Command>,
    ) -> Result<(), Rejection> {
        if !self.settles(call) {
            return Err(Rejection::NotSettling);
        }
        let game = self.game.as_ref();
        let row = ending_of(game.info().id);
        let end = row.and_then(|row| row.end(game, score)).ok_or(Rejection::NoSuchEnd(score))?;
        self.note(What::Settled { score });
        let End { winner, counts: [one, other] } = end;
        let [first, second] = self.names_now();
        let how = format!("perfect play from here gives {first} {one} and {second} {other}");
        self.ends_early(winner, Adjudicator::Exact, Some(score), &how, out);
        Ok(())
    }

    fn ends_early(
        &mut self,
        winner: Option<Side>,
        by: Adjudicator,
        score: Option<i32>,
        how: &str,
        out: &mut Vec<Command>,
    ) {
        let sentence = match winner {
            Some(side) => format!("{} wins by adjudication: {how}", self.side_called(side)),
            None => format!("draw by adjudication: {how}"),
        };
        let (winner, termination) = (winner.map(|side| side.0), Termination::Adjudicated { by });
        self.finish(BoutResult { winner, termination, score, sentence }, out);
    }
}
