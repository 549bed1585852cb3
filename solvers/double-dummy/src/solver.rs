//! The solver as others use it: questions about a table, answered by searches that each say
//! yes or no. Reads no clock; who asks may stop it.

use sandboard_games::bridge::{Card, Cards, Compass, Strain, Table, TrickTable};

use crate::cutoffs::Cutoffs;
use crate::deal::{Deal, Holders};
use crate::error::{DealError, Stopped, TraceError};
use crate::lanes::heads;
use crate::memory::Memory;
use crate::search::{Search, Techniques, Trick};
use crate::turns::Turn;

/// The usual size of a solver's table in bytes.
pub const TABLE_BYTES: usize = 64 << 20;

/// What the cards that settled situations take of the table.
const CUTOFFS_PART: usize = 128;

/// Solves tables with all four hands open. Owns the memory that it needs; several can work
/// side by side.
pub struct Solver {
    memory: Memory,
    cutoffs: Cutoffs,
    holders: Holders,
    techniques: Techniques,
    nodes: u64,
    about: Option<About>,
}

/// What the memory is about.
struct About {
    strain: Strain,
    /// The hands, those cards included that lay on the table.
    hands: [Cards; 4],
    /// With so many tricks left positions were estimated.
    horizon: u32,
}

impl Solver {
    /// With a table of about so many bytes; [`TABLE_BYTES`] is usual, a few thousand suffice.
    /// What is not used of them costs nothing.
    pub fn new(table_bytes: usize) -> Solver {
        Solver::with(table_bytes, Techniques::ALL)
    }

    /// One that does without some techniques.
    pub fn with(table_bytes: usize, techniques: Techniques) -> Solver {
        Solver {
            memory: Memory::new(table_bytes - table_bytes / CUTOFFS_PART),
            cutoffs: Cutoffs::new(table_bytes / CUTOFFS_PART),
            holders: Holders::new(),
            techniques,
            nodes: 0,
            about: None,
        }
    }

    /// How many positions at the start of a trick have been looked at so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The bytes of the table that have been in use.
    pub fn table_bytes(&self) -> usize {
        self.memory.bytes() + self.cutoffs.bytes()
    }

    /// Tricks that the side to move wins from here, the unfinished trick included.
    ///
    /// # Errors
    /// `go_on`, asked every [`POSITIONS_PER_QUESTION`](crate::POSITIONS_PER_QUESTION) positions,
    /// said no.
    pub fn tricks(&mut self, table: &Table, go_on: &dyn Fn() -> bool) -> Result<u32, Stopped> {
        self.tricks_within(table, u32::MAX, go_on)
    }

