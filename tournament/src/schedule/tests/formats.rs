//! Setups, and the pairs of each format as text.

use std::collections::BTreeMap;

use super::super::setup::PLAYERS_MAX;
use super::*;

/// Checks the pairs as `round:first-second/opening`.
fn check(format: Format, players: usize, expected: &str) {
    let pairs = run(&mut schedule(format, players), 1, 0, &[]);
    let text = |pair: &Pair| {
        let [a, b] = pair.players.both().unwrap();
        format!("{}:{a}-{b}/{}", pair.round, pair.opening)
    };
    assert_eq!(pairs.iter().map(text).collect::<Vec<_>>().join(" "), expected, "{format:?}");
}

#[test]
fn fixed_formats() {
    check(Format::Match { pairs: 3 }, 2, "0:0-1/0 1:0-1/1 2:0-1/2");
    check(Format::Gauntlet { challengers: 1, cycles: 2 }, 3, "0:0-1/0 0:0-2/0 1:0-1/1 1:0-2/1");
    check(Format::Gauntlet { challengers: 2, cycles: 1 }, 4, "0:0-2/0 0:1-2/0 0:0-3/0 0:1-3/0");
    check(Format::RoundRobin { cycles: 1 }, 4, "0:0-3/0 0:1-2/0 1:0-2/1 1:3-1/1 2:0-1/2 2:2-3/2");
    check(Format::RoundRobin { cycles: 1 }, 3, "0:1-2/0 1:0-2/1 2:0-1/2");
}

/// As [`check`] for games of more players.
fn check_tables(format: Format, players: usize, seats: u8, expected: &str) {
    let mut schedule = Schedule::new(setup_of_seats(format, players, seats)).unwrap();
    let text = |table: &Pair| {
        let players = table.players.iter().map(u32::to_string).collect::<Vec<_>>().join("-");
        format!("{}:{players}/{}", table.round, table.opening)
    };
    let tables = run(&mut schedule, 1, 0, &[]);
    assert_eq!(tables.iter().map(text).collect::<Vec<_>>().join(" "), expected, "{format:?}");
}

#[test]
fn formats_of_tables() {
    check_tables(Format::Match { pairs: 2 }, 3, 3, "0:0-2-1/0 1:2-0-1/1");
    check_tables(Format::RoundRobin { cycles: 1 }, 4, 3, "0:2-0-1/0 1:1-3-2/1 2:3-0-2/2 3:0-3-1/3");
    check_tables(
        Format::Swiss { rounds: 3 },
        7,
        3,
        "0:0-6-2/0 0:1-3-5/0 1:0-3-4/1 1:2-5-6/1 2:0-5-4/2 2:2-3-1/2",
    );
    check_tables(
        Format::Ladder { pairs: 12 },
        9,
        3,
        "0:0-6-7/0 0:2-1-3/1 0:5-4-8/2 1:0-2-6/3 1:7-1-5/4 1:3-4-8/5 2:0-4-2/6 2:6-3-8/7 2:7-1-5/8 3:0-3-5/9 3:2-8-7/10 3:4-6-1/11",
    );
}

#[test]
fn byes_of_tables() {
    let mut schedule = Schedule::new(setup_of_seats(Format::Swiss { rounds: 2 }, 5, 4)).unwrap();
    let table = schedule.take().unwrap();
    let unpaired = (0..5).find(|player| !table.players.contains(player)).unwrap();
    // A player who wins all games of a table has 4 · 3 points, which are 24 half points.
    assert_eq!(schedule.byes(), BTreeMap::from([(unpaired, 12)]));
}

fn check_setup(format: Format, players: usize, expected: &str) {
    let found =
        Schedule::new(setup(format, players)).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(found, Err(expected.to_owned()));
}

