//! The choice of a card: searches that look more and more tricks ahead, of which the deepest
//! finished one counts (as in GNUBridge). A search that reaches the last trick proves the value.

use sandboard_double_dummy::{SearchStopped, Solver};
use sandboard_sdk::abi::{Bound, Limits, Line, Score};
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::bridge::{Bridge, Card, Cards, Table};
use sandboard_sdk::{Host, Noise, SearchTask};

use crate::budget::Budget;

/// The value of a trick in the unit of noise.
pub(crate) const TRICK: i32 = 128;

/// The tricks ahead of the first search, and the further tricks of each next one.
const TRICKS_STEP: u32 = 2;

/// The most cards of a line: this trick and the next one.
const LINE_CARDS_MAX: usize = 8;

/// The table of estimates gets one of this many parts of the memory.
const ESTIMATES_SHARE: usize = 16;

/// The player of a game, with all that it keeps between cards.
pub(crate) struct Player {
    /// The solver for proofs. Its results hold for the whole deal.
    solver: Solver,
    /// The solver that searches some tricks ahead.
    estimator: Solver,
    /// The position that was last solved to the end.
    solved: Option<Table>,
    /// The most tricks to search ahead.
    tricks_ahead_max: u32,
    noise: Noise,
}

/// The result of one search.
struct SearchResult {
    /// The tricks of the side to move, by card.
    scores: Vec<(Card, u32)>,
    proved: bool,
    tricks_ahead: u32,
}

impl Player {
    /// A player whose tables have this many bytes together.
    pub(crate) fn new(table_bytes: usize, tricks_ahead_max: u32, noise: Noise) -> Self {
        let estimates = table_bytes / ESTIMATES_SHARE;
        Self {
            solver: Solver::new(table_bytes - estimates),
            estimator: Solver::new(estimates),
            solved: None,
            tricks_ahead_max,
            noise,
        }
    }

    /// A card with its line; `None` if all legal cards are barred.
    pub(crate) fn choose(
        &mut self,
        position: &Bridge,
        task: SearchTask<'_, Bridge>,
    ) -> Option<(Card, Line)> {
        let table = position.table();
        let budget = Budget::new(task.limits, task.host);
        let before = self.nodes();
        let cards: Vec<Card> =
            table.legal().iter().filter(|card| !task.barred.contains(card)).collect();
        let first = *cards.last()?;
        let mut line = line_of(position, &[first]);
        // A search could not change the choice.
        if budget.is_limited() && cards.len() == 1 {
            return Some((first, line));
        }
        let mut best = first;
        let max =
            self.tricks_ahead_max.min(tricks_of(task.limits.depth)).min(table.tricks_left()).max(1);
        let solved = self.is_solved(table);
        let mut ahead = 0;
        while ahead < max {
            // A solved deal is usually in the table; if not, the first search gives a result.
            ahead = if solved && ahead > 0 { max } else { (ahead + TRICKS_STEP).min(max) };
            let Ok(result) = self.search(table, ahead, &budget) else { break };
            let chosen = self.best_card(position, &cards, &result, &budget);
            let Some((card, tricks)) = chosen else { break };
            best = card;
            let bound = if result.proved { Bound::Exact } else { Bound::Estimate };
            line = line_of(position, &self.line(position, card, &result, &budget));
            line.score = Some(Score { value: tricks as i32, bound });
            line.depth = 4 * result.tricks_ahead - table.trick().count() as u32;
            line.nodes = self.nodes() - before;
            line.spent = budget.spent();
            task.host.report(&line);
        }
        Some((best, line))
    }

    /// Solves this position in advance, until the host's clock is 0.
    pub(crate) fn ponder(&mut self, position: &Bridge, host: &Host) {
        let limits = Limits::default();
        let budget = Budget::until_stopped(&limits, host);
        let _ = self.search(position.table(), position.table().tricks_left(), &budget);
    }

    /// The positions visited so far.
    fn nodes(&self) -> u64 {
        self.solver.nodes() + self.estimator.nodes()
    }

    /// Whether this is a later position of the solved deal.
    fn is_solved(&self, table: &Table) -> bool {
        self.solved.is_some_and(|solved| {
            let is_subset = |then: Cards, now: Cards| now.minus(then).is_empty();
            let hands = solved.hands().into_iter().zip(table.hands());
            solved.strain() == table.strain()
                && hands.into_iter().all(|(then, now)| is_subset(then, now))
        })
    }

