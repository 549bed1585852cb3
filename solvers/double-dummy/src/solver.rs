//! The public solver: answers questions about a table with searches that each decide whether a
//! number of tricks is reached. Reads no clock; a callback of the caller can stop it.

use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table, TrickTable};

use crate::cutoff_table::CutoffTable;
use crate::deal::{Deal, OwnerLookup};
use crate::error::{DealError, SearchStopped, TraceError};
use crate::lanes::sequence_tops;
use crate::search::{Search, Techniques, Trick};
use crate::symmetry::Symmetry;
use crate::transposition::TranspositionTable;

/// The recommended size of the transposition table in bytes.
pub const TABLE_BYTES: usize = 64 << 20;

/// The cutoff table takes this fraction (1 / n) of the memory.
const CUTOFF_TABLE_DIVISOR: usize = 128;

/// Solves tables with all four hands open. Each solver owns its memory; several can run in
/// parallel.
pub struct Solver {
    transpositions: TranspositionTable,
    cutoffs: CutoffTable,
    owners: OwnerLookup,
    techniques: Techniques,
    nodes: u64,
    loaded: Option<LoadedDeal>,
}

/// The deal to which the entries of the tables belong.
struct LoadedDeal {
    strain: Strain,
    /// The hands, including the cards played to the current trick.
    hands: [Cards; 4],
    /// Positions with this number of tricks left were estimated.
    horizon: u32,
}

impl Solver {
    /// Creates a solver with about this much memory for its tables. [`TABLE_BYTES`] is recommended,
    /// a few thousand are enough. Unused memory costs nothing.
    pub fn new(table_bytes: usize) -> Solver {
        Solver::with(table_bytes, Techniques::ALL)
    }

    /// Creates a solver that uses only some techniques.
    pub fn with(table_bytes: usize, techniques: Techniques) -> Solver {
        Solver {
            transpositions: TranspositionTable::new(
                table_bytes - table_bytes / CUTOFF_TABLE_DIVISOR,
            ),
            cutoffs: CutoffTable::new(table_bytes / CUTOFF_TABLE_DIVISOR),
            owners: OwnerLookup::new(),
            techniques,
            nodes: 0,
            loaded: None,
        }
    }

    /// The number of positions searched so far, at starts of tricks.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The memory used by the tables so far, in bytes.
    pub fn table_bytes(&self) -> usize {
        self.transpositions.bytes() + self.cutoffs.bytes()
    }

