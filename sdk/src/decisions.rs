//! The defaults for what is decided before ordinary play, in any game: each legal decision
//! leads to a position of ordinary play ([`Rules::settled`]), and the engine's own `next_move`
//! says what that is worth. Knows no game, no phase and no search.

use sandboard_abi::limits::WIN_SCORE;
use sandboard_abi::{Bound, Level, Limits, Line, Score, Unit};
use sandboard_games::Rules;

use crate::engine::{Chooser, Reply, Turn};
use crate::host::{Host, HostCalls};
use crate::time::allot;

/// What all valuations of a decision may search together where no budget limits them.
const NODES: u64 = 200_000;
/// Of decisions that are meant to be fair, any of those is taken whose value is so near the
/// fairest, in hundredths: the same opening in every game would be no fun.
const FAIR_ENOUGH: i32 = 20;

/// The decision that is best for the side that makes it.
pub(crate) fn best<C: Chooser>(chooser: &mut C, turn: &mut Turn<'_, C::Rules>) -> Reply<C::Rules> {
    decide(chooser, turn, Wish { worth: |value| value, slack: 0 })
}

/// The decision after which nobody is ahead, since the opponent may choose his side.
pub(crate) fn fairest<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
) -> Reply<C::Rules> {
    decide(chooser, turn, Wish { worth: |value: i32| -value.abs(), slack: FAIR_ENOUGH })
}

/// Of numbers, the one after the first third: few, as more cost who offers more.
pub(crate) fn few<R: Rules>(turn: &mut Turn<'_, R>) -> Reply<R> {
    let moves = turn.legal_moves();
    match moves.get(moves.len().saturating_sub(1) / 3) {
        Some(&mv) => Reply::play(mv),
        None => Reply::resign(),
    }
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Wish {
    /// How good a value of the deciding side is.
    worth: fn(i32) -> i32,
    /// How much worse than the best is as good.
    slack: i32,
}

/// A decision with what is known of it.
#[derive(Clone, Debug)]
struct Valued<M> {
    mv: M,
    value: i32,
    depth: u32,
}

/// Values all decisions, the better half again with twice the budget, and so on: successive
/// halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013).
/// Of a chooser that gives no scores, any decision is as good as another.
fn decide<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
    wish: Wish,
) -> Reply<C::Rules> {
    let legal = turn.legal_moves().to_vec();
    let mut options: Vec<_> = legal.iter().map(|&mv| Valued { mv, value: 0, depth: 0 }).collect();
    let mut purse = Purse::of(turn.limits, turn.host, options.len());
    let mut valued = false;
    while options.len() > 1 {
        let found = value_all(chooser, turn, &mut purse, &options);
        let interrupted = found.len() < options.len();
        if interrupted && (valued || found.is_empty()) {
            break;
        }
        valued = true;
        options = found;
        options.sort_by_key(|option| std::cmp::Reverse((wish.worth)(option.value)));
        let worst = (wish.worth)(options[0].value) - wish.slack;
        let near = options.iter().take_while(|it| (wish.worth)(it.value) >= worst).count();
        let half = options.len() / 2;
        if interrupted || wish.slack > 0 && near >= half {
            options.truncate(near);
            break;
        }
        options.truncate(half);
    }
    let chosen = match (valued, options.len()) {
        (_, 0) => return Reply::resign(),
        (true, _) if wish.slack == 0 => &options[0],
        _ => &options[turn.random.below(options.len())],
    };
    let reply = Reply::play(chosen.mv);
    if !valued {
        return reply;
    }
    reply.with_line(line_of(turn.position, chosen, &purse))
}

/// The same options with their values; fewer when time is up before all have one, none when the
/// chooser gives none.
fn value_all<C: Chooser>(
    chooser: &mut C,
    turn: &mut Turn<'_, C::Rules>,
    purse: &mut Purse,
    options: &[Valued<<C::Rules as Rules>::Move>],
) -> Vec<Valued<<C::Rules as Rules>::Move>> {
    let (limits, share) = purse.share(options.len());
    let own = C::Rules::side(turn.position.to_move());
    let mut valued = Vec::with_capacity(options.len());
    for option in options {
        if turn.host.left() == 0 {
            break;
        }
        let settled = turn.position.settled(option.mv);
        if let Some(outcome) = settled.outcome() {
            let value = match outcome.winner {
                Some(winner) if winner == own => WIN_SCORE,
                Some(_) => -WIN_SCORE,
                None => 0,
            };
            valued.push(Valued { value, ..option.clone() });
            continue;
        }
        let host = Part::of(turn.host, share);
        let mut asked = Turn {
            position: &settled,
            limits: &limits,
            barred: &[],
            host: &host,
            random: turn.random,
            moves: turn.moves,
        };
        let Some(line) = chooser.next_move(&mut asked).line else { break };
        let Some(score) = line.score.map(|score| score.value) else { break };
        purse.nodes += line.nodes;
        let value = if C::Rules::side(settled.to_move()) == own { score } else { -score };
        valued.push(Valued { value, depth: line.depth, ..option.clone() });
    }
    valued
}

fn line_of<R: Rules>(position: &R, chosen: &Valued<R::Move>, purse: &Purse) -> Line {
    let mut moves = String::new();
    position.write_move(chosen.mv, &mut moves);
    Line {
        rank: 1,
        score: Some(Score { value: chosen.value, bound: Bound::Estimate }),
        depth: chosen.depth,
        nodes: purse.nodes,
        spent: purse.spent(),
        moves,
    }
}

/// What a decision may cost, shared out among rounds that cost the same.
struct Purse {
    limits: Limits,
    host: Host,
    left_at_start: u64,
    /// For each round.
    units: u64,
    nodes_max: u64,
    /// Counted so far.
    nodes: u64,
}

impl Purse {
    fn of(limits: &Limits, host: &Host, options: usize) -> Self {
        let left = host.left();
        let rounds = u64::from(options.max(2).ilog2()) + 1;
        let timed = limits.unit != Unit::Unlimited;
        Self {
            limits: limits.clone(),
            host: host.clone(),
            left_at_start: left,
            units: if timed { allot(limits, left).soft / rounds } else { u64::MAX },
            nodes_max: limits.nodes.or((!timed).then_some(NODES)).unwrap_or(u64::MAX) / rounds,
            nodes: 0,
        }
    }

    /// The limits of one valuation of a round with so many, and its units.
    fn share(&self, options: usize) -> (Limits, u64) {
        let options = options as u64;
        let units = if self.units == u64::MAX { u64::MAX } else { self.units / options };
        let limits = Limits {
            unit: self.limits.unit,
            call_max: (units != u64::MAX).then_some(units),
            depth: self.limits.depth,
            nodes: (self.nodes_max != u64::MAX).then_some((self.nodes_max / options).max(1)),
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

/// A host on which less is left: what one valuation may take. What is found is not reported,
/// as it is about another position.
struct Part {
    host: Host,
    kept_back: u64,
}

impl Part {
    fn of(host: &Host, units: u64) -> Host {
        let left = host.left();
        let kept_back = if left == u64::MAX { 0 } else { left.saturating_sub(units) };
        Host::new(Self { host: host.clone(), kept_back })
    }
}

impl HostCalls for Part {
    fn left(&self) -> u64 {
        match self.host.left() {
            u64::MAX => u64::MAX,
            left => left.saturating_sub(self.kept_back),
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
