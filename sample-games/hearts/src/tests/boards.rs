//! Boards as data.

use super::*;

fn check(passed: &str, played: &str, observer: Observer, expected: &[&str]) {
    let text = format!("{SOUTH}:{WEST}:{NORTH}:{EAST}:{passed}:{played}");
    let variant = if passed == ",,," && !played.is_empty() { "no-pass" } else { "pass-left" };
    let game = position(variant, &text).unwrap();
    let board = game.board(observer, None).unwrap();
    let lines: Vec<String> = board.diagram().lines().map(str::to_owned).collect();
    assert_eq!(lines, expected, "{text}");
    let legal = match observer {
        Observer::Seat(seat) => moves(&game, seat.0),
        Observer::Spectator | Observer::Everything => String::new(),
    };
    board.check(&legal).unwrap_or_else(|reason| panic!("{text}: {reason}"));
    let listed: Vec<&str> = board.moves.iter().map(|entry| &*entry.mv).collect();
    assert_eq!(listed.join(" "), legal, "{text}");
}

#[test]
fn boards_show_what_the_observer_sees() {
    let points = "Points: South 0 · West 0 · North 0 · East 0";
    check(
        ",,,",
        "sC2CK",
        Observer::Seat(Seat(2)),
        &[
            "South: ?(12)",
            "East: ?(13)   Trick: S:2♣ W*K♣   West: ?(12)",
            "North: J♠ 4♠ 3♠ 2♠ 9♥ 8♥ 7♥ J♦ 7♦ 2♦ Q♣ 9♣ 7♣",
            points,
        ],
    );
    check(
        "SA,SK,SJ,ST",
        "",
        Observer::Seat(Seat(0)),
        &[
            "North: ?(12)",
            "West: ?(12)   Trick:   East: ?(12)",
            "South: 8♠ 7♠ 6♠ A♥ K♥ K♦ 4♦ 3♦ A♣ 4♣ 3♣ 2♣",
            "Passed: A♠",
            points,
        ],
    );
    // The choices of a step that is not complete do not show.
    check(
        "SA,SK,SJ,",
        "",
        Observer::Seat(Seat(0)),
        &[
            "North: ?(13)",
            "West: ?(13)   Trick:   East: ?(13)",
            "South: A♠ 8♠ 7♠ 6♠ A♥ K♥ K♦ 4♦ 3♦ A♣ 4♣ 3♣ 2♣",
            points,
        ],
    );
    check(
        ",,,",
        "sC2CKC7C8",
        Observer::Spectator,
        &[
            "North: ?(12)",
            "West: ?(12)   Trick: S:2♣ W:K♣ N:7♣ E*8♣   East: ?(12)",
            "South: ?(12)",
            points,
        ],
    );
    check(
        ",,,",
        "sC2CKC7C8SKS4",
        Observer::Spectator,
        &["North: ?(11)", "West: ?(11)   Trick: W:K♠ N*4♠   East: ?(12)", "South: ?(12)", points],
    );
}
