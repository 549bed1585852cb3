//! The UCCI command that starts a search. It can express one kind of limit: the time if there is
//! one, else the depth, else the nodes.

use std::fmt::Write;

use sandboard_abi::{Limits, Unit};

/// What the command needs besides the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The rest of the call, in microseconds; None: no time limit.
    pub left_us: Option<u64>,
    /// The seat that chooses.
    pub seat: u8,
    /// Whether times are in milliseconds instead of seconds.
    pub in_milliseconds: bool,
}

/// The command for these limits. CPU time is sent as wall time.
pub fn go(limits: &Limits, clocks: Clocks) -> String {
    let mut text = "go".to_owned();
    if limits.draw_offered {
        text.push_str(" draw");
    }
    let timed = matches!(limits.unit, Unit::Wall | Unit::Cpu);
    let time = |us: u64| if clocks.in_milliseconds { us / 1000 } else { us / 1_000_000 };
    // Writing to a string cannot fail.
    let _ = match (clocks.left_us.filter(|_| timed), limits.depth, limits.nodes) {
        (Some(left_us), ..) => {
            let left = time(left_us).max(1);
            let own = match (limits.game_left, limits.moves_to_go) {
                (None, _) => write!(text, " time {left} movestogo 1"),
                (_, Some(moves)) => write!(text, " time {left} movestogo {}", moves.max(1)),
                (_, None) => write!(text, " time {left} increment {}", time(limits.increment)),
            };
            let other = limits.others_left.iter().find(|(seat, _)| *seat != clocks.seat);
            match other.filter(|_| limits.game_left.is_some()) {
                Some((_, us)) => {
                    let more = time(limits.increment);
                    write!(text, " opptime {} oppincrement {more}", time(*us).max(1))
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
    fn limits_of_a_search() {
        let check =
            |limits: Limits, left_us: Option<u64>, in_milliseconds: bool, expected: &str| {
                assert_eq!(
                    go(&limits, Clocks { left_us, seat: 0, in_milliseconds }),
                    expected,
                    "{limits:?}"
                );
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
