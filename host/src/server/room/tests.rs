//! What a room decides, as values: who may do what, what is done once, what events make of a view.

use serde_json::json;

use super::live::{Live, Stage, Ticket};
use super::view::View;
use super::*;
use crate::referee::BoutResult;
use crate::server::wire::{NewRoom, PlayerState, Ply, Presence};

fn plan(wanted: serde_json::Value) -> Answer<Plan> {
    let wanted: NewRoom = serde_json::from_value(wanted).map_err(|e| Problem::bad("body", e))?;
    Plan::of(wanted, 7)
}

/// Players in a word each: `p` for a person, `e` for an engine; with a budget.
fn players(kinds: &str, budget: &str) -> serde_json::Value {
    let player = |(seat, kind): (usize, char)| {
        let engine = (kind == 'e').then(|| json!({"id": "x"}));
        let person = (kind == 'p').then(|| json!({}));
        json!({"seats": [seat], "budget": budget, "person": person, "engine": engine})
    };
    kinds.chars().enumerate().map(player).collect()
}

fn live(kinds: &str, budget: &str, quick: bool) -> Live {
    let game = if kinds.len() == 4 { "bridge" } else { "gomoku" };
    let wanted = json!({"game": game, "players": players(kinds, budget)});
    let plan = Plan { quick, ..plan(wanted).unwrap() };
    let mut owners: Vec<Option<usize>> = plan.persons().map(Some).collect();
    if owners.is_empty() {
        owners.push(None);
    }
    let tickets = owners.iter().enumerate().map(|(it, owner)| Ticket::new(&it.to_string(), *owner));
    let tickets = tickets.collect();
    Live::new(plan, tickets, Stage::Waiting, &[])
}