    /// Searches this many tricks ahead.
    fn search(
        &mut self,
        table: &Table,
        tricks_ahead: u32,
        budget: &Budget<'_>,
    ) -> Result<SearchResult, SearchStopped> {
        let may_continue = || budget.may_continue();
        let proved = tricks_ahead >= table.tricks_left();
        let scores = match proved {
            true => self.solver.scores(table, &may_continue)?,
            false => self.estimator.scores_within(table, tricks_ahead, &may_continue)?,
        };
        if proved && !self.is_solved(table) {
            self.solved = Some(*table);
        }
        Ok(SearchResult { scores, proved, tricks_ahead })
    }

    /// The card to play and its tricks: a card that gives no trick away by the result. Among
    /// several, the one after which most of the next opponent's cards do; of equal ones the lowest.
    fn best_card(
        &mut self,
        position: &Bridge,
        cards: &[Card],
        result: &SearchResult,
        budget: &Budget<'_>,
    ) -> Option<(Card, u32)> {
        let values = result.scores.iter().filter(|(card, _)| cards.contains(card));
        if self.noise.size != 0 {
            let noisy_value = |card: Card, tricks: u32| {
                let mut after = position.clone();
                after.make(card);
                tricks as i32 * TRICK + self.noise.for_hash(after.hash())
            };
            return values.copied().max_by_key(|&(card, tricks)| noisy_value(card, tricks));
        }
        let most = values.clone().map(|(_, tricks)| *tricks).max()?;
        let best: Vec<Card> =
            values.filter(|(_, tricks)| *tricks == most).map(|(card, _)| *card).collect();
        let lowest = |card: &Card| (card.rank(), *card);
        let mut choice = *best.iter().min_by_key(|card| lowest(card))?;
        if !result.proved || best.len() == 1 {
            return Some((choice, most));
        }
        let mut order = best;
        order.sort_by_key(lowest);
        let mut best_share = -1.0;
        for card in order {
            if !budget.has_half() {
                break;
            }
            let Ok(share) = self.losing_share_after(position.table(), card, budget) else { break };
            if share > best_share {
                (choice, best_share) = (card, share);
            }
        }
        Some((choice, most))
    }

    /// The share of the next player's cards that give a trick away; 0 if that player is the
    /// partner.
    fn losing_share_after(
        &mut self,
        table: &Table,
        card: Card,
        budget: &Budget<'_>,
    ) -> Result<f64, SearchStopped> {
        let (mut after, side) = (*table, table.to_move().side());
        after.play(card);
        if after.tricks_left() == 0 || after.to_move().side() == side {
            return Ok(0.0);
        }
        let scores = self.solver.scores(&after, &|| budget.may_continue())?;
        let most = scores.iter().map(|(_, tricks)| *tricks).max().unwrap_or(0);
        let wrong = scores.iter().filter(|(_, tricks)| *tricks < most).count();
        Ok(wrong as f64 / scores.len().max(1) as f64)
    }

    /// The card and the expected cards after it; only the card if the result is not proved.
    fn line(
        &mut self,
        position: &Bridge,
        card: Card,
        result: &SearchResult,
        budget: &Budget<'_>,
    ) -> Vec<Card> {
        let mut cards = vec![card];
        let mut table = *position.table();
        table.play(card);
        while result.proved
            && cards.len() < LINE_CARDS_MAX
            && table.tricks_left() > 0
            && budget.has_half()
        {
            let Ok(scores) = self.solver.scores(&table, &|| budget.may_continue()) else { break };
            let best = scores.iter().max_by_key(|(card, tricks)| (*tricks, 16 - card.rank()));
            let Some(&(next, _)) = best else { break };
            cards.push(next);
            table.play(next);
        }
        cards
    }
}

/// The tricks that contain this many plies; `u32::MAX` without a limit.
fn tricks_of(depth: Option<u32>) -> u32 {
    depth.map_or(u32::MAX, |plies| plies.div_ceil(4))
}

fn line_of(position: &Bridge, cards: &[Card]) -> Line {
    let mut moves = String::new();
    for (index, card) in cards.iter().enumerate() {
        if index > 0 {
            moves.push(' ');
        }
        position.write_move(*card, &mut moves);
    }
    Line { rank: 1, moves, ..Line::default() }
}
