//! Parameters of the search that suit one game and not another. The techniques are the same for
//! all games.

/// Parameters that an [`Analyzer`](crate::Analyzer) chooses for the search.
#[derive(Clone, Copy, Debug)]
pub struct SearchParams {
    /// The bonus of a killer move in a candidate's score.
    pub killer_bonus: i32,
    /// The largest history score of a move; beyond it all history scores are halved.
    pub history_max: i32,
    /// The number of history entries, a power of two.
    pub history_entries: usize,
    /// Whether moves searched before a refutation lose as much history as the refutation gains
    /// (history malus).
    pub history_malus: bool,
    /// The late move reduction in plies, by depth and by index in the list of candidates.
    pub late_move_reduction: fn(depth: u32, index: usize) -> u32,
    /// Late move pruning: the number of candidates searched at this depth, which is small.
    pub late_move_count: fn(depth: u32) -> usize,
    /// The most plies by which threat extensions lengthen one line.
    pub extension_plies_max: u32,
    /// Whether a threat that must be answered always extends by a ply (as in check extension),
    /// and not only if there is a single answer.
    pub extends_all_threats: bool,
    /// The largest likely change of the value in one ply, for futility and null move pruning;
    /// 0: unknown, neither is used.
    pub margin_per_ply: i32,
    /// Whether an aspiration window is widened in steps; if not, a failed window is replaced by
    /// the full one.
    pub widens_gradually: bool,
}

/// Late move pruning keeps this many candidates, and `LATE_MOVES_PER_PLY` more for each ply. Depth
/// 6 in 22 positions of gomoku took 0.4 million nodes instead of 1.3.
const LATE_MOVES: usize = 8;
const LATE_MOVES_PER_PLY: usize = 4;

impl SearchParams {
    /// For a game with few candidates and rare threats.
    pub const DEFAULT: SearchParams = SearchParams {
        // In 29 middle-game positions of gomoku, depth 7 took 10 million nodes with this bonus,
        // 19 with 20 or 400, 45 with 2,000.
        killer_bonus: 150,
        history_max: 400,
        history_entries: 4096,
        history_malus: false,
        late_move_reduction: |depth, index| depth.ilog2() * index.ilog2() / 2,
        late_move_count: |depth| LATE_MOVES + LATE_MOVES_PER_PLY * depth as usize,
        extension_plies_max: 8,
        extends_all_threats: false,
        margin_per_ply: 0,
        widens_gradually: false,
    };
}