#[test]
fn who_is_host() {
    let check = |kinds: &str, quick: bool, expected: &str| {
        let live = live(kinds, "none", quick);
        let host = |ticket| if live.is_host(ticket) { '+' } else { '-' };
        let hosts: String = (0..live.tickets.len()).map(host).collect();
        assert_eq!(hosts, expected, "{kinds} {quick}");
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
fn who_is_missing() {
    let check = |kinds: &str, arrived: &[bool], missing: usize| {
        let room = live(kinds, "none", false);
        let room = Live::new(room.plan, room.tickets, Stage::Waiting, arrived);
        assert_eq!((room.missing(), room.is_complete()), (missing, missing == 0), "{kinds}");
    };
    check("pp", &[], 2);
    check("pp", &[true], 1);
    check("pp", &[true, true], 0);
    check("pe", &[false, true], 1);
    check("pe", &[true, false], 0);
    check("ee", &[], 0);
}

#[test]
fn sides_and_clocks() {
    let room = live("pppp", "none", false);
    let sides = |one, other| room.same_side(one, other);
    assert_eq!([sides(0, 2), sides(0, 1), sides(1, 3), sides(0, 9)], [true, false, true, false]);
    let check = |budget: &str, untimed: bool| {
        assert_eq!(live("pp", budget, false).is_untimed(0), untimed, "{budget}");
    };
    check("none", true);
    check("depth:5", true);
    check("5s/move", false);
    check("3m+2s", false);
}

#[test]
fn a_message_is_seen_once() {
    let mut ticket = Ticket::new("secret", Some(0));
    assert_eq!(ticket.seen("a"), None);
    assert_eq!(ticket.seen("a"), Some(None), "it is under way");
    let ack = Event::Ack { id: "a".into() };
    ticket.answered("a", &ack);
    ticket.answered("never said", &ack);
    assert_eq!(ticket.seen("a"), Some(Some(ack)));
    for number in 0..1000 {
        assert_eq!(ticket.seen(&number.to_string()), None);
    }
    assert_eq!(ticket.seen("a"), None, "that is long ago");
    assert_eq!(ticket.sha256, digest("secret"));
    assert_ne!(ticket.sha256, digest("secreT"));
}

#[test]
fn plans_that_cannot_be() {
    let check = |change: serde_json::Value, place: &str| {
        let mut wanted = json!({"game": "gomoku", "players": players("pp", "5m")});
        for (name, value) in change.as_object().unwrap() {
            wanted[name] = value.clone();
        }
        let told = plan(wanted).map(|_| String::new()).map_err(|it| it.place.unwrap_or_default());
        assert_eq!(told.unwrap_or_else(|place| place), place, "{change}");
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
    check(json!({"host": 5}), "host");
    check(json!({"record": {"format": "x"}}), "record");
}

#[test]
fn an_engine_without_a_limit_gets_one() {
    let budget =
        |kinds: &str, text: &str| live(kinds, text, false).plan.players[0].budget.to_string();
    assert_eq!(budget("ep", "none"), "5s/move");
    assert_eq!(budget("ep", "depth:3"), "depth:3");
    assert_eq!(budget("pe", "none"), "none");
}

#[test]
fn a_rematch_exchanges_the_sides() {
    let check = |kinds: &str, expected: &[u8]| {
        let next = live(kinds, "none", false).plan.rematch(8).unwrap();
        let seats: Vec<u8> = next.players.iter().map(|player| player.seats[0]).collect();
        assert_eq!((seats.as_slice(), next.seed), (expected, 8), "{kinds}");
    };
    check("pp", &[1, 0]);
    check("pe", &[1, 0]);
    check("pppp", &[1, 2, 3, 0]);
}

#[test]
fn events_change_a_view_as_they_change_a_client() {
    let room = live("pp", "5m", false);
    let mut referee = room.plan.referee().unwrap();
    let mut view = first_view(&room, &referee);
    assert_eq!((view.state, view.players[0].state), (State::Waiting, Presence::Open));
    let mut commands = Vec::new();
    referee.handle(0, crate::referee::Event::Begin, &mut commands);
    let position = |moves: &[&str]| {
        let mut game = room.plan.start().unwrap().set_up().unwrap();
        moves.iter().for_each(|mv| drop(game.play(mv).unwrap()));
        show::position(game.as_ref())
    };
    let state = |player, state| PlayerState { player, state };
    view.apply(Event::Presence { players: vec![state(0, Presence::Present)], spectators: 3 });
    let players = (0..2).filter_map(|it| show::player(&referee, it, 0)).collect();
    view.apply(Event::Began { position: position(&[]), players, state: State::Playing });
    assert_eq!((view.state, view.players[0].state), (State::Playing, Presence::Present));
    assert_eq!((view.thinking, view.spectators), (Some(0), 3));
    let ply = |ply: u32, player: usize, mv: &str| Ply {
        ply,
        seat: player as u8,
        player,
        r#move: mv.into(),
        spent_ms: 1,
        clock_ms_left: None,
        line: None,
        mark: None,
    };
    let clocks = || show::clocks(&referee, 0);
    let moved = |view: &mut View, at: u32, moves: &[&str]| {
        let ply = ply(at, at as usize % 2, moves[at as usize]);
        let thinking = Some(1 - at as usize % 2);
        view.apply(Event::Moved { ply, position: position(moves), players: clocks(), thinking });
    };
    moved(&mut view, 0, &["h8"]);
    view.apply(Event::UndoAsked { player: 0, plies: 1 });
    assert_eq!(view.undo_asked.map(|it| it.plies), Some(1));
    moved(&mut view, 1, &["h8", "i9"]);
    assert_eq!((view.undo_asked, view.plies.len(), view.position.to_move), (None, 2, 0));
    view.apply(Event::DrawOffered { player: 1 });
    let undone = position(&["h8"]);
    view.apply(Event::Undone { plies: 1, position: undone, players: clocks(), thinking: Some(1) });
    assert_eq!((view.draw_offered_by, view.plies.len(), view.position.to_move), (None, 1, 1));
    view.apply(Event::Paused { players: clocks() });
    assert_eq!(view.state, State::Paused);
    view.apply(Event::Refused { player: 1, r#move: "h8".into(), reason: "taken".into() });
    assert!(view.log.back().is_some_and(|line| line.at_ply == 1 && line.text.contains("taken")));
    let termination = crate::referee::Termination::Resignation;
    let result = BoutResult { winner: Some(0), termination, score: None, sentence: "x".into() };
    view.apply(Event::Ended { result, players: clocks(), bout: "b".into() });
    assert_eq!((view.state, view.thinking), (State::Over, None));
}