    /// The number of tricks that the side to move wins from here, including the unfinished trick.
    ///
    /// # Errors
    /// `should_continue`, called every
    /// [`POSITIONS_PER_STOP_CHECK`](crate::POSITIONS_PER_STOP_CHECK) positions, returned false.
    pub fn tricks(
        &mut self,
        table: &Table,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<u32, SearchStopped> {
        self.tricks_within(table, u32::MAX, should_continue)
    }

    /// Like [`tricks`](Self::tricks), but looks only `horizon_tricks` tricks ahead, including the
    /// unfinished one, and estimates the rest. Exact if no more tricks than that are left.
    ///
    /// # Errors
    /// See [`tricks`](Self::tricks).
    pub fn tricks_within(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<u32, SearchStopped> {
        let ns = self.north_south(table, horizon_tricks, guess(table), should_continue)?;
        Ok(of_side(ns, table.tricks_left(), table.to_move()))
    }

    /// The number of tricks of the side to move for each legal card, if it is played now, including
    /// the unfinished trick. In the order of [`Cards::iter`].
    ///
    /// # Errors
    /// See [`tricks`](Self::tricks).
    pub fn scores(
        &mut self,
        table: &Table,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Vec<(Card, u32)>, SearchStopped> {
        self.scores_within(table, u32::MAX, should_continue)
    }

    /// Like [`scores`](Self::scores), with a horizon as in [`tricks_within`](Self::tricks_within).
    ///
    /// # Errors
    /// See [`tricks`](Self::tricks).
    pub fn scores_within(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Vec<(Card, u32)>, SearchStopped> {
        let deal = self.load(table, horizon_tricks);
        let (root, mover) = (deal.root(), table.to_move());
        let held = deal.hands[mover.index()];
        let distinct = sequence_tops(held, deal.all & !held);
        let mut scores: Vec<(Card, u32)> = Vec::new();
        let mut guess = guess(table);
        for card in table.legal().iter() {
            let bit = deal.bits(Cards::NONE.with(card));
            if bit & distinct == 0 {
                // The card is equivalent to the previous one: only played cards lie between them.
                if let Some((_, score)) = scores.last() {
                    scores.push((card, *score));
                    continue;
                }
            }
            let mut hands = deal.hands;
            hands[mover.index()] ^= bit;
            let next = root.with(bit, mover.index(), deal.trump);
            let ns = self.value(&deal, hands, &next, guess, should_continue)?;
            guess = ns;
            scores.push((card, of_side(ns, root.left, mover)));
        }
        Ok(scores)
    }

    /// The trick table of all declarers in all strains.
    ///
    /// # Errors
    /// The hands are no valid deal, or `should_continue` returned false.
    pub fn table(
        &mut self,
        hands: [Cards; 4],
        should_continue: &dyn Fn() -> bool,
    ) -> Result<TrickTable, DealError> {
        self.values(hands, |_, _| true, should_continue)
    }

    /// The trick table of the selected declarers and strains; other values are 0.
    ///
    /// # Errors
    /// See [`table`](Self::table).
    pub fn values(
        &mut self,
        hands: [Cards; 4],
        is_selected: impl Fn(Compass, Strain) -> bool,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<TrickTable, DealError> {
        let mut values = TrickTable::default();
        let symmetries: Vec<Symmetry> = Symmetry::of(&hands).collect();
        let mut known = Vec::new();
        for strain in Strain::ALL {
            let mut last = None;
            // Partners mostly take the same number: each is a good guess for the next.
            for declarer in [Compass::North, Compass::South, Compass::East, Compass::West] {
                if !is_selected(declarer, strain) || known.contains(&(declarer, strain)) {
                    continue;
                }
                let table =
                    Table::new(hands, strain, declarer.after(1)).ok_or(DealError::InvalidHands)?;
                let guess = last.unwrap_or_else(|| guess(&table));
                let ns = self.north_south(&table, u32::MAX, guess, should_continue)?;
                last = Some(ns);
                let tricks = of_side(ns, table.tricks_left(), declarer) as u8;
                values.set(declarer, strain, tricks);
                for (declarer, strain) in
                    symmetries.iter().map(|symmetry| symmetry.apply(declarer, strain))
                {
                    if is_selected(declarer, strain) {
                        values.set(declarer, strain, tricks);
                        known.push((declarer, strain));
                    }
                }
            }
        }
        Ok(values)
    }

    /// The tricks of North-South with best play from each point: before the first of these cards
    /// and after each of them, including the tricks won on the way.
    ///
    /// # Errors
    /// A card is illegal, or `should_continue` returned false.
    pub fn trace(
        &mut self,
        table: &Table,
        cards: &[Card],
        should_continue: &dyn Fn() -> bool,
    ) -> Result<Vec<u32>, TraceError> {
        let mut table = *table;
        let mut guess = self.north_south(&table, u32::MAX, guess(&table), should_continue)?;
        let mut trace = vec![guess];
        let mut won = 0;
        for (index, &card) in cards.iter().enumerate() {
            if !table.legal().contains(card) {
                return Err(TraceError::IllegalCard { index, card });
            }
            if table.play(card).is_some_and(|winner| winner.side() == 0) {
                won += 1;
                guess = guess.saturating_sub(1);
            }
            guess = self.north_south(&table, u32::MAX, guess, should_continue)?;
            trace.push(won + guess);
        }
        Ok(trace)
    }

    /// The tricks of North-South.
    fn north_south(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        guess: u32,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<u32, SearchStopped> {
        let deal = self.load(table, horizon_tricks);
        self.value(&deal, deal.hands, &deal.root(), guess, should_continue)
    }

    /// Converts a table and prepares the search for it. The entries of the same deal are kept.
    fn load(&mut self, table: &Table, horizon_tricks: u32) -> Deal {
        let deal = Deal::new(table);
        let horizon = table.tricks_left().saturating_sub(horizon_tricks);
        let mut hands = table.hands();
        for (played, card) in table.trick().enumerate() {
            let hand = &mut hands[table.leader().after(played).index()];
            *hand = hand.with(card);
        }
        let is_same = |loaded: &LoadedDeal| {
            loaded.strain == table.strain()
                && loaded.horizon == horizon
                && hands.iter().zip(loaded.hands).all(|(now, then)| now.minus(then).is_empty())
        };
        if !self.loaded.as_ref().is_some_and(is_same) {
            self.transpositions.clear();
            self.cutoffs.clear();
            self.loaded = Some(LoadedDeal { strain: table.strain(), hands, horizon });
        }
        self.owners.load(&deal);
        deal
    }

    /// The largest number of tricks that North-South reach, searched up or down from a guess.
    fn value(
        &mut self,
        deal: &Deal,
        hands: [u64; 4],
        root: &Trick,
        guess: u32,
        should_continue: &dyn Fn() -> bool,
    ) -> Result<u32, SearchStopped> {
        let mut search = Search {
            hands,
            trump: deal.trump,
            owners: &self.owners,
            transpositions: &mut self.transpositions,
            cutoffs: &mut self.cutoffs,
            techniques: self.techniques,
            horizon: self.loaded.as_ref().map_or(0, |loaded| loaded.horizon),
            should_continue,
            nodes: self.nodes,
            stopped: false,
        };
        let (mut least, mut most) = (0, root.left);
        let mut estimate = guess.min(most);
        while least < most && !search.stopped {
            let need = if estimate == least { estimate + 1 } else { estimate };
            if search.can_reach(&Trick { need, ..*root }) {
                (least, estimate) = (need, need);
            } else {
                (most, estimate) = (need - 1, need - 1);
            }
        }
        let stopped = search.stopped;
        self.nodes = search.nodes;
        if stopped { Err(SearchStopped) } else { Ok(least) }
    }
}

/// The tricks of the side of a seat, given those of North-South.
fn of_side(ns: u32, left: u32, seat: Compass) -> u32 {
    if seat.side() == 0 { ns } else { left - ns }
}

/// A guess of the tricks of North-South from high cards and trumps, as the start of the search. The
/// weights are the best fit to a thousand random deals.
fn guess(table: &Table) -> u32 {
    let left = table.tricks_left();
    if left < 13 {
        return left / 2;
    }
    let ours = table.hand(Compass::North).union(table.hand(Compass::South));
    let points: i32 = ours.iter().map(|card| i32::from(card.rank().max(10)) - 10).sum();
    let hundredths = match table.strain().trump() {
        Some(trump) => 632 + 37 * (points - 20) + 109 * ours.of_suit(trump).len() as i32 - 708,
        None => 605 + 50 * (points - 20),
    };
    ((hundredths + 50) / 100).clamp(0, 13) as u32
}
