//! A game for tests with chance, hidden information and moves at the same time. In each of two
//! rounds chance flips a coin, heads three times as often as tails, that only seat 0 sees. Then all
//! three seats guess it at the same time. A right guess scores 1.
//!
//! A position text has the coins, and the guesses of each seat: `ht/hh/tt/ht`. While a round is in
//! progress, others than seat 0 see `?` for its coin, and no observer sees its guesses.

use sandboard_games::general::{Actor, GeneralRules, Next, Observer};
use sandboard_games::{
    Ending, Features, GameInfo, PositionError, PositionFault, Seat, Variant, VariantInfo,
};

pub(crate) static GUESSING: GameInfo = GameInfo::of_general::<Guessing>(
    "guessing",
    "Guessing",
    &["red", "green", "blue"],
    Features { chance: true, hidden_information: true, simultaneous: true },
    &[VariantInfo::of_one_size("standard", "two coins")],
    "h or t",
);

const ROUNDS: usize = 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Guessing {
    /// The coins, and the guesses of each seat.
    rows: [Vec<char>; 4],
}

impl Guessing {
    /// The number of finished rounds.
    fn rounds(&self) -> usize {
        self.rows[1..].iter().map(Vec::len).min().unwrap_or(0)
    }
}

impl GeneralRules for Guessing {
    type Move = char;

    const INFO: &'static GameInfo = &GUESSING;

    fn start(_: &Variant) -> Self {
        Self::default()
    }

    fn parse_position(_: &Variant, text: &str) -> Result<Self, PositionError> {
        let rows: Vec<Vec<char>> = text.split('/').map(|row| row.chars().collect()).collect();
        let fault = PositionFault { offset: 0, reason: "expected four rows".into() };
        Ok(Self { rows: rows.try_into().map_err(|_| PositionError(vec![fault]))? })
    }

    fn variant(&self) -> Variant {
        GUESSING.default_variant()
    }

    fn next(&self) -> Next {
        match (self.rounds(), self.rows[0].len()) {
            (ROUNDS, _) => Next::Over,
            (rounds, coins) if rounds == coins => Next::Chance,
            (rounds, _) => {
                let waits = |seat: &u8| self.rows[usize::from(*seat) + 1].len() == rounds;
                Next::Seats((0..3).filter(waits).map(Seat).collect())
            }
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<char>) {
        if self.next().has_seat(seat) {
            out.extend(['h', 't']);
        }
    }

    fn chance(&self, out: &mut Vec<(char, u32)>) {
        if self.next() == Next::Chance {
            out.extend([('h', 3), ('t', 1)]);
        }
    }

    fn play(&mut self, actor: Actor, mv: &char) {
        let row = match actor {
            Actor::Chance => 0,
            Actor::Seat(seat) => usize::from(seat.0) + 1,
        };
        self.rows[row].push(*mv);
    }

    fn ending(&self) -> Option<Ending> {
        let score = |guesses: &Vec<char>| {
            guesses.iter().zip(&self.rows[0]).filter(|(guess, coin)| guess == coin).count() as i32
        };
        let over = self.next() == Next::Over;
        let scores = || self.rows[1..].iter().map(score).collect();
        over.then(|| Ending { scores: scores(), reason: "both coins are guessed".into() })
    }

    fn write_position(&self, out: &mut String) {
        out.push_str(&self.rows.each_ref().map(|row| row.iter().collect::<String>()).join("/"));
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        let rounds = self.rounds();
        let mut seen = self.clone();
        for row in &mut seen.rows[1..] {
            row.truncate(rounds);
        }
        if observer != Observer::Seat(Seat(0)) {
            seen.rows[0].iter_mut().skip(rounds).for_each(|coin| *coin = '?');
        }
        seen.write_position(out);
    }

    fn write_move(&self, _: Actor, mv: &char, out: &mut String) {
        out.push(*mv);
    }

    /// A spectator does not notice a coin before it is guessed.
    fn write_seen(&self, observer: Observer, actor: Actor, mv: &char, out: &mut String) {
        match (actor, observer) {
            (Actor::Chance, Observer::Seat(Seat(0))) | (Actor::Seat(_), _) => out.push(*mv),
            (Actor::Chance, Observer::Seat(_)) => out.push('?'),
            (Actor::Chance, Observer::Spectator | Observer::Everything) => (),
        }
    }
}
