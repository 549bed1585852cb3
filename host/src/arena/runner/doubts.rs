//! Games without a result, however often they were tried: whether that is said of their pairs, which are void then, or of the
//! machine, on which nothing can be played. Pure.
//!
//! Invariant: no pair is void before something has shown, after it, that the machine plays: another game, or the opponent of
//! whoever was stopped, against itself.

use std::collections::BTreeSet;

use crate::arena::job::Job;

/// So many pairs one after another with a game without a result are the machine's doing, and no more.
const IN_A_ROW_MAX: usize = 5;
/// So often nothing else may be in play before it is believed that nothing else will be.
const ALONE_MAX: u32 = 4;

/// A game that has no result, however often it was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hopeless {
    /// Which.
    pub job: Job,
    /// How it ended the last time.
    pub reason: String,
    /// Whose engine was stopped by the host, or could not go on, each time: the first or the second player of the pair.
    pub blamed: Option<usize>,
    /// Whether its opponent could play the game against itself.
    pub shown: bool,
}

/// The games of a session that have none.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// Of which it is not known yet what they say.
    held: Vec<Hopeless>,
    /// The pairs that have one since the last result.
    in_a_row: BTreeSet<u32>,
    alone: u32,
}

impl Doubts {
    /// A game has a result: what is void is handed out.
    pub fn result(&mut self) -> Vec<Hopeless> {
        self.in_a_row.clear();
        std::mem::take(&mut self.held)
    }

    /// A game has none: what is void is handed out, or how many pairs there were in a row, where those are too many.
    pub fn add(&mut self, game: Hopeless) -> Result<Vec<Hopeless>, usize> {
        if game.shown {
            self.held.push(game);
            return Ok(self.result());
        }
        self.in_a_row.insert(game.job.pair.number);
        if self.in_a_row.len() > IN_A_ROW_MAX {
            return Err(self.in_a_row());
        }
        self.held.push(game);
        Ok(Vec::new())
    }

    /// Takes out those that nobody needs to wait for: who plays them has left.
    pub fn settled(&mut self, is_settled: impl Fn(&Hopeless) -> bool) -> Vec<Hopeless> {
        self.held.extract_if(.., |game| is_settled(game)).collect()
    }

    /// So many games are in play, those among them of which it is not known yet: the last of these where nothing else is, nor was
    /// when this was asked before.
    pub fn alone(&mut self, playing: usize) -> Option<&Hopeless> {
        let alone = !self.held.is_empty() && playing <= self.held.len();
        self.alone = if alone { self.alone + 1 } else { 0 };
        self.held.last().filter(|_| self.alone >= ALONE_MAX)
    }

    /// How many pairs have a game without a result since the last that had one.
    pub fn in_a_row(&self) -> usize {
        self.in_a_row.len()
    }
}

#[cfg(test)]
mod tests {
    use sandboard_tournament::schedule::Pair;

    use super::*;

    /// `+` is a result, `-` a game of another pair without one, `=` the other game of that pair, `s` a game of another pair whose
    /// opponent plays against itself, a digit is how many are in play when it is looked; expected is what is void
    /// after each, `!` for too many in a row or for nothing else in play.
    fn check(steps: &str, expected: &str) {
        let (mut doubts, mut told, mut number) = (Doubts::default(), Vec::new(), 0);
        let text = |games: Vec<Hopeless>| match games.is_empty() {
            true => ".".to_owned(),
            false => games.iter().map(|game| game.job.pair.number.to_string()).collect(),
        };
        for step in steps.chars() {
            told.push(match step {
                '+' => text(doubts.result()),
                '-' | '=' | 's' => {
                    number += u32::from(step != '=');
                    let pair = Pair { number, round: 0, players: [0, 1], opening: 0 };
                    let job = Job { pair, game: 0, opening: None, seed: 0 };
                    let shown = step == 's';
                    let game = Hopeless { job, reason: String::new(), blamed: None, shown };
                    doubts.add(game).map_or("!".into(), text)
                }
                _ => {
                    let playing = step.to_digit(10).unwrap() as usize;
                    doubts.alone(playing).map_or(".".into(), |_| "!".into())
                }
            });
        }
        assert_eq!(told.join(" "), expected, "{steps}");
    }

    #[test]
    fn a_pair_is_void_where_others_are_played() {
        check("++", ". .");
        check("+-+", ". . 1");
        check("s", "1");
        check("-s", ". 12");
        check("ssssss-", "1 2 3 4 5 6 .");
        // Until something is played it may be the machine, whatever was played before.
        check("-+-", ". 1 .");
        check("--+", ". . 12");
        check("-----", ". . . . .");
        check("------", ". . . . . !");
        check("+------", ". . . . . . !");
        check("-=-=-=-=-=-", ". . . . . . . . . . !");
        check("-----+-----+", ". . . . . 12345 . . . . . 678910");
    }

    #[test]
    fn where_nothing_else_is_played_nothing_is_shown() {
        check("-1111", ". . . . !");
        check("-11211111", ". . . . . . . ! !");
        check("--2222", ". . . . . !");
        check("0000", ". . . .");
        check("-111+0000", ". . . . 1 . . . .");
    }

    #[test]
    fn games_of_who_has_left_are_waited_for_by_nobody() {
        let mut doubts = Doubts::default();
        for number in 0..3 {
            let pair = Pair { number, round: 0, players: [0, number], opening: 0 };
            let job = Job { pair, game: 0, opening: None, seed: 0 };
            let (reason, blamed, shown) = (String::new(), None, false);
            doubts.add(Hopeless { job, reason, blamed, shown }).unwrap();
        }
        let settled = doubts.settled(|game| game.job.pair.players.contains(&1));
        assert_eq!(settled.iter().map(|game| game.job.pair.number).collect::<Vec<_>>(), [1]);
        assert_eq!(doubts.result().len(), 2);
    }
}
