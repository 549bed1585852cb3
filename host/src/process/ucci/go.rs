//! The command that starts a search, out of what a call may spend. It can tell one kind of limit: time where there is any,
//! else depth, else nodes.

use std::fmt::Write;

use sandboard_abi::{Limits, Unit};

/// What else is known when the command goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Going {
    /// What is left of the call, in microseconds; none: it is not limited in time.
    pub left_us: Option<u64>,
    /// The seat that chooses.
    pub seat: u8,
    /// Whether times are told in milliseconds; else in seconds.
    pub in_ms: bool,
}

/// The command. CPU time is told as wall time.
pub fn go(limits: &Limits, going: Going) -> String {
    let mut text = "go".to_owned();
    if limits.draw_offered {
        text.push_str(" draw");
    }
    let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
    let told = |us: u64| if going.in_ms { us / 1000 } else { us / 1_000_000 };
    // Writing to a string does not fail.
    let _ = match (going.left_us.filter(|_| timed), limits.depth, limits.nodes) {
        (Some(left_us), ..) => {
            let left = told(left_us).max(1);
            let own = match (limits.game_left, limits.moves_to_go) {
                (None, _) => write!(text, " time {left} movestogo 1"),
                (_, Some(moves)) => write!(text, " time {left} movestogo {}", moves.max(1)),
                (_, None) => write!(text, " time {left} increment {}", told(limits.increment)),
            };
            let other = limits.others_left.iter().find(|(seat, _)| *seat != going.seat);
            match other.filter(|_| limits.game_left.is_some()) {
                Some((_, us)) => {
                    let more = told(limits.increment);
                    write!(text, " opptime {} oppincrement {more}", told(*us).max(1))
                }
                None => own,
            }
        }
        (None, Some(depth), _) => write!(text, " depth {}", depth.max(1)),
        (None, None, Some(nodes)) => write!(text, " nodes {}", nodes.max(1)),
        (None, None, None) => write!(text, " infinite"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_limits_a_search() {
        let check = |limits: Limits, left_us: Option<u64>, in_ms: bool, expected: &str| {
            assert_eq!(go(&limits, Going { left_us, seat: 0, in_ms }), expected, "{limits:?}");
        };
        let none = Limits::default();
        check(none.clone(), None, true, "go infinite");
        let deep = Limits { depth: Some(8), nodes: Some(9), ..none.clone() };
        check(deep.clone(), None, true, "go depth 8");
        check(Limits { nodes: Some(9), ..none.clone() }, None, true, "go nodes 9");
        let wall = Limits { unit: Unit::Wall, draw_offered: true, ..deep };
        check(wall, Some(5_000_000), true, "go draw time 5000 movestogo 1");
        let turn = Limits { unit: Unit::Wall, call_max: Some(900_000), ..none.clone() };
        check(turn.clone(), Some(900_000), false, "go time 1 movestogo 1");
        let clock = Limits { game_left: Some(90_000_000), increment: 2_000_000, ..turn };
        check(clock.clone(), Some(90_000_000), true, "go time 90000 increment 2000");
        let others = Limits { others_left: vec![(1, 60_000_000)], ..clock.clone() };
        let both = "go time 90 increment 2 opptime 60 oppincrement 2";
        check(others, Some(90_000_000), false, both);
        let period = Limits { moves_to_go: Some(12), ..clock };
        check(period, Some(90_000_000), true, "go time 90000 movestogo 12");
    }
}
