//! Games with chance, hidden information, moves at the same time, and more than two sides.

use proptest::prelude::*;

use super::super::guessing_game::GUESSING;
use super::*;
use crate::start::StartPosition;

/// Three players of the guessing game, as in [`referee`].
fn guessing(players: &str, seed: u64) -> Referee {
    let setup = |(index, text): (usize, &str)| {
        let (kind, budget) = text.split_once(':').unwrap();
        let kind = if kind == "p" { PlayerKind::Person } else { PlayerKind::Engine };
        let (name, budget) = (format!("n{index}"), budget.parse().unwrap());
        let seats = vec![index as u8];
        PlayerSetup { name, seats, budget, kind, ponder_threads: None }
    };
    let players = players.split(' ').enumerate().map(setup).collect();
    let game = (GUESSING.new)(&GUESSING.default_variant(), None).unwrap();
    Referee::new(game, players, default_settings(), seed).unwrap()
}

const EPE: &str = "e:none p:none e:none";

/// The first coin shows heads with the seed 4, and the second tails.
const BEGIN: &str = "0 begin => began, 0 sees /// [], start 0, 2 sees /// [], start 2, \
         chance gave h, 0 sees h/// [h t], send 0 h, 2 sees ?/// [h t], send 2 ?, ask 0 #1\n";

#[test]
fn seats_decide_at_the_same_time_and_see_what_they_may() {
    let referee = check_from(
        guessing(EPE, 4),
        &[
            BEGIN,
            "0 move 0 #1 h => ask 1 #2
             0 move 1 #2 x => 1 refused x
             0 move 1 #2 t => ask 2 #3
             0 move 2 #3 t => 0 moved h, 1 moved t, 2 moved t, \
                 0 sees h/h/t/t [], send 0 h, send 0 t, send 0 t, \
                 2 sees h/h/t/t [], send 2 h, send 2 t, send 2 t, \
                 chance gave t, 0 sees ht/h/t/t [h t], send 0 t, \
                 2 sees h?/h/t/t [h t], send 2 ?, ask 0 #4
             0 move 0 #4 t => ask 1 #5
             0 move 1 #5 t => ask 2 #6
             0 move 2 #6 h => 0 moved t, 1 moved t, 2 moved h, \
                 0 sees ht/ht/tt/th [], send 0 t, send 0 t, send 0 h, \
                 2 sees ht/ht/tt/th [], send 2 t, send 2 t, send 2 h, \
                 end: side 0: n0 (red) wins: both coins are guessed \
                 (scores of the seats: 2, 1, 0)",
        ]
        .concat(),
    );
    let result = referee.result().unwrap();
    assert_eq!((&*result.scores, result.winner), (&[2, 1, 0][..], Some(0)));
    let seats: Vec<_> = referee.plies().iter().map(|ply| ply.seat).collect();
    assert_eq!(seats, [None, Some(0), Some(1), Some(2), None, Some(0), Some(1), Some(2)]);
    assert_eq!(referee.position_for(Viewer::Spectator), "ht/ht/tt/th", "it is over");
}

/// What a viewer sees of a bout in progress: the position, the moves, and a fresh instance's setup.
fn seen(referee: &Referee, viewer: Viewer) -> (String, Vec<&str>, String) {
    let moves = referee.moves_for(viewer).map(|(_, text)| text).collect();
    let setup = match viewer {
        Viewer::Player(player) => {
            let info = referee.game().info();
            let start = StartPosition::new(info, info.default_variant(), None);
            referee.engine_setup(&start, player, referee.plies().len()).moves
        }
        _ => String::new(),
    };
    (referee.position_for(viewer), moves, setup)
}

