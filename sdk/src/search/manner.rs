//! In which manner a search goes about: figures that suit one game and not another. Its
//! techniques are the same for all.

/// What an [`Analyzer`](crate::Analyzer) asks of the search that it serves.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// What a killer adds to a candidate's score.
    pub killer: i32,
    /// What history adds at most, before all of it is halved.
    pub history_max: i32,
    /// The entries of the history, a power of two.
    pub history_entries: usize,
    /// Whether moves that were tried before the one that refuted lose as much as that gains.
    pub unlearns: bool,
    /// By how many plies less deep a late candidate is tried, by depth and place in the list.
    pub reduction: fn(depth: u32, index: usize) -> u32,
    /// After how many candidates the late ones are left out, by the depth, which is small.
    pub cut_after: fn(depth: u32) -> usize,
    /// Threats lengthen no way by more plies than this.
    pub extra: u32,
    /// Whether a threat that must be answered takes no depth, however many answers it has.
    pub lengthens_threats: bool,
    /// How much a ply is likely to change the value at most; 0: that is not known.
    pub margin: i32,
    /// Whether an iteration whose value lies outside the first window opens it by and by.
    pub widens: bool,
}

/// After so many candidates the last are left out, and `CUT_PLY` more for each ply. Depth 6 of
/// 22 positions of gomoku took 0.4 million nodes instead of 1.3.
const CUT_AFTER: usize = 8;
const CUT_PLY: usize = 4;

impl Manner {
    /// That of a game whose candidates are few and threats rare.
    pub const USUAL: Manner = Manner {
        // In 29 middle-game positions of gomoku, depth 7 took 10 million nodes with this,
        // 19 with 20 or 400, 45 with 2,000.
        killer: 150,
        history_max: 400,
        history_entries: 4096,
        unlearns: false,
        reduction: |depth, index| depth.ilog2() * index.ilog2() / 2,
        cut_after: |depth| CUT_AFTER + CUT_PLY * depth as usize,
        extra: 8,
        lengthens_threats: false,
        margin: 0,
        widens: false,
    };
}
