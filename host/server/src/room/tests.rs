//! Tests what a room decides without threads and sockets: permissions, repeated messages, plans,
//! and how events change a view.

use serde_json::json;

use super::state::{RoomPhase, RoomState, Ticket};
use super::view::View;
use super::*;
use crate::problem::ProblemKind;
use crate::wire::{NewRoom, PlayerState, Ply, Presence};
use sandboard_bout::referee::BoutResult;
use sandboard_games::Games;

fn plan(request: serde_json::Value) -> ApiResult<Plan> {
    let request: NewRoom =
        serde_json::from_value(request).map_err(|e| Problem::bad_request("body", e))?;
    Plan::from_request(&Games::default(), request, 7)
}

/// One letter for each player: `p` for a person, `e` for an engine; with a budget.
fn players(kinds: &str, budget: &str) -> serde_json::Value {
    let player = |(seat, kind): (usize, char)| {
        let engine = (kind == 'e').then(|| json!({"id": "x"}));
        let person = (kind == 'p').then(|| json!({}));
        json!({"seats": [seat], "budget": budget, "person": person, "engine": engine})
    };
    kinds.chars().enumerate().map(player).collect()
}

fn room_state(kinds: &str, budget: &str, quick_game: bool) -> RoomState {
    let game = if kinds.len() == 4 { "bridge" } else { "gomoku" };
    let request = json!({"game": game, "players": players(kinds, budget)});
    let plan = Plan { quick_game, ..plan(request).unwrap() };
    let mut owners: Vec<Option<usize>> = plan.persons().map(Some).collect();
    if owners.is_empty() {
        owners.push(None);
    }
    let tickets = owners.iter().enumerate().map(|(it, owner)| Ticket::new(&it.to_string(), *owner));
    let tickets = tickets.collect();
    RoomState::new(plan, tickets, RoomPhase::Waiting, &[])
}

#[test]
fn host_tickets_are_recognised() {
    let check = |kinds: &str, quick_game: bool, expected: &str| {
        let state = room_state(kinds, "none", quick_game);
        let host = |ticket| if state.is_host(ticket) { '+' } else { '-' };
        let hosts: String = (0..state.tickets.len()).map(host).collect();
        assert_eq!(hosts, expected, "{kinds} {quick_game}");
    };
    check("pp", false, "+-");
    check("pp", true, "--");
    check("pe", false, "+");
    check("ep", false, "+");
    check("ee", false, "+");
    check("pppp", false, "+---");
    check("eppe", false, "+-");
}

#[test]
fn rooms_are_closed_before_the_bout_by_their_host_or_a_waiting_player() {
    let check = |kinds: &str, quick_game: bool, expected: &str| {
        let state = room_state(kinds, "none", quick_game);
        let close = |ticket| if state.may_close(ticket) { '+' } else { '-' };
        let closers: String = (0..state.tickets.len()).map(close).collect();
        assert_eq!(closers, expected, "{kinds} {quick_game}");
    };
    check("pp", false, "+-");
    check("pp", true, "++");
    check("ep", false, "+");
    check("ee", false, "+");
}

#[test]
fn a_person_who_chooses_a_name_gets_it_once() {
    let request = |person: serde_json::Value| {
        let guest = json!({"name": "Guest", "seats": [1], "budget": "", "person": person});
        let host = json!({"name": "Anna", "seats": [0], "budget": "", "person": {}});
        json!({"game": "gomoku", "players": [host, guest]})
    };
    let check = |person: serde_json::Value, names: [&str; 2], expected: &str| {
        let plan = plan(request(person)).unwrap();
        let mut state = RoomState::new(plan, Vec::new(), RoomPhase::Waiting, &[]);
        for name in names {
            state.choose_name(1, name);
        }
        assert_eq!(
            (&*state.plan.players[0].name, &*state.plan.players[1].name),
            ("Anna", expected)
        );
    };
    check(json!({"chooses_name": true}), ["Cy", "Dan"], "Cy");
    check(json!({"chooses_name": true}), ["", "Dan"], "Guest");
    check(json!({"chooses_name": false}), ["Cy", "Dan"], "Guest");
    check(json!({}), ["Cy", "Dan"], "Guest");
}

#[test]
fn chance_gives_the_seats_where_it_is_asked_for() {
    let seats = |random: bool, seed: u64| -> String {
        let request =
            json!({"game": "gomoku", "players": players("pe", "5m"), "random_seats": random});
        let request: NewRoom = serde_json::from_value(request).unwrap();
        let plan = Plan::from_request(&Games::default(), request, seed).unwrap();
        assert!(plan.players[0].engine.is_none(), "the order of the players stays");
        plan.players.iter().map(|player| player.seats[0].to_string()).collect()
    };
    let swapped = |random| (0..100).filter(|seed| seats(random, *seed) == "10").count();
    assert_eq!(swapped(false), 0);
    // Of 100 fair coins, fewer than 25 or more than 75 are heads once in three million times.
    assert!((25..=75).contains(&swapped(true)), "{}", swapped(true));
}

