//! How a card is chosen: searches that look further and further ahead, of which the
//! deepest that was finished counts (as GNUBridge does it); when it reaches the last trick, the
//! value is proved.

use sandboard_double_dummy::{Solver, Stopped};
use sandboard_sdk::abi::{Bound, Limits, Line, Score};
use sandboard_sdk::games::Rules;
use sandboard_sdk::games::bridge::{Bridge, Card, Cards, Table};
use sandboard_sdk::{Host, Noise, Task};

use crate::budget::Budget;

/// The unit of mistakes: so many of them are a trick.
pub const TRICK: i32 = 128;

/// What is looked ahead first, and what more each time, in tricks.
const STEP: u32 = 2;

/// Cards of a line at most: this trick and the next.
const LINE_CARDS: usize = 8;

/// What the table of estimates is of that of proofs.
const ESTIMATES_PART: usize = 16;

/// Who plays, with all that is kept from one card to the next.
pub struct Player {
    /// Proves. What it has found out stays true for the whole deal.
    solver: Solver,
    /// Looks some tricks ahead.
    estimator: Solver,
    /// The deal as it was when it was last solved to its end.
    solved: Option<Table>,
    /// Tricks that it looks ahead at most.
    ahead: u32,
    noise: Noise,
}

/// What one search has found.
struct Looked {
    /// Tricks for who moves, by card.
    scores: Vec<(Card, u32)>,
    proved: bool,
    tricks_ahead: u32,
}

impl Player {
    /// With a table of so many bytes.
    pub fn new(table_bytes: usize, ahead: u32, noise: Noise) -> Self {
        let estimates = table_bytes / ESTIMATES_PART;
        Self {
            solver: Solver::new(table_bytes - estimates),
            estimator: Solver::new(estimates),
            solved: None,
            ahead,
            noise,
        }
    }

    /// A card and what is known of it; none if all that can be played are barred.
    pub fn choose(&mut self, position: &Bridge, task: Task<'_, Bridge>) -> Option<(Card, Line)> {
        let table = position.table();
        let budget = Budget::new(task.limits, task.host);
        let before = self.nodes();
        let cards: Vec<Card> =
            table.legal().iter().filter(|card| !task.barred.contains(card)).collect();
        let first = *cards.last()?;
        let mut line = line_of(position, &[first]);
        // Searching could not change it.
        if budget.is_limited() && cards.len() == 1 {
            return Some((first, line));
        }
        let mut best = first;
        let most = self.ahead.min(tricks_of(task.limits.depth)).min(table.tricks_left()).max(1);
        let solved = self.is_solved(table);
        let mut ahead = 0;
        while ahead < most {
            // What was solved mostly stands in the table; if it does not, a first look is there.
            ahead = if solved && ahead > 0 { most } else { (ahead + STEP).min(most) };
            let Ok(looked) = self.look(table, ahead, &budget) else { break };
            let found = self.best_of(position, &cards, &looked, &budget);
            let Some((card, tricks)) = found else { break };
            best = card;
            let bound = if looked.proved { Bound::Exact } else { Bound::Estimate };
            line = line_of(position, &self.line(position, card, &looked, &budget));
            line.score = Some(Score { value: tricks as i32, bound });
            line.depth = 4 * looked.tricks_ahead - table.trick().count() as u32;
            line.nodes = self.nodes() - before;
            line.spent = budget.spent();
            task.host.report(&line);
        }
        Some((best, line))
    }

    /// Finds out what a choice in this position would have to, until the host's clock is at 0.
    pub fn ponder(&mut self, position: &Bridge, host: &Host) {
        let limits = Limits::default();
        let budget = Budget::until_told(&limits, host);
        let _ = self.look(position.table(), position.table().tricks_left(), &budget);
    }

    /// Positions that were looked at so far.
    fn nodes(&self) -> u64 {
        self.solver.nodes() + self.estimator.nodes()
    }

