//! A game with hidden information that leaks in one way: chance gives seat 0 a card, 1 or 2, and
//! then both seats choose 1 or 2 at the same time, twice.

use std::fmt::Debug;
use std::marker::PhantomData;

use sandboard_games::board::{self, Color, Grid};
use sandboard_games::general::{Actor, GeneralRules, Next, Observer};
use sandboard_games::{
    Ending, Features, GameInfo, PositionError, PositionFault, Seat, Side, Variant, VariantInfo,
};

/// How a game leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leak {
    Nothing,
    /// Seat 1 may choose 3 if the card is 2.
    LegalMoves,
    /// The diagram shows the card to all.
    Diagram,
    /// The board shows the card to all, in the name of a piece, which no diagram has.
    Board,
    /// The prompt names the card.
    Prompt,
    /// The name of a side depends on the card.
    SideName,
    /// Views show the choice of seat 0 before seat 1 has chosen.
    UnfinishedStep,
    /// Seat 1 may choose 3 after seat 0 has chosen.
    LegalMovesOfStep,
    /// Views show the card to all.
    WholePosition,
}

/// A leak as a type, so that each has a row.
trait Leaks: Clone + Debug + Send + Sync + 'static {
    const LEAK: Leak;
    fn row() -> &'static GameInfo;
}

#[derive(Clone, Debug)]
struct Cards<L> {
    card: Option<u8>,
    chosen: [Vec<u8>; 2],
    leak: PhantomData<L>,
}

static VARIANTS: [VariantInfo; 1] = [VariantInfo::of_one_size("standard", "two choices")];

const fn row<L: Leaks>() -> GameInfo {
    GameInfo::of_general::<Cards<L>>(
        "leaking",
        "Leaking",
        &["one", "other"],
        Features { chance: true, hidden_information: true, simultaneous: true },
        &VARIANTS,
        "1 or 2",
    )
}

macro_rules! leaks {
    ($($leak:ident)*) => {
        $(
            #[derive(Clone, Debug)]
            struct $leak;

            impl Leaks for $leak {
                const LEAK: Leak = Leak::$leak;
                fn row() -> &'static GameInfo {
                    static ROW: GameInfo = row::<$leak>();
                    &ROW
                }
            }
        )*

        /// The row of a game with this leak.
        pub(super) fn leaking(leak: Leak) -> &'static GameInfo {
            match leak {
                $(Leak::$leak => $leak::row(),)*
            }
        }
    };
}

leaks!(Nothing LegalMoves Diagram Board Prompt SideName UnfinishedStep LegalMovesOfStep WholePosition);

impl<L: Leaks> Cards<L> {
    fn rounds(&self) -> usize {
        self.chosen[0].len().min(self.chosen[1].len())
    }

    fn write(&self, shows_card: bool, rounds: usize, out: &mut String) {
        match self.card {
            None => out.push('-'),
            Some(card) if shows_card => out.push_str(&card.to_string()),
            Some(_) => out.push('?'),
        }
        for chosen in &self.chosen {
            out.push('/');
            out.extend(chosen.iter().take(rounds).map(|choice| char::from(b'0' + choice)));
        }
    }
}

impl<L: Leaks> GeneralRules for Cards<L> {
    type Move = u8;

    const INFO: &'static GameInfo = &row::<L>();

    fn start(_: &Variant) -> Self {
        Self { card: None, chosen: Default::default(), leak: PhantomData }
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let fault = PositionFault { offset: 0, reason: "expected three rows".into() };
        let rows: Vec<Vec<u8>> = text
            .split('/')
            .map(|row| row.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect())
            .collect();
        let [card, one, other] = rows.try_into().map_err(|_| PositionError(vec![fault]))?;
        Ok(Self { card: card.first().copied(), chosen: [one, other], ..Self::start(variant) })
    }

    fn variant(&self) -> Variant {
        L::row().default_variant()
    }

    fn next(&self) -> Next {
        let rounds = self.rounds();
        match self.card {
            None => Next::Chance,
            Some(_) if rounds == 2 => Next::Over,
            Some(_) => {
                let waits = |seat: &u8| self.chosen[usize::from(*seat)].len() == rounds;
                Next::Seats((0..2).filter(waits).map(Seat).collect())
            }
        }
    }

    fn generate(&self, seat: Seat, out: &mut Vec<u8>) {
        if !self.next().has_seat(seat) {
            return;
        }
        out.extend([1, 2]);
        let more = match L::LEAK {
            Leak::LegalMoves => seat == Seat(1) && self.card == Some(2),
            Leak::LegalMovesOfStep => self.chosen[0].len() > self.chosen[1].len(),
            _ => false,
        };
        out.extend(more.then_some(3));
    }

    fn chance(&self, out: &mut Vec<(u8, u32)>) {
        if self.next() == Next::Chance {
            out.extend([(1, 1), (2, 1)]);
        }
    }

    fn play(&mut self, actor: Actor, mv: &u8) {
        match actor {
            Actor::Chance => self.card = Some(*mv),
            Actor::Seat(seat) => self.chosen[usize::from(seat.0)].push(*mv),
        }
    }

    fn ending(&self) -> Option<Ending> {
        let over = self.next() == Next::Over;
        over.then(|| Ending { scores: vec![0, 0], reason: "two rounds".into() })
    }

    fn write_position(&self, out: &mut String) {
        self.write(true, 2, out);
    }

    fn write_view(&self, observer: Observer, out: &mut String) {
        let sees_card = observer == Observer::Seat(Seat(0)) || L::LEAK == Leak::WholePosition;
        let rounds = if L::LEAK == Leak::UnfinishedStep { 2 } else { self.rounds() };
        self.write(sees_card, rounds, out);
    }

    fn write_move(&self, _: Actor, mv: &u8, out: &mut String) {
        out.push_str(&mv.to_string());
    }

    fn write_seen(&self, observer: Observer, actor: Actor, mv: &u8, out: &mut String) {
        match actor {
            Actor::Chance if observer != Observer::Seat(Seat(0)) => out.push('?'),
            _ => self.write_move(actor, mv, out),
        }
    }

    fn prompt(&self) -> Option<String> {
        let card = self.card.filter(|_| L::LEAK == Leak::Prompt)?;
        Some(format!("choose below {card}"))
    }

    fn side_name(&self, side: Side) -> &'static str {
        let is_swapped = L::LEAK == Leak::SideName && self.card == Some(2);
        Self::INFO.sides[usize::from((side.0 == 1) != is_swapped)]
    }

    fn board(&self, _: Observer, _: Option<&u8>) -> Option<board::Board> {
        let card = self.card.filter(|_| L::LEAK == Leak::Board)?;
        let mut shown = board::Board::of(Grid::square(1, 1));
        shown.add_disc("a1", Color::Red);
        shown.pieces[0].name = card.to_string();
        Some(shown)
    }

    fn write_diagram(&self, observer: Observer, _: Option<(Actor, u8)>, out: &mut String) {
        match L::LEAK {
            Leak::Diagram => self.write(true, 0, out),
            _ => self.write(observer == Observer::Seat(Seat(0)), self.rounds(), out),
        }
        out.push('\n');
    }
}
