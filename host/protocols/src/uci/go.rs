//! The UCI command that starts a search, from the limits of the call.

use std::fmt::Write;

use sandboard_abi::{Limits, Unit};

/// What the command needs besides the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The rest of the call, in microseconds; None: no time limit.
    pub left_us: Option<u64>,
    /// The seat that chooses.
    pub seat: u8,
}

/// The command for these limits. `only`: the moves to choose from, in the program's dialect; empty:
/// all. CPU time is sent as wall time, because a program with one thread needs at least that.
pub fn go(limits: &Limits, clocks: Clocks, only: &[String]) -> String {
    let mut text = "go".to_owned();
    // Writing to a string cannot fail.
    if let Some(depth) = limits.depth {
        let _ = write!(text, " depth {}", depth.max(1));
    }
    if let Some(nodes) = limits.nodes {
        let _ = write!(text, " nodes {}", nodes.max(1));
    }
    let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
    match clocks.left_us.filter(|_| timed) {
        Some(left_us) if limits.game_left.is_some() => {
            let increment = ms(limits.increment);
            let other = limits.others_left.iter().find(|(seat, _)| *seat != clocks.seat);
            let (own, other) = (ms(left_us), ms(other.map_or(left_us, |(_, left)| *left)));
            // In UCI, white is the side that begins.
            let (white, black) = if clocks.seat == 0 { (own, other) } else { (other, own) };
            let (white, black) = (white.max(1), black.max(1));
            let _ = write!(text, " wtime {white} btime {black} winc {increment} binc {increment}");
            if let Some(moves) = limits.moves_to_go {
                let _ = write!(text, " movestogo {}", moves.max(1));
            }
        }
        Some(left_us) => {
            let _ = write!(text, " movetime {}", ms(left_us).max(1));
        }
        None if limits.depth.is_none() && limits.nodes.is_none() => text.push_str(" infinite"),
        None => (),
    }
    if !only.is_empty() {
        let _ = write!(text, " searchmoves {}", only.join(" "));
    }
    text
}

fn ms(us: u64) -> u64 {
    us / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limits: Limits, left_us: Option<u64>, seat: u8, expected: &str) {
        assert_eq!(go(&limits, Clocks { left_us, seat }, &[]), expected, "{limits:?}");
    }

    #[test]
    fn limits_of_a_search() {
        let limits = |unit| Limits { unit, ..Limits::default() };
        check(limits(Unit::Unlimited), None, 0, "go infinite");
        let deep = Limits { depth: Some(8), ..limits(Unit::Unlimited) };
        check(deep.clone(), None, 0, "go depth 8");
        check(Limits { nodes: Some(10_000), ..deep }, None, 0, "go depth 8 nodes 10000");
        let moved = Limits { call_max: Some(50_000), ..limits(Unit::Wall) };
        check(moved.clone(), Some(49_900), 0, "go movetime 49");
        check(moved.clone(), Some(0), 0, "go movetime 1");
        check(Limits { unit: Unit::Cpu, ..moved }, Some(50_000), 0, "go movetime 50");
    }

    #[test]
    fn clocks_are_sent_by_seats() {
        let clock = Limits {
            unit: Unit::Wall,
            game_left: Some(180_000_000),
            increment: 2_000_000,
            others_left: vec![(1, 90_000_000)],
            ..Limits::default()
        };
        let red = "go wtime 180000 btime 90000 winc 2000 binc 2000";
        check(clock.clone(), Some(180_000_000), 0, red);
        let black = Limits { others_left: vec![(0, 90_000_000)], ..clock.clone() };
        check(black, Some(180_000_000), 1, "go wtime 90000 btime 180000 winc 2000 binc 2000");
        let period = Limits { moves_to_go: Some(40), others_left: vec![], ..clock };
        let text = "go wtime 9000 btime 9000 winc 2000 binc 2000 movestogo 40";
        check(period, Some(9_000_000), 0, text);
    }

    #[test]
    fn moves_to_choose_among() {
        let only = ["a1a2", "b1b2"].map(str::to_owned);
        let limits = Limits { nodes: Some(5), ..Limits::default() };
        let clocks = Clocks { left_us: None, seat: 0 };
        assert_eq!(go(&limits, clocks, &only), "go nodes 5 searchmoves a1a2 b1b2");
    }
}
