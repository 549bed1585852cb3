//! Decides what a game without a result after all attempts means: its pair is void, or the machine
//! cannot play at all. A pure value.
//!
//! Invariant: a pair becomes void only after something has shown that the machine can play: a later
//! game with a result, or a game of the stopped engine's opponent against itself.

use std::collections::BTreeSet;

use sandboard_arena_plan::Job;

/// With more consecutive pairs without a result than this, the machine is at fault.
const CONSECUTIVE_MAX: usize = 5;
/// After this many consecutive checks in which nothing else was in play, the session has stalled.
const STALLED_CHECKS_MAX: u32 = 4;

/// A game without a result after all attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedGame {
    /// The game that was tried.
    pub job: Job,
    /// How the last attempt ended.
    pub reason: String,
    /// The player, by its index in the pair, whose engine failed by a fault of the host in every
    /// attempt.
    pub at_fault: Option<usize>,
    /// Whether the game could be played with the engine of an opponent in that player's place.
    pub opponent_played: bool,
}

/// The unresolved games of a session.
#[derive(Debug, Default)]
pub(super) struct VoidTracker {
    /// Games that may still be the machine's fault.
    undecided: Vec<UnresolvedGame>,
    /// Pairs with an unresolved game since the last result.
    consecutive: BTreeSet<u32>,
    /// Consecutive checks in which nothing else was in play.
    stalled_checks: u32,
}

impl VoidTracker {
    /// Records that a game has a result. Returns the games whose pairs are void now.
    pub(super) fn record_result(&mut self) -> Vec<UnresolvedGame> {
        self.consecutive.clear();
        std::mem::take(&mut self.undecided)
    }

    /// Records an unresolved game. Returns the games whose pairs are void now; the error is the
    /// number of consecutive pairs without a result, if there are too many.
    pub(super) fn record_unresolved(
        &mut self,
        game: UnresolvedGame,
    ) -> Result<Vec<UnresolvedGame>, usize> {
        if game.opponent_played {
            self.undecided.push(game);
            return Ok(self.record_result());
        }
        self.consecutive.insert(game.job.pair.number);
        if self.consecutive.len() > CONSECUTIVE_MAX {
            return Err(self.consecutive_pairs());
        }
        self.undecided.push(game);
        Ok(Vec::new())
    }

    /// Takes out the games that no longer need a decision, because their players have left.
    pub(super) fn take_settled(
        &mut self,
        is_settled: impl Fn(&UnresolvedGame) -> bool,
    ) -> Vec<UnresolvedGame> {
        self.undecided.extract_if(.., |game| is_settled(game)).collect()
    }

    /// The last undecided game, if nothing else is in play now and in the checks before.
    /// `playing` is the number of games in play, the undecided ones included.
    pub(super) fn stalled_game(&mut self, playing: usize) -> Option<&UnresolvedGame> {
        let is_stalled = !self.undecided.is_empty() && playing <= self.undecided.len();
        self.stalled_checks = if is_stalled { self.stalled_checks + 1 } else { 0 };
        self.undecided.last().filter(|_| self.stalled_checks >= STALLED_CHECKS_MAX)
    }

    /// The number of pairs with an unresolved game since the last result.
    pub(super) fn consecutive_pairs(&self) -> usize {
        self.consecutive.len()
    }
}

#[cfg(test)]
mod tests {
    use sandboard_tournament::schedule::Pair;

    use super::*;

    /// Each step is a character: `+` a result; `-` an unresolved game of another pair; `=` the
    /// other game of that pair; `s` an unresolved game of another pair whose opponent plays
    /// against itself; a digit is the number of games in play at a check. Expected after each
    /// step: the void pairs, or `!` for too many in a row or a stalled session.
    fn check(steps: &str, expected: &str) {
        let (mut tracker, mut found, mut number) = (VoidTracker::default(), Vec::new(), 0);
        let text = |games: Vec<UnresolvedGame>| match games.is_empty() {
            true => ".".to_owned(),
            false => games.iter().map(|game| game.job.pair.number.to_string()).collect(),
        };
        for step in steps.chars() {
            found.push(match step {
                '+' => text(tracker.record_result()),
                '-' | '=' | 's' => {
                    number += u32::from(step != '=');
                    let pair = Pair { number, round: 0, players: [0, 1].into(), opening: 0 };
                    let job = Job { pair, game: 0, opening: None, seed: 0 };
                    let (reason, at_fault, opponent_played) = (String::new(), None, step == 's');
                    let game = UnresolvedGame { job, reason, at_fault, opponent_played };
                    tracker.record_unresolved(game).map_or("!".into(), text)
                }
                _ => {
                    let playing = step.to_digit(10).unwrap() as usize;
                    tracker.stalled_game(playing).map_or(".".into(), |_| "!".into())
                }
            });
        }
        assert_eq!(found.join(" "), expected, "{steps}");
    }

    #[test]
    fn a_pair_is_void_once_other_games_have_results() {
        check("++", ". .");
        check("+-+", ". . 1");
        check("s", "1");
        check("-s", ". 12");
        check("ssssss-", "1 2 3 4 5 6 .");
        // Until the next result the machine may be at fault, whatever was played before.
        check("-+-", ". 1 .");
        check("--+", ". . 12");
        check("-----", ". . . . .");
        check("------", ". . . . . !");
        check("+------", ". . . . . . !");
        check("-=-=-=-=-=-", ". . . . . . . . . . !");
        check("-----+-----+", ". . . . . 12345 . . . . . 678910");
    }

    #[test]
    fn a_session_without_other_games_stalls() {
        check("-1111", ". . . . !");
        check("-11211111", ". . . . . . . ! !");
        check("--2222", ". . . . . !");
        check("0000", ". . . .");
        check("-111+0000", ". . . . 1 . . . .");
    }

    #[test]
    fn games_of_withdrawn_players_are_settled() {
        let mut tracker = VoidTracker::default();
        for number in 0..3 {
            let pair = Pair { number, round: 0, players: [0, number].into(), opening: 0 };
            let job = Job { pair, game: 0, opening: None, seed: 0 };
            let (reason, at_fault, opponent_played) = (String::new(), None, false);
            let game = UnresolvedGame { job, reason, at_fault, opponent_played };
            tracker.record_unresolved(game).unwrap();
        }
        let settled = tracker.take_settled(|game| game.job.pair.players.contains(&1));
        assert_eq!(settled.iter().map(|game| game.job.pair.number).collect::<Vec<_>>(), [1]);
        assert_eq!(tracker.record_result().len(), 2);
    }
}