#[test]
fn invalid_setups_are_refused() {
    check_setup(Format::Swiss { rounds: 3 }, 1, "a tournament needs at least 2 players, not 1");
    check_setup(Format::Match { pairs: 3 }, 3, "a match needs exactly 2 players, not 3");
    let many = "a tournament has at most 2000 players, not 2001";
    check_setup(Format::Ladder { pairs: 1 }, 2001, many);
    let challengers = "2 of 2 players cannot be challengers of a gauntlet: \
                       at least one player must be a challenger, and at least one must not";
    check_setup(Format::Gauntlet { challengers: 2, cycles: 1 }, 2, challengers);
    let check_seats = |format: Format, players: usize, seats: u8, expected: &str| {
        let found = Schedule::new(setup_of_seats(format, players, seats)).map(drop);
        assert_eq!(found.map_err(|error| error.to_string()), Err(expected.to_owned()));
    };
    let swiss = Format::Swiss { rounds: 3 };
    check_seats(swiss, 3, 4, "a tournament needs at least 4 players, not 3");
    check_seats(Format::Match { pairs: 3 }, 5, 4, "a match needs exactly 4 players, not 5");
    check_seats(swiss, 20, 17, "a game of a tournament has 2 to 16 players, not 17");
    check_seats(swiss, 20, 1, "a game of a tournament has 2 to 16 players, not 1");
    let only = "a gauntlet or a knockout needs a game of 2 players, not of 3: choose a round \
                robin, a Swiss system or a ladder";
    check_seats(Format::Knockout { pairs: 1, tie_breaks: 0 }, 4, 3, only);
    check_seats(Format::Gauntlet { challengers: 1, cycles: 1 }, 4, 3, only);
    let sets = "a round robin has at most 1000000 sets of players, not 121399651100: choose a \
                Swiss system or a ladder";
    check_seats(Format::RoundRobin { cycles: 1 }, 50, 12, sets);
    // 70 players have 916,895 sets of four.
    let fits = setup_of_seats(Format::RoundRobin { cycles: 1 }, 70, 4);
    assert!(fits.check().is_ok());
    let most = "a tournament has at most 100000000 pairs, not 100858450";
    check_seats(Format::RoundRobin { cycles: 110 }, 70, 4, most);
    check_setup(Format::RoundRobin { cycles: 0 }, 4, "a tournament of 0 cycles has no games");
    check_setup(
        Format::Match { pairs: u32::MAX },
        2,
        "a tournament has at most 100000000 pairs, not 4294967295",
    );
}

#[test]
fn players_cannot_join_a_full_tournament() {
    let entrants = vec![Entrant::default(); PLAYERS_MAX - 1];
    let setup = Setup { format: Format::Ladder { pairs: 9 }, entrants, seed: 0, seats: 2 };
    let mut schedule = Schedule::new(setup).unwrap();
    let join = Event { from_pair: 5, change: Change::Join(Entrant::default()) };
    assert_eq!(schedule.apply(join), Ok(()));
    assert_eq!(schedule.apply(join), Err(EventError::TooManyPlayers));
}

#[test]
fn a_round_robin_of_tables_admits_players_up_to_its_limit() {
    // 28 players have 376,740 sets of six; 33 players have 1,107,568.
    let setup = setup_of_seats(Format::RoundRobin { cycles: 1 }, 6, 6);
    let mut schedule = Schedule::new(setup).unwrap();
    let from_pair = 9_000_000;
    let join = Event { from_pair, change: Change::Join(Entrant::default()) };
    let joined = (0..99).map_while(|_| schedule.apply(join).ok()).count();
    assert_eq!((joined, schedule.apply(join)), (26, Err(EventError::TooManySets)));
}

/// Checks the pairs of a knockout of players with ratings. `results` are half points of the first
/// player by pair number; 2 if missing.
fn check_knockout(ratings: &[i32], format: Format, results: &[(u32, u16)], expected: &str) {
    let entrants = ratings.iter().map(|rating| Entrant { rating: *rating }).collect();
    let mut schedule = Schedule::new(Setup { format, entrants, seed: 0, seats: 2 }).unwrap();
    let results: BTreeMap<u32, u16> = results.iter().copied().collect();
    let mut text = Vec::new();
    while let Some(pair) = schedule.take() {
        let [a, b] = pair.players.both().unwrap();
        text.push(format!("{}:{a}-{b}", pair.round));
        let half_points = results.get(&pair.number).copied().unwrap_or(2);
        schedule.finish(pair.number, of_first(half_points)).unwrap();
    }
    assert!(schedule.is_complete());
    let rounds_won = schedule.knockout_rounds_won().unwrap().iter();
    let rounds_won: Vec<_> =
        rounds_won.map(|(player, rounds)| format!("{player}:{rounds}")).collect();
    assert_eq!(format!("{} > {}", text.join(" "), rounds_won.join(" ")), expected, "{ratings:?}");
}