#[test]
fn open_seats_are_counted() {
    let check = |kinds: &str, joined: &[bool], open_seats: usize| {
        let room = room_state(kinds, "none", false);
        let room = RoomState::new(room.plan, room.tickets, RoomPhase::Waiting, joined);
        assert_eq!(
            (room.open_seats(), room.all_players_joined()),
            (open_seats, open_seats == 0),
            "{kinds}"
        );
    };
    check("pp", &[], 2);
    check("pp", &[true], 1);
    check("pp", &[true, true], 0);
    check("pe", &[false, true], 1);
    check("pe", &[true, false], 0);
    check("ee", &[], 0);
}

#[test]
fn sides_and_untimed_players_are_recognised() {
    let room = room_state("pppp", "none", false);
    let sides = |one, other| room.same_side(one, other);
    assert_eq!([sides(0, 2), sides(0, 1), sides(1, 3), sides(0, 9)], [true, false, true, false]);
    let four = RoomState { sides: 4, ..room_state("pppp", "none", false) };
    assert_eq!([four.same_side(0, 2), four.same_side(1, 1)], [false, true]);
    let check = |budget: &str, untimed: bool| {
        assert_eq!(room_state("pp", budget, false).is_untimed(0), untimed, "{budget}");
    };
    check("none", true);
    check("depth:5", true);
    check("5s/move", false);
    check("3m+2s", false);
}

#[test]
fn a_repeated_message_gets_the_same_answer() {
    let mut ticket = Ticket::new("secret", Some(0));
    assert_eq!(ticket.register_message("a"), None);
    assert_eq!(ticket.register_message("a"), Some(None), "there is no result yet");
    let ack = Event::Ack { id: "a".into() };
    ticket.record_result("a", &ack);
    ticket.record_result("unknown", &ack);
    assert_eq!(ticket.register_message("a"), Some(Some(ack)));
    for number in 0..1000 {
        assert_eq!(ticket.register_message(&number.to_string()), None);
    }
    assert_eq!(ticket.register_message("a"), None, "old ids are forgotten");
    assert_eq!(ticket.sha256, digest("secret"));
    assert_ne!(ticket.sha256, digest("secreT"));
}

#[test]
fn invalid_plans_are_refused() {
    let check = |change: serde_json::Value, expected: &str| {
        let mut request = json!({"game": "gomoku", "players": players("pp", "5m")});
        for (name, value) in change.as_object().unwrap() {
            request[name] = value.clone();
        }
        let location =
            plan(request).map(|_| String::new()).map_err(|it| it.location.unwrap_or_default());
        assert_eq!(location.unwrap_or_else(|location| location), expected, "{change}");
    };
    check(json!({}), "");
    check(json!({"variant": "renju-contest:fifths=3"}), "");
    check(json!({"variant": "renju-contest:fifths=300"}), "variant");
    check(json!({"players": players("p", "5m")}), "players");
    check(json!({"players": players("ppp", "5m")}), "players");
    check(json!({"players": players("pp", "cpu:5s/move")}), "players[0].budget");
    check(json!({"players": players("p?", "5m")}), "players[1].person");
    check(json!({"moves": ["h8", "nowhere"]}), "moves[1]");
    check(json!({"start": "5/5/5/5/xxxxx w"}), "start");
    check(json!({"host": 1}), "");
    check(json!({"settings": {"grace_ms": 60_000, "first_move_ms": 3_600_000}}), "");
    check(json!({"settings": {"grace_ms": 60_001}}), "settings.grace_ms");
    check(json!({"settings": {"first_move_ms": 3_600_001}}), "settings.first_move_ms");
    check(json!({"host": 5}), "host");
    check(json!({"record": {"format": "x"}}), "record");
}

#[test]
fn a_room_keeps_the_moves_before_the_bout() {
    let check = |change: serde_json::Value, moves: &[&str], position: &str| {
        let mut request = json!({"game": "gomoku", "players": players("pp", "5m")});
        for (name, value) in change.as_object().unwrap() {
            request[name] = value.clone();
        }
        let request: NewRoom = serde_json::from_value(request).unwrap();
        let plan = Plan::from_request(&Games::default(), request, 3).unwrap();
        // Stored plans begin with the same moves.
        let stored = serde_json::to_string(&plan).unwrap();
        let plan: Plan = serde_json::from_str(&stored).unwrap();
        assert_eq!(plan.opening, moves, "{change}");
        let referee = plan.new_referee(&Games::default()).unwrap();
        assert_eq!((referee.game().position().as_str(), referee.plies().len()), (position, 0));
        let next = plan.rematch(&Games::default(), 8);
        assert_eq!(next.unwrap().opening, moves, "a rematch");
    };
    let variant = "freestyle-5";
    check(json!({"variant": variant}), &[], "5/5/5/5/5 b");
    // Texts become canonical.
    let moves = json!({"variant": variant, "moves": ["A1", "b2"]});
    check(moves, &["a1", "b2"], "5/5/5/1o3/x4 b");
    let moves = json!({"variant": variant, "start": "5/5/5/5/x4 w", "moves": ["b2"]});
    check(moves, &["b2"], "5/5/5/1o3/x4 b");
}

