//! The defaults for decisions before ordinary play, in any game. Each legal decision leads to a
//! position of ordinary play ([`Rules::after_defaults`]), and the engine's own `next_move` scores
//! that position. Knows no game, no phase and no search.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Level, Limits, Line, Score, Unit};
use sandboard_games::Rules;

use crate::chooser::{Chooser, Reply, Turn};
use crate::host::{Host, HostCalls};
use crate::time_management::allot;

/// Nodes for all valuations of one decision together, where no budget limits them.
const UNLIMITED_NODES: u64 = 200_000;
/// Decisions meant to be fair: any whose value is this near to the fairest, in hundredths, may be
/// chosen. Otherwise every game would have the same opening.
const FAIR_TOLERANCE: i32 = 20;

/// Makes the decision that is best for the deciding side.
pub(crate) fn decide_best<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
) -> Reply<C::Rules> {
    decide(chooser, turn, Preference { utility: |value| value, tolerance: 0 })
}

/// Makes the decision after which neither side is ahead, for an opponent who may choose sides.
pub(crate) fn decide_fairest<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
) -> Reply<C::Rules> {
    let preference = Preference { utility: |value: i32| -value.abs(), tolerance: FAIR_TOLERANCE };
    decide(chooser, turn, preference)
}

/// Announces about a third of the largest number: every further offer is a disadvantage for the
/// side that makes it.
pub(crate) fn announce_few<R: Rules>(turn: &mut Turn<'_, R>) -> Reply<R> {
    let moves = turn.legal_moves();
    match moves.get(moves.len().saturating_sub(1) / 3) {
        Some(&mv) => Reply::play(mv),
        None => Reply::resign(),
    }
}

/// Which values a decision prefers.
#[derive(Clone, Copy)]
struct Preference {
    /// How good a value is; the argument is from the deciding side's point of view.
    utility: fn(i32) -> i32,
    /// Decisions this much below the best utility count as equally good.
    tolerance: i32,
}

/// A decision with its value for the deciding side.
#[derive(Clone, Debug)]
struct ValuedMove<M> {
    mv: M,
    value: i32,
    depth: u32,
}

/// Values all decisions, then the better half with twice the budget, and so on: successive halving
/// (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013). If the
/// chooser gives no scores, a random decision is made.
fn decide<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
    preference: Preference,
) -> Reply<C::Rules> {
    let legal = turn.legal_moves().to_vec();
    let mut options: Vec<_> =
        legal.iter().map(|&mv| ValuedMove { mv, value: 0, depth: 0 }).collect();
    let mut budget = DecisionBudget::new(turn.limits, turn.host, options.len());
    let mut is_valued = false;
    while options.len() > 1 {
        let valued = value_all(chooser, turn, &mut budget, &options);
        let interrupted = valued.len() < options.len();
        if interrupted && (is_valued || valued.is_empty()) {
            break;
        }
        is_valued = true;
        options = valued;
        options.sort_by_key(|option| std::cmp::Reverse((preference.utility)(option.value)));
        let least = (preference.utility)(options[0].value) - preference.tolerance;
        let good = options.iter().take_while(|it| (preference.utility)(it.value) >= least).count();
        let half = options.len() / 2;
        if interrupted || preference.tolerance > 0 && good >= half {
            options.truncate(good);
            break;
        }
        options.truncate(half);
    }
    let chosen = match (is_valued, options.len()) {
        (_, 0) => return Reply::resign(),
        (true, _) if preference.tolerance == 0 => &options[0],
        _ => &options[turn.random.below(options.len())],
    };
    let reply = Reply::play(chosen.mv);
    if !is_valued {
        return reply;
    }
    reply.with_line(line_of(turn.position, chosen, &budget))
}

