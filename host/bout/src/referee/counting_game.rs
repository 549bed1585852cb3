//! A game for tests: players of four seats and two sides add numbers up to 21. The move that
//! reaches 21 or more wins for its side, a total of 20 is a draw, and the second move can be
//! `swap`: the sides exchange their names. The variant `two` has two seats.

use sandboard_games::{
    Features, Game, GameInfo, Games, MoveSet, Outcome, PositionError, PositionFault, Rules, Seat,
    Side, Variant, VariantInfo,
};

/// The game's description.
pub(crate) static COUNTING: GameInfo = GameInfo {
    id: "counting",
    name: "Counting",
    seats: 4,
    sides: &["odd", "even"],
    features: Features::NONE,
    variants: &[
        VariantInfo {
            id: "to-21",
            about: "to 21",
            sizes: None,
            default_size: 0,
            setting: None,
            seats: None,
        },
        VariantInfo {
            id: "endless",
            about: "moves add nothing",
            sizes: None,
            default_size: 0,
            setting: None,
            seats: None,
        },
        VariantInfo::of_one_size("two", "to 21, with two seats").with_seats(2),
    ],
    move_texts: "1 to 9; swap",
    adjudicates: false,
    deal: None,
    formats: &[],
    new: &Game::<Counting>::set_up,
    plugged_in: None,
};

/// The built-in games and this game.
pub(crate) fn games() -> Games {
    Games::default().with([&COUNTING])
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counting {
    total: u32,
    plies: u32,
    swapped: bool,
    /// The id of the variant.
    variant: &'static str,
}

impl Rules for Counting {
    type Move = u8;
    type Undo = Counting;

    const INFO: &'static GameInfo = &COUNTING;

    fn start(variant: &Variant) -> Self {
        Self { total: 0, plies: 0, swapped: false, variant: variant.id }
    }

    fn parse_position(variant: &Variant, text: &str) -> Result<Self, PositionError> {
        let invalid =
            || PositionError(vec![PositionFault { offset: 0, reason: "nonsense".into() }]);
        let numbers: Result<Vec<u32>, _> = text.split(' ').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([total @ ..=20, plies, swapped @ ..=1]) => {
                let (total, plies, swapped) = (*total, *plies, *swapped == 1);
                Ok(Self { total, plies, swapped, variant: variant.id })
            }
            _ => Err(invalid()),
        }
    }

    fn write_position(&self, out: &mut String) {
        *out += &format!("{} {} {}", self.total, self.plies, u8::from(self.swapped));
    }

    fn variant(&self) -> Variant {
        Variant { id: self.variant, size: None, setting: None }
    }

    fn to_move(&self) -> Seat {
        Seat((self.plies % if self.variant == "two" { 2 } else { 4 }) as u8)
    }

    fn side_name(&self, side: Side) -> &'static str {
        COUNTING.sides[usize::from(side.0 ^ u8::from(self.swapped))]
    }

    fn generate(&self, _: MoveSet, out: &mut Vec<u8>) {
        if self.outcome().is_none() {
            out.extend(1..=9);
            out.extend((self.plies == 1).then_some(0));
        }
    }

    fn parse_move(&self, text: &str) -> Result<u8, String> {
        let mut moves = Vec::new();
        self.generate(MoveSet::All, &mut moves);
        let mv = if text == "swap" { 0 } else { text.trim().parse().unwrap_or(u8::MAX) };
        if moves.contains(&mv) { Ok(mv) } else { Err("not a number from 1 to 9".into()) }
    }

    fn write_move(&self, mv: u8, out: &mut String) {
        *out += &if mv == 0 { "swap".to_owned() } else { mv.to_string() };
    }

    fn make(&mut self, mv: u8) -> Counting {
        let undo = self.clone();
        self.swapped |= mv == 0;
        self.total += if self.variant == "endless" { 0 } else { u32::from(mv) };
        self.plies += 1;
        undo
    }

    fn unmake(&mut self, undo: Counting) {
        *self = undo;
    }

    fn outcome(&self) -> Option<Outcome> {
        let mover = Side((self.plies.wrapping_sub(1) % 2) as u8);
        let (winner, reason) = match self.total {
            ..20 => return None,
            20 => (None, "twenty"),
            _ => (Some(mover), "counted out"),
        };
        let total = self.total as i32;
        let score = winner.map_or(0, |side| if side == Side(0) { total } else { -total });
        Some(Outcome { winner, reason, score })
    }

    fn hash(&self) -> u64 {
        u64::from(self.total) << 32 | u64::from(self.plies)
    }

    fn write_diagram(&self, _: Option<u8>, out: &mut String) {
        *out += &format!("{}\n", self.total);
    }
}