#[test]
fn viewers_see_different_moves_while_the_bout_is_in_progress() {
    let script = "0 move 0 #1 h => ask 1 #2\n0 move 1 #2 t => ask 2 #3";
    let referee = check_from(guessing(EPE, 4), &[BEGIN, script].concat());
    let check = |viewer, position: &str, moves: &[&str], setup: &str| {
        assert_eq!(seen(&referee, viewer), (position.into(), moves.to_vec(), setup.into()));
        assert_eq!(referee.shows_output_to(viewer), viewer == Viewer::Everything);
    };
    check(Viewer::Player(0), "h///", &["h"], "h");
    check(Viewer::Player(1), "?///", &["?"], "?");
    check(Viewer::Spectator, "?///", &[], "");
    check(Viewer::Everything, "h///", &["h"], "");
    assert_eq!((referee.seat_to_move(), &*referee.legal_moves()), (Some(Seat(2)), "h t"));
    assert_eq!(referee.observation(0).unwrap().legal, "h t", "its own guess is not played yet");
    assert_eq!(referee.diagram_for(Viewer::Player(1)), "?///\n");
}

#[test]
fn what_needs_two_sides_or_an_open_game_is_refused() {
    let check = |event: &str, expected: &str| {
        let script = format!("0 {event} => {expected}");
        check_from(
            guessing("p:none p:none p:none", 4),
            &format!("0 begin => began, chance gave h, ask 0 #1\n{script}"),
        );
    };
    check("resign 1", "no: only a game of two sides can be resigned");
    check("offer 1", "no: draws cannot be offered in this bout");
    check("undo 1", "no: moves cannot be undone in this bout");
    // An engine that resigns gets another request.
    let script = "0 resigns 0 #1 => 0 refused resign left 1, ask 0 #2 not resign
         0 resigns 0 #2 => 0 refused resign left 0, \
             end: no winner: n0 (red) loses: the move `resign` is illegal: only a game of two \
             sides can be resigned";
    let referee = check_from(guessing(EPE, 4), &[BEGIN, script].concat());
    assert_eq!(referee.result().unwrap().scores, [-1, 1, 1]);
    let settings = referee.settings();
    assert_eq!((settings.undo, settings.draw_offers), (false, false));
}

#[test]
fn a_timeout_in_a_step_keeps_the_reported_move_until_all_have_chosen() {
    let mut referee = guessing("e:1s/move e:none e:none", 4);
    referee.settings.on_timeout = TimeoutPolicy::PlayReported;
    let sees = |player: u8, view: &str| format!("{player} sees {view}");
    let referee = check_from(
        referee,
        &format!(
            "0 begin => began, {}, start 0, {}, start 1, {}, start 2, chance gave h, \
                 {}, send 0 h, {}, send 1 ?, {}, send 2 ?, arm 2050001, ask 0 #1
             0 fault 0 #1 timeout spent 3000000 reported x,t => 0 fault timeout, \
                 0 overrun 3000000/1000000, 0 sees h/// [h t], start 0, disarm, ask 1 #2
             0 move 1 #2 h => ask 2 #3",
            sees(0, "/// []"),
            sees(1, "/// []"),
            sees(2, "/// []"),
            sees(0, "h/// [h t]"),
            sees(1, "?/// [h t]"),
            sees(2, "?/// [h t]"),
        ),
    );
    assert_eq!((referee.plies().len(), referee.chosen_plies()), (1, 3));
}

#[test]
fn a_player_has_one_seat_where_seats_do_not_know_the_same() {
    let game = (GUESSING.new)(&GUESSING.default_variant(), None).unwrap();
    let player = |seats: &[u8]| PlayerSetup {
        name: "n".into(),
        seats: seats.into(),
        budget: "none".parse().unwrap(),
        kind: PlayerKind::Engine,
        ponder_threads: None,
    };
    let error = Referee::new(game, vec![player(&[0, 1]), player(&[2])], default_settings(), 0);
    let expected = "player 0 has 2 seats; in guessing a player has one seat, because a seat does \
                    not know what others see or choose";
    assert_eq!(error.err().unwrap().to_string(), expected);
}

