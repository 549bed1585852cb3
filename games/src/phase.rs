//! What is being decided in a position: an ordinary move, or a step of a
//! procedure before it. What each step allows is up to the game.

/// What the seat to move decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// An ordinary move: the game as it is searched.
    Play,
    /// A move that an opening procedure prescribes, within what it allows.
    Opening,
    /// Whether the players exchange sides.
    Swap,
    /// How many moves will be offered.
    Announce,
    /// One move of several that are offered to the opponent.
    Offer,
    /// Which of the offered moves is made.
    Pick,
}

impl Phase {
    /// All of them.
    pub const ALL: [Phase; 6] =
        [Phase::Play, Phase::Opening, Phase::Swap, Phase::Announce, Phase::Offer, Phase::Pick];

    /// Its name in position texts and answers, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Play => "play",
            Phase::Opening => "opening",
            Phase::Swap => "swap",
            Phase::Announce => "announce",
            Phase::Offer => "offer",
            Phase::Pick => "pick",
        }
    }
}