#[test]
fn an_engine_without_a_limit_gets_one() {
    let budget =
        |kinds: &str, text: &str| room_state(kinds, text, false).plan.players[0].budget.to_string();
    assert_eq!(budget("ep", "none"), "5s/move");
    assert_eq!(budget("ep", "depth:3"), "depth:3");
    assert_eq!(budget("pe", "none"), "none");
}

#[test]
fn a_rematch_exchanges_the_sides() {
    let check = |kinds: &str, expected: &[u8]| {
        let next = room_state(kinds, "none", false).plan.rematch(&Games::default(), 8).unwrap();
        let seats: Vec<u8> = next.players.iter().map(|player| player.seats[0]).collect();
        assert_eq!((seats.as_slice(), next.seed), (expected, 8), "{kinds}");
    };
    check("pp", &[1, 0]);
    check("pe", &[1, 0]);
    check("pppp", &[1, 2, 3, 0]);
}

#[test]
fn events_change_a_view_as_they_change_a_client() {
    let room = room_state("pp", "5m", false);
    let mut referee = room.plan.new_referee(&Games::default()).unwrap();
    let mut view = initial_view(&room, &referee);
    assert_eq!((view.state, view.players[0].state), (State::Waiting, Presence::Open));
    let mut commands = Vec::new();
    referee.handle(0, sandboard_bout::referee::Event::Begin, &mut commands);
    let position = |moves: &[&str]| {
        let mut game = room.plan.start(&Games::default()).unwrap().set_up().unwrap();
        moves.iter().for_each(|mv| drop(game.play(mv).unwrap()));
        wire_views::position(game.as_ref())
    };
    let state = |player, state| PlayerState { player, state };
    view.apply(Event::Presence { players: vec![state(0, Presence::Present)], spectators: 3 });
    let players = (0..2).filter_map(|it| wire_views::player(&referee, it, 0)).collect();
    view.apply(Event::Began { position: position(&[]), players, state: State::Playing });
    assert_eq!((view.state, view.players[0].state), (State::Playing, Presence::Present));
    assert_eq!((view.thinking, view.spectators), (Some(0), 3));
    let ply = |ply: u32, player: usize, mv: &str| Ply {
        ply,
        seat: Some(player as u8),
        player: Some(player),
        r#move: mv.into(),
        spent_ms: 1,
        clock_ms_left: None,
        line: None,
        origin: None,
    };
    let clocks = || wire_views::clocks(&referee, 0);
    let moved = |view: &mut View, at: u32, moves: &[&str]| {
        let ply = ply(at, at as usize % 2, moves[at as usize]);
        let thinking = Some(1 - at as usize % 2);
        view.apply(Event::Moved { ply, position: position(moves), players: clocks(), thinking });
    };
    moved(&mut view, 0, &["h8"]);
    view.apply(Event::UndoRequested { player: 0, plies: 1 });
    assert_eq!(view.undo_request.map(|it| it.plies), Some(1));
    moved(&mut view, 1, &["h8", "i9"]);
    assert_eq!((view.undo_request, view.plies.len(), view.position.to_move), (None, 2, 0));
    view.apply(Event::DrawOffered { player: 1 });
    let undone = position(&["h8"]);
    view.apply(Event::Undone { plies: 1, position: undone, players: clocks(), thinking: Some(1) });
    assert_eq!((view.draw_offered_by, view.plies.len(), view.position.to_move), (None, 1, 1));
    view.apply(Event::DrawOffered { player: 1 });
    view.apply(Event::UndoRequested { player: 0, plies: 1 });
    let players = (0..2).filter_map(|it| wire_views::player(&referee, it, 0)).collect();
    view.apply(Event::Began { position: position(&["h8"]), players, state: State::Playing });
    assert_eq!((view.draw_offered_by, view.undo_request), (None, None), "a resumed bout");
    view.apply(Event::Paused { players: clocks() });
    assert_eq!(view.state, State::Paused);
    view.apply(Event::refused(1, "h8".into(), "taken".into()));
    assert!(view.log.back().is_some_and(|line| line.at_ply == 1 && line.text.contains("taken")));
    let termination = sandboard_bout::referee::Termination::Resignation;
    let result =
        BoutResult { winner: Some(0), termination, scores: vec![1, -1], sentence: "x".into() };
    view.apply(Event::Ended { result: result.into(), players: clocks(), bout: "b".into() });
    assert_eq!((view.state, view.thinking), (State::Over, None));
}

#[test]
fn a_room_loads_one_engine_at_a_time() {
    let mut state = room_state("pp", "none", false);
    assert!(state.begin_engine_load().is_ok());
    assert_eq!(state.begin_engine_load().unwrap_err().kind, ProblemKind::TooMany);
    state.loading_engine = false;
    assert!(state.begin_engine_load().is_ok());
}
