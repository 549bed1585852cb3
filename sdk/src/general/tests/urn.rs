//! A game with three seats, chance, hidden information and moves at the same time. Each seat draws
//! a ball from an urn; ball b has the weight b + 1. The next seat sees that a ball is drawn, and
//! the one after it sees nothing. Then all choose `a` or `b` at the same time, see only their own
//! choice and then the number of `a`. At last seat 0 says `end`. The scores are the balls.

use sandboard_games::general::{Actor, GeneralRules, Next, Observer, SeatSet};
use sandboard_games::{Ending, Features, GameInfo, PositionError, Seat, Variant, VariantInfo};

use super::no_position_texts;

pub(super) static INFO: GameInfo = GameInfo::of_general::<Urn>(
    "urn",
    "Urn",
    &["first", "second", "third"],
    Features { chance: true, hidden_information: true, simultaneous: true },
    &[VariantInfo::of_one_size("standard", "five balls")],
    "a, b or end; a draw is 0 to 4",
);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Urn {
    balls: Vec<u8>,
    choices: [Option<u8>; 3],
    is_over: bool,
}

impl Urn {
    fn is_chosen(&self) -> bool {
        self.choices.iter().all(Option::is_some)
    }
}

impl GeneralRules for Urn {
    /// A ball, or a letter: `a`, `b`, or `e` for the end.
    type Move = u8;

    const INFO: &'static GameInfo = &INFO;

    fn start(_variant: &Variant) -> Self {
        Self::default()
    }

    fn parse_position(_variant: &Variant, _text: &str) -> Result<Self, PositionError> {
        no_position_texts()
    }

    fn variant(&self) -> Variant {
        INFO.default_variant()
    }

    fn next(&self) -> Next {
        let waiting = (0..3).filter(|seat| self.choices[usize::from(*seat)].is_none());
        match (self.balls.len(), self.is_chosen()) {
            (0..3, _) => Next::Chance,
            (_, false) => Next::Seats(waiting.map(Seat).collect()),
            _ if self.is_over => Next::Over,
            _ => Next::Seats(SeatSet::one(Seat(0))),
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u8>) {
        match self.next().has_seat(seat) {
            true if self.is_chosen() => out.push(b'e'),
            true => out.extend(b"ab"),
            false => (),
        }
    }

    fn chance(&self, out: &mut Vec<(u8, u32)>) {
        if self.next() == Next::Chance {
            let left = (0..5).filter(|ball| !self.balls.contains(ball));
            out.extend(left.map(|ball| (ball, u32::from(ball) + 1)));
        }
    }

    fn play(&mut self, actor: Actor, mv: &u8) {
        match actor {
            Actor::Chance => self.balls.push(*mv),
            Actor::Seat(_) if *mv == b'e' => self.is_over = true,
            Actor::Seat(seat) => self.choices[usize::from(seat.0)] = Some(*mv),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let scores = self.balls.iter().map(|ball| i32::from(*ball)).collect();
        self.is_over.then(|| Ending { scores, reason: "the end".into() })
    }

    fn write_position(&self, out: &mut String) {
        out.push_str(&format!("{:?}{:?}{}", self.balls, self.choices, self.is_over));
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        if let Observer::Seat(seat) = observer {
            let seat = usize::from(seat.0);
            out.push_str(&format!("{:?} {:?}", self.balls.get(seat), self.choices[seat]));
        }
        if self.is_chosen() {
            let count = self.choices.iter().filter(|it| **it == Some(b'a')).count();
            out.push_str(&format!(" {count} a {}", self.is_over));
        }
    }

    fn write_move(&self, actor: Actor, mv: &u8, out: &mut String) {
        match actor {
            Actor::Chance => out.push_str(&mv.to_string()),
            Actor::Seat(_) if *mv == b'e' => out.push_str("end"),
            Actor::Seat(_) => out.push(char::from(*mv)),
        }
    }

    fn write_seen(&self, observer: Observer, actor: Actor, mv: &u8, out: &mut String) {
        let receiver = self.balls.len() as u8;
        match (actor, observer) {
            (Actor::Chance, Observer::Seat(seat)) if seat.0 != receiver => {
                out.push_str(if seat.0 == receiver + 1 { "?" } else { "" });
            }
            (Actor::Seat(own), Observer::Seat(seat)) if own != seat && *mv != b'e' => {
                out.push('?');
            }
            _ => self.write_move(actor, mv, out),
        }
    }
}