/// The same options with values. Fewer if time runs out first; none if the chooser gives no
/// scores.
fn value_all<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
    budget: &mut DecisionBudget,
    options: &[ValuedMove<<C::Rules as Rules>::Move>],
) -> Vec<ValuedMove<<C::Rules as Rules>::Move>> {
    let (limits, share) = budget.share(options.len());
    let own = C::Rules::side(turn.position.to_move());
    let mut valued = Vec::with_capacity(options.len());
    for option in options {
        if turn.host.left() == 0 {
            break;
        }
        let settled = turn.position.after_defaults(option.mv);
        if let Some(outcome) = settled.outcome() {
            let value = match outcome.winner {
                Some(winner) if winner == own => WIN_SCORE,
                Some(_) => -WIN_SCORE,
                None => 0,
            };
            valued.push(ValuedMove { value, ..option.clone() });
            continue;
        }
        let host = ShareHost::limiting(turn.host, share);
        let mut settled_turn = Turn {
            position: &settled,
            limits: &limits,
            barred: &[],
            host: &host,
            random: turn.random,
            moves: turn.moves,
        };
        let Some(line) = chooser.next_move(&mut settled_turn).line else { break };
        let Some(score) = line.score.map(|score| score.value) else { break };
        budget.nodes += line.nodes;
        let value = if C::Rules::side(settled.to_move()) == own { score } else { -score };
        valued.push(ValuedMove { value, depth: line.depth, ..option.clone() });
    }
    valued
}

fn line_of<R: Rules>(position: &R, chosen: &ValuedMove<R::Move>, budget: &DecisionBudget) -> Line {
    let mut moves = String::new();
    position.write_move(chosen.mv, &mut moves);
    Line {
        rank: 1,
        score: Some(Score { value: chosen.value, bound: Bound::Estimate }),
        depth: chosen.depth,
        nodes: budget.nodes,
        spent: budget.spent(),
        moves,
    }
}

/// What a decision may cost, divided into rounds of equal cost.
struct DecisionBudget {
    limits: Limits,
    host: Host,
    left_at_start: u64,
    /// Units of the limits for each round; `u64::MAX`: not limited.
    round_units: u64,
    /// Nodes for each round; `u64::MAX`: not limited.
    round_nodes: u64,
    /// Nodes counted so far.
    nodes: u64,
}

impl DecisionBudget {
    fn new(limits: &Limits, host: &Host, options: usize) -> Self {
        let left = host.left();
        let rounds = u64::from(options.max(2).ilog2()) + 1;
        let timed = limits.unit != Unit::Unlimited;
        let nodes = limits.nodes.or((!timed).then_some(UNLIMITED_NODES)).unwrap_or(u64::MAX);
        Self {
            limits: limits.clone(),
            host: host.clone(),
            left_at_start: left,
            round_units: if timed { allot(limits, left).soft / rounds } else { u64::MAX },
            round_nodes: nodes / rounds,
            nodes: 0,
        }
    }

    /// The limits of one valuation in a round of this many options, and its units.
    fn share(&self, options: usize) -> (Limits, u64) {
        let options = options as u64;
        let units =
            if self.round_units == u64::MAX { u64::MAX } else { self.round_units / options };
        let limits = Limits {
            unit: self.limits.unit,
            call_max: (units != u64::MAX).then_some(units),
            depth: self.limits.depth,
            nodes: (self.round_nodes != u64::MAX).then_some((self.round_nodes / options).max(1)),
            ..Limits::default()
        };
        (limits, units)
    }

    fn spent(&self) -> u64 {
        match self.left_at_start {
            u64::MAX => 0,
            left => left.saturating_sub(self.host.left()),
        }
    }
}

/// A host whose clock shows only the share of one valuation. It drops reported lines, since they
/// are about another position than the game's.
struct ShareHost {
    host: Host,
    /// Units kept for the other valuations.
    reserve: u64,
}

impl ShareHost {
    fn limiting(host: &Host, units: u64) -> Host {
        let left = host.left();
        let reserve = if left == u64::MAX { 0 } else { left.saturating_sub(units) };
        Host::new(Self { host: host.clone(), reserve })
    }
}

impl HostCalls for ShareHost {
    fn left(&self) -> u64 {
        match self.host.left() {
            u64::MAX => u64::MAX,
            left => left.saturating_sub(self.reserve),
        }
    }

    fn log(&self, level: Level, text: &str) {
        self.host.log(level, text);
    }

    fn asset(&self, name: &str, offset: u64, length: u32) -> Result<Vec<u8>, String> {
        self.host.asset(name, offset, length)
    }
}

#[cfg(test)]
mod tests;
