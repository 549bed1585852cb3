//! A small game for tests, in which a side may move twice. A player takes a number from either end
//! of a row, and takes another one if it was even. The larger sum wins.

use sandboard_games::{
    Features, GameInfo, MoveCode, MoveSet, Outcome, PositionError, Rules, Seat, SetupError, Side,
    Variant, VariantInfo,
};

use crate::evaluator::Evaluator;

static INFO: GameInfo = GameInfo {
    id: "row",
    name: "Row",
    seats: 2,
    sides: &["first", "second"],
    features: Features::NONE,
    variants: &[VariantInfo {
        id: "plain",
        about: "",
        sizes: None,
        default_size: 0,
        setting: None,
        seats: None,
    }],
    move_texts: "left or right",
    adjudicates: false,
    deal: None,
    formats: &[],
    new: &|_, _| {
        Err(SetupError::UnknownVariant { game: "row", text: String::new(), known: String::new() })
    },
    plugged_in: None,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    numbers: Vec<u8>,
    left: usize,
    right: usize,
    /// The first player's sum minus the second's.
    pub(super) lead: i32,
    seat: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum End {
    Left,
    Right,
}

impl MoveCode for End {
    fn code(self) -> u32 {
        1 + self as u32
    }
    fn from_code(code: u32) -> Option<End> {
        [End::Left, End::Right].into_iter().find(|end| end.code() == code)
    }
}

impl Row {
    pub(super) fn new(numbers: &[u8]) -> Row {
        Row { numbers: numbers.to_vec(), left: 0, right: numbers.len(), lead: 0, seat: 0 }
    }
}

impl Rules for Row {
    type Move = End;
    type Undo = (End, u8);

    const INFO: &'static GameInfo = &INFO;

    fn start(_: &Variant) -> Self {
        Row::new(&[])
    }
    fn parse_position(_: &Variant, _: &str) -> Result<Self, PositionError> {
        Err(PositionError(Vec::new()))
    }
    fn write_position(&self, _: &mut String) {}
    fn variant(&self) -> Variant {
        Variant { id: "plain", size: None, setting: None }
    }
    fn to_move(&self) -> Seat {
        Seat(self.seat)
    }
    fn generate(&self, _: MoveSet, out: &mut Vec<End>) {
        if self.left < self.right {
            out.extend([End::Left, End::Right]);
        }
    }
    fn parse_move(&self, _: &str) -> Result<End, String> {
        Err("moves are not parsed".into())
    }
    fn write_move(&self, mv: End, out: &mut String) {
        out.push_str(if mv == End::Left { "left" } else { "right" });
    }
    fn make(&mut self, mv: End) -> (End, u8) {
        let undo = (mv, self.seat);
        let number = match mv {
            End::Left => self.numbers[self.left],
            End::Right => self.numbers[self.right - 1],
        };
        match mv {
            End::Left => self.left += 1,
            End::Right => self.right -= 1,
        }
        self.lead += if self.seat == 0 { i32::from(number) } else { -i32::from(number) };
        self.seat ^= number & 1;
        undo
    }
    fn unmake(&mut self, (mv, seat): (End, u8)) {
        let number = match mv {
            End::Left => {
                self.left -= 1;
                self.numbers[self.left]
            }
            End::Right => {
                self.right += 1;
                self.numbers[self.right - 1]
            }
        };
        self.seat = seat;
        self.lead -= if seat == 0 { i32::from(number) } else { -i32::from(number) };
    }
    fn outcome(&self) -> Option<Outcome> {
        let winner = match self.lead {
            0 => None,
            lead => Some(Side(u8::from(lead < 0))),
        };
        let over = self.left == self.right;
        over.then_some(Outcome { winner, reason: "the row is empty", score: self.lead })
    }
    fn hash(&self) -> u64 {
        let key = (self.left as u64) << 48
            | (self.right as u64) << 32
            | u64::from(self.lead as u16) << 8
            | u64::from(self.seat);
        key.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
    fn write_diagram(&self, _: Option<End>, _: &mut String) {}
}

/// The lead of the side to move, plus a term for the numbers left. `exact_end`: the value at the
/// end is the lead as well; otherwise it is a win or a loss.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lead {
    pub(super) exact_end: bool,
}

impl Evaluator<Row> for Lead {
    fn value(&self, row: &Row) -> i32 {
        let rest: i32 = row.numbers[row.left..row.right].iter().map(|&n| i32::from(n % 5)).sum();
        rest + if row.seat == 0 { row.lead } else { -row.lead }
    }
    fn move_value(&self, row: &Row, mv: End) -> i32 {
        let number =
            if mv == End::Left { row.numbers[row.left] } else { row.numbers[row.right - 1] };
        number.into()
    }
    fn final_value(&self, row: &Row, outcome: Outcome, plies: u32) -> i32 {
        match outcome.winner {
            _ if self.exact_end => {
                if row.seat == 0 {
                    row.lead
                } else {
                    -row.lead
                }
            }
            None => 0,
            Some(side) if side == Row::side(row.to_move()) => 30_000 - plies as i32,
            Some(_) => plies as i32 - 30_000,
        }
    }
}
