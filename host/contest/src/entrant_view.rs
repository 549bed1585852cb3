//! What an entrant sees of a game: everything of the own engine, and of the other player only its
//! name, its moves, and that it made a fault. Pure.

use sandboard_arena_plan::{GameRow, LiveGame};
use sandboard_bout::record::{EngineRecord, PlayerRecord, PlyRecord, Record};
use sandboard_bout::referee::{BoutResult, EventKind, Termination};
use sandboard_engine::{FaultCode, Usage};

/// The sentence for any fault of another player's engine.
const FAULT_SENTENCE: &str = "made a fault, whose kind only its entrant sees";

/// The record without what the other players keep to themselves: their log, lines, fuel, memory,
/// hashes of module and calls, versions, seeds, refused answers and kinds of faults. `None` if no
/// player is the reader's own. The result cannot be verified; the bundle can, after the contest.
pub fn record_for_entrant(mut record: Record, is_own: impl Fn(&str) -> bool) -> Option<Record> {
    let own: Vec<bool> = record.players.iter().map(|player| is_own(&player.name)).collect();
    if !own.contains(&true) {
        return None;
    }
    let is_own = |player: usize| own.get(player) == Some(&true);
    record.logs.retain(|log| is_own(log.player));
    let at_fault = player_at_fault(&record);
    let own_seats: Vec<u8> = record
        .players
        .iter()
        .zip(&own)
        .filter(|(_, own)| **own)
        .flat_map(|(player, _)| player.seats.clone())
        .collect();
    for ply in record
        .plies
        .iter_mut()
        .filter(|ply| !ply.seat.is_some_and(|seat| own_seats.contains(&seat)))
    {
        hide_ply(ply);
    }
    record.events.retain_mut(|event| hide_event(&mut event.kind, is_own));
    if let Some(player) = at_fault.filter(|player| !is_own(*player))
        && let Some(result) = &mut record.result
    {
        let name = record.players.get(player).map_or("", |player| player.name.as_str());
        hide_fault(result, name);
    }
    for (player, _) in record.players.iter_mut().zip(&own).filter(|(_, own)| !**own) {
        hide_player(player);
    }
    Some(record)
}

/// The row of a game in a list. `players` are the names of the arena's players.
pub fn row_for_entrant(row: GameRow, players: &[String], is_own: impl Fn(&str) -> bool) -> GameRow {
    // In a game with a fault, the last player made it.
    let last = row.players.iter().zip(&row.half_points).min_by_key(|(_, half_points)| *half_points);
    let Some((last, _)) = last else { return row };
    let name = players.get(*last as usize).map_or("", String::as_str);
    match row.fault.is_some() && !is_own(name) {
        true => GameRow { sentence: fault_sentence(name), fault: None, ..row },
        false => row,
    }
}

/// A game in progress, without the scores of the other players' engines and the machine that plays
/// it. `None` if no player is the reader's own. `players` are the names of the arena's players.
pub fn live_for_entrant(
    mut game: LiveGame,
    players: &[String],
    is_own: impl Fn(&str) -> bool,
) -> Option<LiveGame> {
    let name = |player: &u32| players.get(*player as usize).map_or("", String::as_str);
    let own: Vec<bool> = game.players.iter().map(|player| is_own(name(player))).collect();
    if !own.contains(&true) {
        return None;
    }
    for (place, score) in game.scores.iter_mut().enumerate() {
        *score = score.filter(|_| own.get(place) == Some(&true));
    }
    game.worker = None;
    Some(game)
}

fn fault_sentence(name: &str) -> String {
    format!("{name} {FAULT_SENTENCE}")
}

/// The player whose engine ended the bout by a fault, if one did.
fn player_at_fault(record: &Record) -> Option<usize> {
    let result = record.result.as_ref()?;
    let is_fault = matches!(
        result.termination,
        Termination::Timeout
            | Termination::IllegalMove
            | Termination::Fault { .. }
            | Termination::Aborted
    );
    let of_event = |kind: &EventKind| match kind {
        EventKind::Fault { player, .. }
        | EventKind::Overrun { player, .. }
        | EventKind::Refused { player, .. } => Some(*player),
        _ => None,
    };
    record.events.iter().rev().filter(|_| is_fault).find_map(|event| of_event(&event.kind))
}

