//! What each seat sees, and that nothing else shows.

use super::*;

const PASSED: &str = "SAHAC2,SKSQS5,SJS4S3,STS9H6";

#[test]
fn a_seat_sees_its_own_cards_and_those_that_it_got() {
    let check = |passed: &str, played: &str, observer: Observer, expected: &str| {
        let text = format!("{SOUTH}:{WEST}:{NORTH}:{EAST}:{passed}:{played}");
        let game = position("pass-left", &text).unwrap();
        assert_eq!(written(&game, observer), expected);
    };
    let [south, west] = [Observer::Seat(Seat(0)), Observer::Seat(Seat(1))];
    check(",,,", "", south, &format!("{SOUTH}:?13:?13:?13:,,,:"));
    // A step that is not complete does not show.
    check("SA,SK,SJ,", "", south, &format!("{SOUTH}:?13:?13:?13:,,,:"));
    check("SA,SK,SJ,ST", "", south, &format!("{SOUTH}:?13:?13:?13:SA,?,?,?:"));
    // Left of south is west; east passes to south.
    check(PASSED, "wC2", south, &format!("{SOUTH}:?13:?13:?13:SAHAC2,???,???,STS9H6:wC2"));
    check(PASSED, "wC2", west, &format!("?13:{WEST}:?13:?13:SAHAC2,SKSQS5,???,???:wC2"));
    let spectator = Observer::Spectator;
    check(PASSED, "wC2", spectator, "?13:?13:?13:?13:???,???,???,???:wC2");
}

#[test]
fn deals_and_passes_look_alike_to_others() {
    let check = |text: &str, actor: Actor, mv: &str, expected: [&str; 5]| {
        let game = position("pass-left", text).unwrap();
        let seats = (0..4).map(|seat| Observer::Seat(Seat(seat)));
        let seen: Vec<String> = seats
            .chain([Observer::Spectator])
            .map(|observer| {
                let mut seen = String::new();
                let card = Card::from_text(mv).unwrap();
                game.write_seen(observer, actor, &card, &mut seen);
                seen
            })
            .collect();
        assert_eq!(seen, expected, "{text}");
    };
    let dealt = format!("{SOUTH}:{WEST}:{NORTH}:{EAST}");
    check("A...:...:...:...:,,,:", Actor::Chance, "SK", ["?", "SK", "?", "?", "?"]);
    check(&format!("{dealt}:,,,:"), Actor::Seat(Seat(2)), "SJ", ["?", "?", "SJ", "?", "?"]);
    // The receiver of the third card sees it in the next view only.
    let text = format!("{dealt}:SAHA,SKSQ,SJS4,STS9:");
    check(&text, Actor::Seat(Seat(0)), "C2", ["C2", "?", "?", "?", "?"]);
    check(&format!("{dealt}:{PASSED}:w"), Actor::Seat(Seat(1)), "C2", ["C2"; 5]);
}