/// Plays with these guesses until the bout is over, or a step is not complete. Returns what each
/// engine was sent: observations, moves and requests.
fn play(referee: &mut Referee, guesses: &[bool]) -> [Vec<String>; 3] {
    let mut sent = [const { Vec::new() }; 3];
    let mut guesses = guesses.iter();
    let mut events = vec![Event::Begin];
    while let Some(event) = events.pop() {
        let mut out = Vec::new();
        referee.handle(0, event, &mut out);
        for command in &out {
            let player = match command {
                Command::Start { player, .. }
                | Command::Observe { player, .. }
                | Command::SendMove { player, .. }
                | Command::RequestMove { player, .. } => *player,
                _ => continue,
            };
            sent[player].push(brief(referee, command));
            if let Command::RequestMove { call, .. } = command
                && let Some(guess) = guesses.next()
            {
                let guess = if *guess { "h" } else { "t" };
                events.push(super::event(&format!("move {player} #{call} {guess}")));
            }
        }
    }
    sent
}

#[test]
fn an_earlier_session_is_restored_with_the_same_coins() {
    let mut played = guessing("e:none e:none e:none", 5);
    play(&mut played, &[true, false, true, true]);
    let plies = played.plies().to_vec();
    assert_eq!((plies.len(), played.chosen_plies()), (5, 6));
    let restore = |plies: Vec<Ply>, seed: u64| {
        let mut referee = guessing("e:none e:none e:none", seed);
        referee.restore(plies, Vec::new(), 0).map_err(|error| error.to_string())?;
        Ok::<_, String>(referee)
    };
    let referee = restore(plies.clone(), 5).unwrap();
    assert_eq!(referee.plies(), plies, "also what was seen");
    assert_eq!(referee.game().position(), played.game().position());
    let check = |plies: Vec<Ply>, seed: u64, expected: &str| {
        assert_eq!(restore(plies, seed).map(drop).unwrap_err(), expected);
    };
    // The choice of the step that was not complete is lost: its seats are asked again.
    let incomplete = "ply 1 cannot be played again: other seats of its step did not move";
    check(plies[..3].to_vec(), 5, incomplete);
    let other = if &*plies[0].mv == "h" { "t" } else { "h" };
    let forged = Ply { mv: other.into(), ..plies[0].clone() };
    let reason = format!("chance gave `{}` there, by the seed of the bout", plies[0].mv);
    check(vec![forged], 5, &format!("ply 0 cannot be played again: {reason}"));
    let illegal = Ply { mv: "x".into(), ..plies[1].clone() };
    let reason = "ply 1 cannot be played again: `x` is refused: it is not a legal move";
    check(vec![plies[0].clone(), illegal], 5, reason);
}

#[test]
fn coins_follow_their_weights_and_the_seed() {
    let coin = |seed| {
        let mut referee = guessing("e:none e:none e:none", seed);
        play(&mut referee, &[]);
        referee.plies()[0].mv.to_string()
    };
    let heads = (0..1000).filter(|seed| coin(*seed) == "h").count();
    // Expected: 750, with a standard deviation of 14.
    assert!((680..820).contains(&heads), "{heads}");
    assert_eq!(coin(77), coin(77));
}

proptest! {
    /// Seats 1 and 2 are sent the same, whatever the coin of the current round is, and whatever the
    /// other seats have chosen in the current step.
    #[test]
    fn nothing_that_is_hidden_reaches_an_engine(seeds: [u64; 2], own: bool, others: [bool; 4]) {
        let sent = |seed, guesses: &[bool]| {
            let mut referee = guessing("e:none e:none e:none", seed);
            play(&mut referee, guesses)
        };
        let [a, b, c, d] = others;
        let (one, other) = (sent(seeds[0], &[a, own]), sent(seeds[1], &[b, own]));
        prop_assert_eq!(&one[1], &other[1]);
        prop_assert_eq!(&one[2], &other[2]);
        // In the second round, after the same first one.
        let second = |guesses: [bool; 4]| sent(seeds[0], &guesses);
        let (one, other) = (second([a, b, c, true]), second([a, b, c, false]));
        prop_assert_eq!(&one[1], &other[1]);
        prop_assert_eq!(&one[2], &other[2]);
        // A finished step is shown.
        let shown = second([a, b, !c, d]);
        prop_assert_ne!(&one[1], &shown[1]);
    }
}
