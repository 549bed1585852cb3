//! Judgements of moves, as annotators write them behind a move.

/// The judgement of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A good move, `!`.
    Good,
    /// A move that loses something, `?`.
    Mistake,
    /// An excellent move, `!!`.
    Brilliant,
    /// A grave mistake, `??`.
    Blunder,
    /// A move that deserves attention, `!?`.
    Interesting,
    /// A move of doubtful value, `?!`.
    Dubious,
}

impl Mark {
    /// All marks, in the order of their numbers in PGN: the first is `$1`.
    pub const ALL: [Mark; 6] = [
        Mark::Good,
        Mark::Mistake,
        Mark::Brilliant,
        Mark::Blunder,
        Mark::Interesting,
        Mark::Dubious,
    ];

    /// The signs behind a move.
    pub fn text(self) -> &'static str {
        match self {
            Mark::Good => "!",
            Mark::Mistake => "?",
            Mark::Brilliant => "!!",
            Mark::Blunder => "??",
            Mark::Interesting => "!?",
            Mark::Dubious => "?!",
        }
    }

    /// The mark with these signs.
    pub fn from_text(text: &str) -> Option<Mark> {
        Self::ALL.into_iter().find(|mark| mark.text() == text)
    }

    /// The mark of a number in PGN, such as `1` of `$1`. Most numbers judge positions instead.
    pub(crate) fn from_number(text: &str) -> Option<Mark> {
        let number: usize = text.parse().ok()?;
        Self::ALL.get(number.checked_sub(1)?).copied()
    }
}