    /// The same, looking only so many tricks ahead, the unfinished one included: what is open
    /// beyond is estimated. Exact when no more tricks than that are left.
    ///
    /// # Errors
    /// As of [`tricks`](Self::tricks).
    pub fn tricks_within(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<u32, Stopped> {
        let ns = self.north_south(table, horizon_tricks, guess(table), go_on)?;
        Ok(of_side(ns, table.tricks_left(), table.to_move()))
    }

    /// The same for each legal card if it is played now: tricks of the side to move, the
    /// unfinished trick included. In the order of [`Cards::iter`].
    ///
    /// # Errors
    /// As of [`tricks`](Self::tricks).
    pub fn scores(
        &mut self,
        table: &Table,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<(Card, u32)>, Stopped> {
        self.scores_within(table, u32::MAX, go_on)
    }

    /// The same, looking only so many tricks ahead, as [`tricks_within`](Self::tricks_within).
    ///
    /// # Errors
    /// As of [`tricks`](Self::tricks).
    pub fn scores_within(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<(Card, u32)>, Stopped> {
        let deal = self.learn(table, horizon_tricks);
        let (root, mover) = (deal.root(), table.to_move());
        let held = deal.hands[mover.index()];
        let different = heads(held, deal.all & !held);
        let mut scores: Vec<(Card, u32)> = Vec::new();
        let mut guess = guess(table);
        for card in table.legal().iter() {
            let bit = deal.word(Cards::NONE.with(card));
            if bit & different == 0 {
                // It touches the one before, or is parted from it by nobody's cards.
                if let Some((_, same)) = scores.last() {
                    scores.push((card, *same));
                    continue;
                }
            }
            let mut hands = deal.hands;
            hands[mover.index()] ^= bit;
            let next = root.with(bit, mover.index(), deal.trump);
            let ns = self.value(&deal, hands, &next, guess, go_on)?;
            guess = ns;
            scores.push((card, of_side(ns, root.left, mover)));
        }
        Ok(scores)
    }

    /// The values of all declarers in all strains.
    ///
    /// # Errors
    /// The hands are no deal, or `go_on` said no.
    pub fn table(
        &mut self,
        hands: [Cards; 4],
        go_on: &dyn Fn() -> bool,
    ) -> Result<TrickTable, DealError> {
        self.values(hands, |_, _| true, go_on)
    }

    /// The values that are wanted; the others are left at 0.
    ///
    /// # Errors
    /// As of [`table`](Self::table).
    pub fn values(
        &mut self,
        hands: [Cards; 4],
        wanted: impl Fn(Compass, Strain) -> bool,
        go_on: &dyn Fn() -> bool,
    ) -> Result<TrickTable, DealError> {
        let mut values = TrickTable::default();
        let turns: Vec<Turn> = Turn::of(&hands).collect();
        let mut known = Vec::new();
        for strain in Strain::ALL {
            let mut last = None;
            // Partners mostly take the same: each is a good guess for the next.
            for declarer in [Compass::North, Compass::South, Compass::East, Compass::West] {
                if !wanted(declarer, strain) || known.contains(&(declarer, strain)) {
                    continue;
                }
                let table = Table::new(hands, strain, declarer.after(1)).ok_or(DealError::Hands)?;
                let guess = last.unwrap_or_else(|| guess(&table));
                let ns = self.north_south(&table, u32::MAX, guess, go_on)?;
                last = Some(ns);
                let tricks = of_side(ns, table.tricks_left(), declarer) as u8;
                values.set(declarer, strain, tricks);
                for (declarer, strain) in turns.iter().map(|turn| turn.apply(declarer, strain)) {
                    if wanted(declarer, strain) {
                        values.set(declarer, strain, tricks);
                        known.push((declarer, strain));
                    }
                }
            }
        }
        Ok(values)
    }

    /// The tricks that North-South win of those left, what they have won on the way included:
    /// before the first of these cards, and after each when all play their best from there.
    ///
    /// # Errors
    /// A card cannot be played, or `go_on` said no.
    pub fn trace(
        &mut self,
        table: &Table,
        cards: &[Card],
        go_on: &dyn Fn() -> bool,
    ) -> Result<Vec<u32>, TraceError> {
        let mut table = *table;
        let mut guess = self.north_south(&table, u32::MAX, guess(&table), go_on)?;
        let mut trace = vec![guess];
        let mut won = 0;
        for (at, &card) in cards.iter().enumerate() {
            if !table.legal().contains(card) {
                return Err(TraceError::Illegal { at, card });
            }
            if table.play(card).is_some_and(|winner| winner.side() == 0) {
                won += 1;
                guess = guess.saturating_sub(1);
            }
            guess = self.north_south(&table, u32::MAX, guess, go_on)?;
            trace.push(won + guess);
        }
        Ok(trace)
    }

    /// Tricks of North-South.
    fn north_south(
        &mut self,
        table: &Table,
        horizon_tricks: u32,
        guess: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<u32, Stopped> {
        let deal = self.learn(table, horizon_tricks);
        self.value(&deal, deal.hands, &deal.root(), guess, go_on)
    }

    /// The table in the words of the search, which is made ready for it. What is remembered of
    /// the same deal stays.
    fn learn(&mut self, table: &Table, horizon_tricks: u32) -> Deal {
        let deal = Deal::new(table);
        let horizon = table.tricks_left().saturating_sub(horizon_tricks);
        let mut hands = table.hands();
        for (place, card) in table.trick().enumerate() {
            let hand = &mut hands[table.leader().after(place).index()];
            *hand = hand.with(card);
        }
        let same = |about: &About| {
            about.strain == table.strain()
                && about.horizon == horizon
                && hands.iter().zip(about.hands).all(|(now, then)| now.minus(then).is_empty())
        };
        if !self.about.as_ref().is_some_and(same) {
            self.memory.clear();
            self.cutoffs.clear();
            self.about = Some(About { strain: table.strain(), hands, horizon });
        }
        self.holders.learn(&deal);
        deal
    }

    /// The most tricks that North-South reach, from a guess up or down.
    fn value(
        &mut self,
        deal: &Deal,
        hands: [u64; 4],
        root: &Trick,
        guess: u32,
        go_on: &dyn Fn() -> bool,
    ) -> Result<u32, Stopped> {
        let mut search = Search {
            hands,
            trump: deal.trump,
            holders: &self.holders,
            memory: &mut self.memory,
            cutoffs: &mut self.cutoffs,
            techniques: self.techniques,
            horizon: self.about.as_ref().map_or(0, |about| about.horizon),
            go_on,
            nodes: self.nodes,
            stopped: false,
        };
        let (mut least, mut most) = (0, root.left);
        let mut at = guess.min(most);
        while least < most && !search.stopped {
            let need = if at == least { at + 1 } else { at };
            if search.reaches(&Trick { need, ..*root }) {
                (least, at) = (need, need);
            } else {
                (most, at) = (need - 1, need - 1);
            }
        }
        let stopped = search.stopped;
        self.nodes = search.nodes;
        if stopped { Err(Stopped) } else { Ok(least) }
    }
}

/// The tricks of somebody's side, when North-South take so many.
fn of_side(ns: u32, left: u32, whose: Compass) -> u32 {
    if whose.side() == 0 { ns } else { left - ns }
}

/// Tricks of North-South by the usual count of high cards and trumps; the weights are those
/// that fit a thousand random deals best. A start for the search, no more.
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