fn hide_fault(result: &mut BoutResult, name: &str) {
    result.sentence = fault_sentence(name);
    if result.termination != Termination::Aborted {
        result.termination = Termination::Fault { fault: FaultCode::Error };
    }
}

fn hide_ply(ply: &mut PlyRecord) {
    ply.spent = Usage::default();
    ply.clock_left = None;
    ply.line = None;
    ply.origin = None;
    ply.pondering = None;
}

/// Hides what an event tells about another player. Returns false if nothing is left of it.
fn hide_event(kind: &mut EventKind, is_own: impl Fn(usize) -> bool) -> bool {
    match kind {
        EventKind::Refused { player, .. } | EventKind::Overrun { player, .. } => is_own(*player),
        EventKind::Fault { player, code, sentence, call, spent } if !is_own(*player) => {
            (*code, *call, *spent) = (FaultCode::Error, None, Usage::default());
            *sentence = FAULT_SENTENCE.into();
            true
        }
        EventKind::Resigned { player, spent } | EventKind::DrawAccepted { player, spent } => {
            *spent = spent.filter(|_| is_own(*player));
            true
        }
        _ => true,
    }
}

fn hide_player(player: &mut PlayerRecord) {
    player.clock_left = None;
    if let Some(engine) = &mut player.engine {
        *engine = EngineRecord {
            id: engine.id.clone(),
            limits: engine.limits,
            threads: engine.threads,
            ..EngineRecord::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A record of two players, in which player 1 makes the fault.
    fn record() -> Record {
        let player = |name: &str, seat: u8| {
            json!({
                "name": name, "kind": "engine", "seats": [seat], "budget": "fuel:7000/move",
                "clock_left": 4711 + u64::from(seat),
                "engine": {
                    "id": format!("entry-{seat}"), "version": format!("version-of-{name}"),
                    "module_sha256": format!("module-of-{name}"), "options": {}, "seed": 90 + seat,
                },
            })
        };
        let ply = |name: &str, seat: u8| {
            json!({
                "seat": seat, "move": "h8",
                "spent": {
                    "wall_us": 612_300 + u64::from(seat), "fuel": 712_300 + u64::from(seat),
                    "peak_memory_bytes": 812_300 + u64::from(seat), "logged_bytes": 0,
                },
                "line": { "depth": 1, "nodes": 1, "pv": format!("pv-of-{name}") },
                "clock_left": 212_300 + u64::from(seat),
                "origin": (seat == 1).then_some("reported-on-timeout"),
                "pondering": { "wall_us": 112_300 + u64::from(seat), "stop_us": 1 },
            })
        };
        let log = |name: &str, player: u8| json!({ "player": player, "at_ply": 0, "level": "info", "text": format!("log-of-{name}") });
        let gives_up = |event: &str, player: u8, wall_us: u64| {
            json!({
                "at_ply": 0, "event": event, "player": player,
                "spent": { "wall_us": wall_us, "logged_bytes": 0 },
            })
        };
        let of_bob = "used up its 64 MiB of memory";
        let record = json!({
            "format": "sandboard-record", "version": 1, "host": "0", "game": "gomoku",
            "variant": "freestyle-15", "start": null, "seed": 1, "started_at": "", "saved_at": "",
            "settings": {},
            "players": [player("ann", 0), player("bob", 1)],
            "plies": [ply("ann", 0), ply("bob", 1)],
            "events": [
                { "at_ply": 0, "event": "overrun", "player": 1, "spent": 512_301, "allowed": 1 },
                { "at_ply": 0, "event": "overrun", "player": 0, "spent": 512_300, "allowed": 1 },
                gives_up("resigned", 0, 412_300),
                gives_up("resigned", 1, 412_301),
                gives_up("draw-accepted", 0, 312_300),
                gives_up("draw-accepted", 1, 312_301),
                { "at_ply": 1, "event": "refused", "player": 1, "move": "zz", "reason": "answer-of-bob" },
                { "at_ply": 1, "event": "refused", "player": 0, "move": "zy", "reason": "answer-of-ann" },
                {
                    "at_ply": 1, "event": "fault", "player": 1, "code": "memory", "sentence": of_bob,
                    "call": "choose", "spent": { "wall_us": 999, "logged_bytes": 0 },
                },
            ],
            "logs": [log("ann", 0), log("bob", 1)],
            "result": {
                "winner": 0, "termination": "fault", "fault": "memory",
                "sentence": format!("bob {of_bob}"),
            },
        });
        serde_json::from_value(record).unwrap()
    }

    /// Checks which words the record contains for the reader with this name.
    fn check(reader: &str, shown: &[&str], hidden: &[&str]) {
        let record = record_for_entrant(record(), |name| name == reader).unwrap();
        let text = serde_json::to_string(&record).unwrap();
        for word in shown {
            assert!(text.contains(word), "{word} is not in {text}");
        }
        for word in hidden {
            assert!(!text.contains(word), "{word} is in {text}");
        }
    }

    #[test]
    fn an_entrant_sees_of_a_rival_only_its_moves_and_that_it_made_a_fault() {
        let ann = [
            "version-of-ann",
            "module-of-ann",
            "pv-of-ann",
            "log-of-ann",
            "answer-of-ann",
            "612300",
            "712300",
            "812300",
            "512300",
            "412300",
            "312300",
            "212300",
            "112300",
            "4711",
            "\"seed\":90",
        ];
        let bob = [
            "version-of-bob",
            "module-of-bob",
            "pv-of-bob",
            "log-of-bob",
            "answer-of-bob",
            "612301",
            "712301",
            "812301",
            "512301",
            "412301",
            "312301",
            "212301",
            "112301",
            "reported-on-timeout",
            "4712",
            "\"seed\":91",
            "memory\"",
            "64 MiB",
            "999",
            "choose",
        ];
        check("ann", &ann, &bob);
        check("ann", &["bob made a fault, whose kind only its entrant sees"], &["used up"]);
        check("bob", &bob, &ann);
        let both = record_for_entrant(record(), |_| true).unwrap();
        assert_eq!(both, record());
        assert_eq!(record_for_entrant(record(), |_| false), None);
    }

    #[test]
    fn a_list_shows_the_kinds_of_own_faults_only() {
        let check = |half_points: u8, fault: Option<&str>, reader: &str, expected: &str| {
            let row = json!({
                "name": "pair-000001-1", "pair": 0, "round": 0, "opening": null, "players": [1, 0],
                "half_points": [half_points, 2 - half_points], "plies": 3, "sentence": "the sentence", "fault": fault,
                "stored_ms": 0,
            });
            let row: GameRow = serde_json::from_value(row).unwrap();
            let names = ["ann".to_owned(), "bob".to_owned()];
            let row = row_for_entrant(row, &names, |name| name == reader);
            let found: Value = json!([row.sentence, row.fault]);
            assert_eq!(found.to_string(), expected, "{half_points} {fault:?} {reader}");
        };
        let hidden = r#"["bob made a fault, whose kind only its entrant sees",null]"#;
        check(0, Some("memory"), "ann", hidden);
        check(0, Some("memory"), "bob", r#"["the sentence","memory"]"#);
        check(2, Some("memory"), "ann", r#"["the sentence","memory"]"#);
        check(0, None, "ann", r#"["the sentence",null]"#);
        check(1, None, "ann", r#"["the sentence",null]"#);
    }

    #[test]
    fn a_game_in_progress_shows_own_scores_only() {
        let game: LiveGame = serde_json::from_value(json!({
            "name": "pair-000001-1", "round": 0, "players": [1, 0], "start": null,
            "moves": ["h8"], "scores": [31, -30], "worker": "attic",
        }))
        .unwrap();
        let names = ["ann".to_owned(), "bob".to_owned()];
        let shown = |reader: &str| live_for_entrant(game.clone(), &names, |name| name == reader);
        let of_ann = shown("ann").unwrap();
        assert_eq!((of_ann.scores, of_ann.worker), (vec![None, Some(-30)], None));
        assert_eq!(of_ann.moves, ["h8"]);
        assert_eq!(shown("bob").unwrap().scores, [Some(31), None]);
        assert_eq!(shown("eve"), None);
    }
}