#[test]
fn knockouts() {
    let one = Format::Knockout { pairs: 1, tie_breaks: 0 };
    // A level match is won by the better seed. Seeds 0 and 1 meet in the final.
    check_knockout(&[0; 4], one, &[], "0:0-3 0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 4], one, &[(0, 1), (1, 0)], "0:0-3 0:1-2 1:2-3 > 2:2 3:1");
    check_knockout(&[0, 0, 0, 100], one, &[], "0:3-2 0:0-1 1:3-0 > 0:1 3:2");
    // The top seeds get the byes.
    check_knockout(&[0; 3], one, &[], "0:1-2 1:0-1 > 0:2 1:1");
    check_knockout(&[0; 5], one, &[(0, 0)], "0:3-4 1:0-4 1:1-2 2:0-1 > 0:3 1:2 2:1 4:1");
    // Level matches continue, decided ones do not.
    let two = Format::Knockout { pairs: 2, tie_breaks: 2 };
    check_knockout(&[0; 2], two, &[(0, 3)], "0:0-1 0:0-1 > 0:1");
    check_knockout(&[0; 2], two, &[(0, 3), (1, 1), (2, 1)], "0:0-1 0:0-1 0:0-1 > 1:1");
    check_knockout(&[0; 2], two, &[], "0:0-1 0:0-1 0:0-1 0:0-1 > 0:1");
}

/// Checks the forecast, largest and expected, after `played` even pairs.
fn check_forecast(format: Format, players: usize, played: usize, expected: [u64; 2]) {
    let mut schedule = schedule(format, players);
    for _ in 0..played {
        let pair = schedule.take().unwrap();
        schedule.finish(pair.number, of_first(2)).unwrap();
    }
    let found = schedule.forecast();
    assert_eq!([found.pairs_max, found.pairs_expected], expected, "{format:?} {played}");
}

#[test]
fn forecasts() {
    check_forecast(Format::Match { pairs: 90_000_000 }, 2, 0, [90_000_000; 2]);
    check_forecast(Format::Match { pairs: 9 }, 2, 9, [0; 2]);
    check_forecast(Format::RoundRobin { cycles: 2 }, 5, 3, [17; 2]);
    check_forecast(Format::Gauntlet { challengers: 2, cycles: 3 }, 5, 7, [11; 2]);
    check_forecast(Format::Swiss { rounds: 4 }, 7, 4, [8; 2]);
    check_forecast(Format::Ladder { pairs: 30 }, 6, 4, [26; 2]);
    // Two matches and the final; each may have a tie-break.
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 0, [9, 6]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 4, [5, 4]);
    check_forecast(Format::Knockout { pairs: 2, tie_breaks: 1 }, 4, 6, [3, 2]);
}

#[test]
fn byes_of_a_swiss_system() {
    let mut schedule = schedule(Format::Swiss { rounds: 3 }, 3);
    let pair = schedule.take().unwrap();
    let unpaired = (0..3).find(|player| !pair.players.contains(player)).unwrap();
    assert_eq!(schedule.byes(), BTreeMap::from([(unpaired, 4)]));
    schedule.finish(0, Outcome::Void).unwrap();
    // The player with the bye has the points of a win, and the others have none: it plays, and
    // another one gets the bye.
    let pair = schedule.take().unwrap();
    assert_eq!((pair.players[0], schedule.byes().len()), (unpaired, 2));
}

#[test]
fn rounds_in_which_no_pair_meets_twice() {
    let check = |players: u32, expected: u32| assert_eq!(swiss_rounds_max(players), expected);
    check(0, 0);
    check(2, 1);
    check(3, 3);
    check(4, 3);
    check(5, 5);
    check(2000, 1999);
}

#[test]
fn setups_and_events_are_stored_as_json() {
    let format = r#"{"format":"knockout","pairs":2,"tie_breaks":1}"#;
    let text = format!(
        r#"{{"format":{format},"entrants":[{{"rating":5}},{{"rating":0}}],"seed":7,"seats":2}}"#
    );
    let setup: Setup = serde_json::from_str(&text).unwrap();
    assert_eq!(setup.format, Format::Knockout { pairs: 2, tie_breaks: 1 });
    assert_eq!(serde_json::to_string(&setup).unwrap(), text);
    let event = Event { from_pair: 3, change: Change::Withdraw(1) };
    assert_eq!(
        serde_json::to_string(&event).unwrap(),
        r#"{"from_pair":3,"change":{"withdraw":1}}"#
    );
}
