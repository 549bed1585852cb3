//! The kinds of decisions in a game: ordinary moves and the steps of an opening procedure. What
//! each step allows is defined by the game.

/// The kind of decision that the seat to move makes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// An ordinary move, as searched by engines.
    Play,
    /// A move that an opening procedure restricts.
    Opening,
    /// Whether to exchange sides.
    Swap,
    /// How many moves will be offered.
    Announce,
    /// One of several moves offered to the opponent.
    Offer,
    /// Which of the offered moves is played.
    Pick,
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Phase; 6] =
        [Phase::Play, Phase::Opening, Phase::Swap, Phase::Announce, Phase::Offer, Phase::Pick];

    /// Lower-case name in position texts and JSON.
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