    /// Whether this is how a deal goes on that was solved.
    fn is_solved(&self, table: &Table) -> bool {
        self.solved.is_some_and(|solved| {
            let held = |then: Cards, now: Cards| now.minus(then).is_empty();
            let hands = solved.hands().into_iter().zip(table.hands());
            solved.strain() == table.strain()
                && hands.into_iter().all(|(then, now)| held(then, now))
        })
    }

    /// Looks so many tricks ahead.
    fn look(
        &mut self,
        table: &Table,
        tricks_ahead: u32,
        budget: &Budget<'_>,
    ) -> Result<Looked, Stopped> {
        let go_on = || budget.admits();
        let proved = tricks_ahead >= table.tricks_left();
        let scores = match proved {
            true => self.solver.scores(table, &go_on)?,
            false => self.estimator.scores_within(table, tricks_ahead, &go_on)?,
        };
        if proved && !self.is_solved(table) {
            self.solved = Some(*table);
        }
        Ok(Looked { scores, proved, tricks_ahead })
    }

    /// The card to play: one that loses no trick as far as is known, and of those one
    /// after which most of the next opponent's cards would; of equal ones the lowest.
    fn best_of(
        &mut self,
        position: &Bridge,
        cards: &[Card],
        looked: &Looked,
        budget: &Budget<'_>,
    ) -> Option<(Card, u32)> {
        let values = looked.scores.iter().filter(|(card, _)| cards.contains(card));
        if self.noise.size != 0 {
            let mistaken = |card: Card, tricks: u32| {
                let mut after = position.clone();
                after.make(card);
                tricks as i32 * TRICK + self.noise.of(after.hash())
            };
            return values.copied().max_by_key(|&(card, tricks)| mistaken(card, tricks));
        }
        let most = values.clone().map(|(_, tricks)| *tricks).max()?;
        let best: Vec<Card> =
            values.filter(|(_, tricks)| *tricks == most).map(|(card, _)| *card).collect();
        let lowest = |card: &Card| (card.rank(), *card);
        let mut choice = *best.iter().min_by_key(|card| lowest(card))?;
        if !looked.proved || best.len() == 1 {
            return Some((choice, most));
        }
        let mut order = best;
        order.sort_by_key(lowest);
        let mut chances = -1.0;
        for card in order {
            if !budget.has_half() {
                break;
            }
            let Ok(found) = self.chances_after(position.table(), card, budget) else { break };
            if found > chances {
                (choice, chances) = (card, found);
            }
        }
        Some((choice, most))
    }

    /// The share of the next player's cards that would give a trick away, where that is an opponent.
    fn chances_after(
        &mut self,
        table: &Table,
        card: Card,
        budget: &Budget<'_>,
    ) -> Result<f64, Stopped> {
        let (mut after, side) = (*table, table.to_move().side());
        after.play(card);
        if after.tricks_left() == 0 || after.to_move().side() == side {
            return Ok(0.0);
        }
        let scores = self.solver.scores(&after, &|| budget.admits())?;
        let most = scores.iter().map(|(_, tricks)| *tricks).max().unwrap_or(0);
        let wrong = scores.iter().filter(|(_, tricks)| *tricks < most).count();
        Ok(wrong as f64 / scores.len().max(1) as f64)
    }

    /// The card, and how all go on as far as is known; just the card where nothing is proved.
    fn line(
        &mut self,
        position: &Bridge,
        card: Card,
        looked: &Looked,
        budget: &Budget<'_>,
    ) -> Vec<Card> {
        let mut cards = vec![card];
        let mut table = *position.table();
        table.play(card);
        while looked.proved
            && cards.len() < LINE_CARDS
            && table.tricks_left() > 0
            && budget.has_half()
        {
            let Ok(scores) = self.solver.scores(&table, &|| budget.admits()) else { break };
            let best = scores.iter().max_by_key(|(card, tricks)| (*tricks, 16 - card.rank()));
            let Some(&(next, _)) = best else { break };
            cards.push(next);
            table.play(next);
        }
        cards
    }
}

/// In how many tricks so many plies are searched at least; not limited: without end.
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
