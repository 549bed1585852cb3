//! The Sandboard protocol: the ABI as lines of text, for programs in languages that cannot make a
//! component. The words are those of `abi/wit` and mean the same. This module writes the lines of
//! the host, [`Message`] reads those of the program.

use crate::{GameSupport, ProtocolInfo};

mod message;

pub use message::{DescriptionParser, Message};

use sandboard_abi::{Barred, Limits, Setup, Unit, View};

/// The first line: the protocol and its version, which is the number of the ABI.
pub const GREETING: &str = "sandboard 1";
/// Requests the program's description.
pub const DESCRIBE: &str = "describe";
/// Ends the facts about a game.
pub const BEGIN: &str = "begin";
/// Ends the facts about a choice, and starts the search.
pub const CHOOSE: &str = "choose";
/// Asks for an answer when the program's threads are idle.
pub const PING: &str = "ping";
/// Stops the search: the program should choose now.
pub const STOP: &str = "stop";

/// The row of the Sandboard protocol in the table of protocols. Option names in it are single
/// words, like those of manifests, so there are no other names.
pub(crate) const INFO: ProtocolInfo = ProtocolInfo {
    word: "sandboard",
    games: GameSupport::Any,
    stop_command: Some(STOP),
    has_dialects: false,
    allows_option_names: false,
    accepts_carriage_return: false,
};

/// The facts about a game, between greeting and [`BEGIN`]. `options`: each option of the manifest
/// with its value.
pub fn game<'a>(
    setup: &Setup,
    options: impl Iterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = String> {
    let seats: Vec<String> = setup.seats.iter().map(u8::to_string).collect();
    let mut facts = vec![fact("game", &[&setup.game, &setup.variant])];
    if !setup.start.is_empty() {
        facts.push(fact("start", &[&setup.start]));
    }
    facts.extend([fact("moves", &[&setup.moves]), fact("seats", &[&seats.join(" ")])]);
    facts.push(fact("seed", &[&setup.seed.to_string()]));
    facts.extend(options.map(|(name, value)| fact("option", &[name, value])));
    facts.push(fact("memory-bytes", &[&setup.memory_bytes.to_string()]));
    facts.push(fact("threads", &[&setup.threads.to_string()]));
    facts.into_iter()
}

/// The facts about a choice, before [`CHOOSE`]: the moves so far, the side to move, the limits and
/// the excluded moves.
pub fn choice(
    moves: &[String],
    to_move: u8,
    limits: &Limits,
    barred: &[Barred],
) -> impl Iterator<Item = String> {
    let unit = match limits.unit {
        Unit::Unlimited => "unlimited",
        Unit::Wall => "wall",
        Unit::Cpu => "cpu",
        Unit::Fuel => "fuel",
    };
    let mut facts = vec![
        fact("moves", &[&moves.join(" ")]),
        fact("to-move", &[&to_move.to_string()]),
        fact("unit", &[unit]),
    ];
    let is_limited = limits.unit != Unit::Unlimited;
    let numbers = [
        ("call-max", limits.call_max.filter(|_| is_limited)),
        ("game-left", limits.game_left.filter(|_| is_limited)),
        ("increment", Some(limits.increment).filter(|it| is_limited && *it > 0)),
        ("moves-to-go", limits.moves_to_go.map(u64::from)),
        ("grace", Some(limits.grace).filter(|_| is_limited)),
        ("depth", limits.depth.map(u64::from)),
        ("nodes", limits.nodes),
        ("lines", Some(limits.lines.max(1).into())),
    ];
    let known = numbers.into_iter().filter_map(|(word, number)| Some((word, number?)));
    facts.extend(known.map(|(word, number)| fact(word, &[&number.to_string()])));
    let others = limits.others_left.iter();
    facts.extend(
        others.map(|(seat, left)| fact("others-left", &[&seat.to_string(), &left.to_string()])),
    );
    if limits.draw_offered {
        facts.push("draw-offered".to_owned());
    }
    facts.extend(barred.iter().map(|it| fact("barred", &[&it.r#move, &it.reason])));
    facts.into_iter()
}

/// The reply to `legal`.
pub fn legal(answer: &Result<String, String>) -> String {
    match answer {
        Ok(moves) => fact("legal", &[moves]),
        Err(reason) => illegal(reason),
    }
}

/// The reply to `look`: two lines, or one if the line of moves is not legal.
pub fn look(answer: &Result<View, String>) -> Vec<String> {
    let view = match answer {
        Ok(view) => view,
        Err(reason) => return vec![illegal(reason)],
    };
    let ending = match &view.ending {
        None => "open".to_owned(),
        Some(ending) => {
            let scores: Vec<String> = ending.scores.iter().map(i32::to_string).collect();
            fact("ended", &[&scores.join(","), &ending.reason])
        }
    };
    vec![fact("view", &[&view.to_move.to_string(), &view.position]), ending]
}

/// The reply to `left`; None: there is no limit.
pub fn left(units: Option<u64>) -> String {
    fact("left", &[&units.map_or("unlimited".to_owned(), |units| units.to_string())])
}

fn illegal(reason: &str) -> String {
    fact("illegal", &[reason])
}

/// A word and its arguments, separated by blanks. Empty arguments are left out.
fn fact(word: &str, rest: &[&str]) -> String {
    let parts = [word].into_iter().chain(rest.iter().copied().filter(|part| !part.is_empty()));
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use sandboard_abi::Ending;

    use super::*;

    #[test]
    fn facts_about_a_game() {
        let setup = Setup {
            game: "reversi".into(),
            variant: "standard-6".into(),
            start: "2 wb/bw - b".into(),
            moves: "f5 d6".into(),
            seats: vec![0, 2],
            seed: u64::MAX,
            options: Vec::new(),
            memory_bytes: 1,
            threads: 2,
            helper: 0,
            helpers: 0,
            table_slots: 0,
        };
        let check = |setup: &Setup, options: &[(&str, &str)], expected: &str| {
            let lines: Vec<String> = game(setup, options.iter().copied()).collect();
            assert_eq!(lines.join("\n"), expected);
        };
        check(
            &setup,
            &[("skill", "3"), ("book", "")],
            "game reversi standard-6\nstart 2 wb/bw - b\nmoves f5 d6\nseats 0 2\n\
             seed 18446744073709551615\noption skill 3\noption book\nmemory-bytes 1\nthreads 2",
        );
        let fresh = Setup { start: String::new(), moves: String::new(), seed: 0, ..setup };
        let expected =
            "game reversi standard-6\nmoves\nseats 0 2\nseed 0\nmemory-bytes 1\nthreads 2";
        check(&fresh, &[], expected);
    }

    #[test]
    fn facts_about_a_choice() {
        let check = |limits: Limits, barred: &[(&str, &str)], expected: &str| {
            let barred = barred
                .iter()
                .map(|(mv, reason)| Barred { r#move: (*mv).into(), reason: (*reason).into() });
            let barred: Vec<Barred> = barred.collect();
            let lines: Vec<String> = choice(&["f5".into()], 1, &limits, &barred).collect();
            let begin = "moves f5\nto-move 1\n";
            assert_eq!(lines.join("\n"), format!("{begin}{expected}"));
        };
        check(Limits::default(), &[], "unit unlimited\nlines 1");
        // Without a unit there is no limit.
        let unlimited = Limits { call_max: Some(5), grace: 7, depth: Some(4), ..Limits::default() };
        check(unlimited, &[], "unit unlimited\ndepth 4\nlines 1");
        check(
            Limits { unit: Unit::Wall, call_max: Some(20_000), grace: 7, ..Limits::default() },
            &[("d6", "refused: not legal"), ("c4", "")],
            "unit wall\ncall-max 20000\ngrace 7\nlines 1\nbarred d6 refused: not legal\nbarred c4",
        );
        let full = Limits {
            unit: Unit::Cpu,
            call_max: None,
            game_left: Some(1),
            increment: 2,
            moves_to_go: Some(3),
            grace: 0,
            depth: Some(4),
            nodes: Some(5),
            lines: 6,
            others_left: vec![(0, 7), (3, 8)],
            draw_offered: true,
        };
        check(
            full,
            &[],
            "unit cpu\ngame-left 1\nincrement 2\nmoves-to-go 3\ngrace 0\ndepth 4\nnodes 5\nlines 6\n\
             others-left 0 7\nothers-left 3 8\ndraw-offered",
        );
    }

    #[test]
    fn answers() {
        assert_eq!(legal(&Ok("a1 b1".into())), "legal a1 b1");
        assert_eq!(legal(&Ok(String::new())), "legal");
        assert_eq!(legal(&Err("`z9` is no point".into())), "illegal `z9` is no point");
        assert_eq!((left(Some(0)), left(None)), ("left 0".into(), "left unlimited".into()));
        let check = |ending: Option<(&[i32], &str)>, expected: &str| {
            let ending = ending.map(|(scores, reason)| Ending {
                scores: scores.to_vec(),
                reason: reason.to_owned(),
            });
            let view = View { position: "3/3/3 b".into(), to_move: 1, ending };
            assert_eq!(look(&Ok(view)), ["view 1 3/3/3 b", expected]);
        };
        check(None, "open");
        check(Some((&[0, 0], "board full")), "ended 0,0 board full");
        check(Some((&[1, -1], "five in a row")), "ended 1,-1 five in a row");
        check(Some((&[-26, 0, 13, 13], "")), "ended -26,0,13,13");
        assert_eq!(look(&Err("why".into())), ["illegal why"]);
    }
}
