//! Lies about single games of the arena, and what a liar knows about their records.

use serde_json::{Value, json};

use super::arena_lies::{FAULTY, RANDOM, SIMPLE};
use super::lies::Lie;

/// The lies about single games.
pub(super) const ABOUT_GAMES: &[Lie] = &[
    Lie::arena("move", "differs", ": random-mover: the replay chose `", |it| {
        it.record(by_rules, |record| {
            let ply = plies_of(record, RANDOM)[0];
            record["plies"][ply]["move"] = free_point(record);
        });
    }),
    Lie::arena("moves-in-another-order", "differs", ": gomoku-simple: the replay chose `", |it| {
        it.record(by_rules, |record| {
            let plies = plies_of(record, SIMPLE);
            let first = record["plies"][plies[0]]["move"].take();
            let second = record["plies"][plies[1]]["move"].take();
            record["plies"][plies[0]]["move"] = second;
            record["plies"][plies[1]]["move"] = first;
        });
    }),
    Lie::arena("last-move-of-a-draw", "differs", "ply 9 differs: gomoku-simple", |it| {
        it.record(by_limit, |record| record["plies"][9]["move"] = free_point(record));
    }),
    Lie::arena("winning-move", "differs", "result: the moves do not lead to an end", |it| {
        it.record(by_rules, |record| {
            let last = plies(record) - 1;
            record["plies"][last]["move"] = free_point(record);
        });
    }),
    Lie::arena("moves-after-the-end", "differs", "].move: the game is over", |it| {
        it.record(by_rules, |record| {
            let at = plies(record) - 2;
            let mut more = record["plies"][at].clone();
            more["move"] = free_point(record);
            record["plies"].as_array_mut().unwrap().push(more);
        });
    }),
    Lie::arena("fuel-one-unit-more", "differs", "the replay took ", |it| {
        it.record(by_rules, |record| {
            let ply = plies_of(record, SIMPLE)[1];
            add(&mut record["plies"][ply]["spent"]["fuel"], 1);
        });
    }),
    // The clock of the game pays for each unit.
    Lie::arena("fuel-one-unit-less", "differs", " fuel, the record has ", |it| {
        it.record(by_rules, |record| {
            let of_player = plies_of(record, RANDOM);
            add(&mut record["plies"][of_player[1]]["spent"]["fuel"], -1);
            for ply in &of_player[1..] {
                add(&mut record["plies"][*ply]["clock_left"], 1);
            }
            settle_clock(record);
        });
    }),
    Lie::arena("clock-after-a-move", "differs", "].clock_left: ", |it| {
        it.record(by_rules, |record| {
            let ply = plies_of(record, RANDOM)[1];
            add(&mut record["plies"][ply]["clock_left"], 1000);
        });
    }),
    Lie::arena("clock-at-the-end", "differs", "].clock_left: ", |it| {
        it.record(by_rules, |record| {
            let player = index_of(record, RANDOM);
            add(&mut record["players"][player]["clock_left"], 1000);
        });
    }),
    Lie::arena("peak-memory", "differs", " bytes of memory, the record has ", |it| {
        it.record(by_limit, |record| {
            let ply = plies_of(record, SIMPLE)[0];
            add(&mut record["plies"][ply]["spent"]["peak_memory_bytes"], -65536);
        });
    }),
    Lie::arena("logged-bytes", "differs", " bytes of log, the record has ", |it| {
        it.record(by_limit, |record| {
            let ply = plies_of(record, RANDOM)[2];
            add(&mut record["plies"][ply]["spent"]["logged_bytes"], 64);
        });
    }),
    Lie::arena("transcript", "differs", "but another transcript of the call", |it| {
        it.record(by_limit, |record| {
            let of_player = plies_of(record, SIMPLE);
            let other = record["plies"][of_player[0]]["spent"]["transcript_hash"].clone();
            record["plies"][of_player[1]]["spent"]["transcript_hash"] = other;
        });
    }),
    Lie::arena("score", "differs", "the replay gives its move a score of ", |it| {
        it.record(by_limit, |record| {
            let ply = plies_of(record, SIMPLE)[0];
            add(&mut record["plies"][ply]["line"]["score"], 1);
        });
    }),
    Lie::arena("proved-score", "differs", ", the record has a proved score of ", |it| {
        it.record(by_limit, |record| {
            let ply = plies_of(record, SIMPLE)[0];
            record["plies"][ply]["line"]["bound"] = json!("exact");
        });
    }),
    Lie::arena("draw-offer", "differs", "` and offered a draw", |it| {
        it.record(by_rules, |record| offer_draw(record, RANDOM, 1));
    }),
    Lie::arena("agreed-draw", "differs", "`, the record accepted a draw", |it| {
        it.record(by_rules, |record| {
            let (loses, at) = (index_of(record, RANDOM), plies_of(record, RANDOM)[2]);
            let spent = end(record, at);
            offer_draw(record, SIMPLE, at / 2);
            let accepted = json!({ "event": "draw-accepted", "player": loses, "spent": spent });
            push_event(record, at, accepted);
            let draw = json!({ "winner": null, "termination": "draw-agreed", "scores": [0, 0] });
            set_result(record, draw, "draw: agreed");
        });
    }),
    Lie::arena("resignation", "differs", "`, the record resigned", |it| {
        it.record(by_rules, |record| {
            let loses = index_of(record, RANDOM);
            let at = plies_of(record, RANDOM)[1];
            let spent = end(record, at);
            push_event(record, at, json!({ "event": "resigned", "player": loses, "spent": spent }));
            let mut result = record["result"].take();
            result.as_object_mut().unwrap().remove("rule");
            result["termination"] = json!("resignation");
            let sentence = format!("{} resigns", with_side(record, RANDOM));
            set_result(record, result, &sentence);
        });
    }),
    Lie::arena("fault-made-up", "differs", "(crash)", |it| {
        it.record(by_rules, |record| {
            let loses = index_of(record, RANDOM);
            let at = plies_of(record, RANDOM)[1];
            let spent = end(record, at);
            // A call that ends in a fault is not charged.
            settle_clock(record);
            let words = "trapped: unreachable";
            push_event(
                record,
                at,
                json!({
                    "event": "fault", "player": loses, "code": "crash", "sentence": words,
                    "call": "choose", "spent": spent,
                }),
            );
            let mut result = record["result"].take();
            result.as_object_mut().unwrap().remove("rule");
            (result["termination"], result["fault"]) = (json!("fault"), json!("crash"));
            let sentence = format!("{} loses: it {words}", with_side(record, RANDOM));
            set_result(record, result, &sentence);
        });
    }),
    Lie::arena("fault-hidden", "differs", "(error); the record has: resigned", |it| {
        it.record(by_fault, |record| {
            let fault = record["events"].as_array_mut().unwrap().pop().unwrap();
            let (at, player) = (plies(record), &fault["player"]);
            let resigned =
                json!({ "event": "resigned", "player": player, "spent": fault["spent"] });
            push_event(record, at, resigned);
            let mut result = record["result"].take();
            result.as_object_mut().unwrap().remove("fault");
            result["termination"] = json!("resignation");
            let sentence = format!("{} resigns", with_side(record, FAULTY));
            set_result(record, result, &sentence);
        });
    }),
    Lie::arena("fault-with-another-code", "differs", "; the record has: answered with", |it| {
        it.record(by_fault, |record| {
            record["events"][2]["code"] = json!("protocol");
            record["result"]["fault"] = json!("protocol");
        });
    }),
    Lie::arena("fault-with-another-sentence", "differs", "an error: asked to fail (error)", |it| {
        it.record(by_fault, |record| {
            let words = "answered with an error: out of book";
            record["events"][2]["sentence"] = json!(words);
            let sentence = format!("{} loses: it {words}", with_side(record, FAULTY));
            record["result"]["sentence"] = json!(sentence);
        });
    }),
    Lie::arena("fault-for-more-fuel", "differs", " fuel, the record has ", |it| {
        it.record(by_fault, |record| add(&mut record["events"][2]["spent"]["fuel"], 1_000));
    }),
    // The loser agrees with scores that it never gave.
    Lie::arena("adjudicated", "differs", "the replay gives its move no score, the record", |it| {
        it.record(by_rules, |record| {
            let leads = |ply: &usize| record["plies"][*ply]["line"]["score"].as_i64() >= Some(200);
            let ahead = plies_of(record, SIMPLE).into_iter().find(leads).unwrap();
            let mut line = record["plies"][ahead]["line"].clone();
            line["score"] = json!(-line["score"].as_i64().unwrap());
            record["plies"][ahead + 1]["line"] = line;
            end(record, ahead + 2);
            let mut result = record["result"].take();
            result.as_object_mut().unwrap().remove("rule");
            (result["termination"], result["by"]) = (json!("adjudicated"), json!("win"));
            let how = "both sides saw it ahead by 200 or more for 2 plies";
            let sentence = format!("{} wins by adjudication: {how}", with_side(record, SIMPLE));
            set_result(record, result, &sentence);
        });
    }),
    Lie::arena("result-turned-round", "differs", "ends with: gomoku-simple (", |it| {
        it.record(by_rules, turn_result);
    }),
    Lie::arena("draw-as-a-win", "differs", "result: the bout ends with: draw: ", |it| {
        it.record(by_limit, |record| {
            let seat = record["players"][index_of(record, RANDOM)]["seats"][0].as_u64().unwrap();
            let scores = if seat == 0 { [1, -1] } else { [-1, 1] };
            let sentence = format!("{} wins: five in a row", with_side(record, RANDOM));
            let result = json!({
                "winner": seat, "termination": "rules", "rule": "five in a row", "scores": scores,
            });
            set_result(record, result, &sentence);
        });
    }),
    Lie::arena("unfinished-game", "differs", "it has no counting result", |it| {
        it.record(by_limit, |record| record["result"] = json!(null));
    }),
    Lie::arena("aborted-game", "differs", "it has no counting result", |it| {
        it.record(by_fault, |record| {
            let sentence = "aborted: the machine failed";
            let aborted = json!({ "winner": null, "termination": "aborted", "sentence": sentence });
            record["result"] = aborted;
        });
    }),
    Lie::arena("stopped-call", "unverifiable", "the engine was stopped there on request", |it| {
        it.record(by_rules, |record| {
            let ply = plies_of(record, SIMPLE)[1];
            add(&mut record["plies"][ply]["spent"]["fuel"], 1);
            record["plies"][ply]["spent"]["stopped"] = json!(true);
        });
    }),
    Lie::arena("move-from-a-report", "differs", "the bout has another move there", |it| {
        it.record(by_rules, |record| {
            record["plies"][1]["origin"] = json!("reported-on-timeout");
        });
    }),
    Lie::arena("refused-move", "differs", "`, the record chose `e5`, which is refused", |it| {
        it.record(by_rules, |record| {
            let seat = &record["plies"][0]["seat"];
            let players = record["players"].as_array().unwrap();
            let refused = json!({
                "event": "refused", "move": "e5", "reason": "a black stone is on e5",
                "player": players.iter().position(|player| player["seats"][0] == *seat),
                "position": record["start"], "spent": record["plies"][0]["spent"],
            });
            push_event(record, 0, refused);
        });
    }),
    Lie::arena("paused-clock", "differs", "stops the clocks", |it| {
        it.record(by_rules, |record| push_event(record, 2, json!({ "event": "paused" })));
    }),
    Lie::arena("restarted-clock", "differs", "restarts the clocks", |it| {
        it.record(by_rules, |record| push_event(record, 2, json!({ "event": "resumed" })));
    }),
    Lie::arena("undone-moves", "differs", "takes moves back", |it| {
        it.record(by_rules, |record| {
            let point = free_point(record);
            push_event(record, 1, json!({ "event": "undone", "moves": [point] }));
        });
    }),
    Lie::arena("resumed-from-a-record", "differs", "resumes from a record", |it| {
        it.record(by_rules, |record| push_event(record, 2, json!({ "event": "reloaded" })));
    }),
    Lie::arena("second-instance", "differs", "no instance of player 0 was to be", |it| {
        it.record(by_rules, |record| {
            push_event(record, 2, json!({ "event": "started", "player": 0 }));
        });
    }),
    Lie::arena("instance-hidden", "differs", "\"started\",\"player\":1} is missing", |it| {
        it.record(by_rules, |record| drop(record["events"].as_array_mut().unwrap().pop()));
    }),
    Lie::arena("perfect-play", "unverifiable", "perfect play of gomoku is not available", |it| {
        it.record(by_rules, |record| {
            record["perfect_play"] = json!({ "value": 1, "taken": [1, 0], "lost": [0, 1] });
        });
    }),
    Lie::arena("seed-of-a-game", "differs", "its seed is 7, but setup and seed give ", |it| {
        it.record(by_rules, |record| record["seed"] = json!(7));
    }),
    Lie::arena("seed-of-an-engine", "differs", ": its seed of the engine is 7, but", |it| {
        it.record(by_rules, |record| record["players"][0]["engine"]["seed"] = json!(7));
    }),
    Lie::arena("opening-of-a-game", "differs", ": its start is ", |it| {
        it.record(by_limit, |record| record["start"] = json!("9/9/9/9/9/9/9/1o7/x8 b"));
    }),
    Lie::arena(
        "moves-before-a-game",
        "differs",
        ": its number of moves before the bout is 2",
        |it| {
            it.record(by_limit, |record| {
                let plies = record["plies"].as_array_mut().unwrap();
                let first =
                    plies.drain(..2).map(|ply| json!({ "seat": ply["seat"], "move": ply["move"] }));
                record["opening"] = first.collect();
            });
        },
    ),
    Lie::arena("variant-of-a-game", "differs", ": its variant is standard-9, but setup", |it| {
        it.record(by_limit, |record| record["variant"] = json!("standard-9"));
    }),
    Lie::arena("rules-of-a-game", "differs", ": its rules are not those of the setup", |it| {
        it.record(by_limit, |record| {
            record["rules"] = json!({ "version": "1.0.0", "module_sha256": "00".repeat(32) });
        });
    }),
    Lie::arena("settings-of-a-game", "differs", "its settings are not those of the setup", |it| {
        it.record(by_limit, |record| record["settings"]["grace"]["fuel"] = json!(1));
    }),
    Lie::arena("undo-in-a-game", "differs", "it allows taking moves back, which no arena", |it| {
        it.records(|record| record["settings"]["undo"] = json!(true));
        it.arena(|arena| arena["setup"]["settings"]["undo"] = json!(true));
    }),
    Lie::arena("budget-in-a-game", "differs", ": its budget is fuel:2e6/move, but setup", |it| {
        it.record(by_fault, |record| {
            let player = index_of(record, FAULTY);
            record["players"][player]["budget"] = json!("fuel:2e6/move");
        });
    }),
    Lie::arena("person", "differs", "player 1 is a person, whose use of ", |it| {
        it.record(by_fault, |record| {
            let player = index_of(record, FAULTY);
            record["players"][player]["kind"] = json!("person");
            record["players"][player].as_object_mut().unwrap().remove("engine");
        });
    }),
    Lie::arena("seats-exchanged", "differs", ": its seats is [", |it| {
        it.record(without_clock, |record| {
            let first = record["players"][0]["seats"].take();
            record["players"][0]["seats"] = record["players"][1]["seats"].take();
            record["players"][1]["seats"] = first;
        });
    }),
    Lie::arena("module-of-a-game", "differs", ": its module is ", |it| {
        let other = it.module_of(RANDOM);
        it.record(by_rules, |record| {
            let player = index_of(record, SIMPLE);
            record["players"][player]["engine"]["module_sha256"] = json!(other);
        });
    }),
    Lie::arena("version-in-a-game", "differs", ": its version is 9.9.9, but setup", |it| {
        it.record(by_rules, |record| record["players"][0]["engine"]["version"] = json!("9.9.9"));
    }),
    Lie::arena("engine-in-a-game", "differs", ": its engine is gomoku-alpha, but setup", |it| {
        it.record(by_rules, |record| record["players"][0]["engine"]["id"] = json!("gomoku-alpha"));
    }),
    Lie::arena("options-in-a-game", "differs", ": its options is {}, but setup and seed", |it| {
        it.record(by_fault, |record| {
            let player = index_of(record, FAULTY);
            record["players"][player]["engine"]["options"] = json!({});
        });
    }),
    Lie::arena("start-limit-in-a-game", "differs", "start limit in ms is 5001, but setup", |it| {
        it.record(by_rules, |record| add(limit(record, "start_ms"), 1));
    }),
    Lie::arena("memory-in-a-game", "differs", "memory limit in bytes is 67108865, but", |it| {
        it.record(by_limit, |record| add(limit(record, "memory_bytes"), 1));
    }),
    Lie::arena("log-in-a-game", "differs", "log limit in bytes is 1048577, but setup", |it| {
        it.record(by_fault, |record| add(limit(record, "log_bytes"), 1));
    }),
    Lie::arena("stack-in-a-game", "differs", "stack limit in slots is 64513, but setup", |it| {
        it.record(by_fault, |record| add(limit(record, "stack_slots"), 1));
    }),
    Lie::arena("threads-in-a-game", "differs", ": its threads is 2, but setup and seed", |it| {
        it.record(by_rules, |record| record["players"][0]["engine"]["threads"] = json!(2));
    }),
    Lie::arena("pondering-in-a-game", "differs", "player 0 cannot ponder with the budget ", |it| {
        it.record(by_rules, |record| record["players"][0]["ponders"] = json!(true));
    }),
    Lie::arena("asset-in-a-game", "differs", ": its assets is {\"book\"", |it| {
        it.record(by_rules, |record| {
            record["players"][0]["engine"]["assets"] = json!({ "book": "00".repeat(32) });
        });
    }),
];

fn by_rules(record: &Value) -> bool {
    record["result"]["termination"] == "rules"
}

fn by_limit(record: &Value) -> bool {
    record["result"]["termination"] == "ply-limit"
}

fn by_fault(record: &Value) -> bool {
    record["result"]["termination"] == "fault"
}

/// Whether no player has a clock of the game.
fn without_clock(record: &Value) -> bool {
    record["players"].as_array().unwrap().iter().all(|player| player["clock_left"].is_null())
}

/// Adds to an integer.
pub(super) fn add(value: &mut Value, more: i64) {
    *value = json!(value.as_i64().unwrap() + more);
}

/// A player offers a draw with one of its moves, counted from 0.
fn offer_draw(record: &mut Value, name: &str, number: usize) {
    let (player, ply) = (index_of(record, name), plies_of(record, name)[number]);
    record["plies"][ply]["offers_draw"] = json!(true);
    push_event(record, ply + 1, json!({ "event": "draw-offered", "player": player }));
}

fn plies(record: &Value) -> usize {
    record["plies"].as_array().unwrap().len()
}

/// The index of a player.
fn index_of(record: &Value, name: &str) -> usize {
    let mut players = record["players"].as_array().unwrap().iter();
    players.position(|player| player["name"] == name).expect(name)
}

/// The numbers of a player's plies.
fn plies_of(record: &Value, name: &str) -> Vec<usize> {
    let seat = &record["players"][index_of(record, name)]["seats"][0];
    let all = record["plies"].as_array().unwrap().iter().enumerate();
    all.filter(|(_, ply)| ply["seat"] == *seat).map(|(index, _)| index).collect()
}

/// A limit of the second player.
fn limit<'a>(record: &'a mut Value, name: &str) -> &'a mut Value {
    &mut record["players"][1]["engine"]["limits"][name]
}

/// A point of the edge on which no stone is placed in the whole game.
fn free_point(record: &Value) -> Value {
    let plies = record["plies"].as_array().unwrap();
    let taken = |point: &Value| plies.iter().any(|ply| ply["move"] == *point);
    (1..=9).map(|row| json!(format!("i{row}"))).find(|point| !taken(point)).unwrap()
}

/// A player with its side, as in sentences.
fn with_side(record: &Value, name: &str) -> String {
    let seat = &record["players"][index_of(record, name)]["seats"][0];
    format!("{name} ({})", if *seat == 0 { "black" } else { "white" })
}

/// Removes all plies from this one on; returns what the first of them spent.
fn end(record: &mut Value, at: usize) -> Value {
    let spent = record["plies"][at]["spent"].clone();
    let seat = record["plies"][at]["seat"].clone();
    record["plies"].as_array_mut().unwrap().truncate(at);
    settle_clock(record);
    let index = index_of(record, RANDOM);
    let player = &mut record["players"][index];
    if player["seats"][0] == seat {
        add(&mut player["clock_left"], -spent["fuel"].as_i64().unwrap());
    }
    spent
}

/// Makes the clock of the player with a clock of the game that of its last ply.
fn settle_clock(record: &mut Value) {
    let last = *plies_of(record, RANDOM).last().unwrap();
    let left = record["plies"][last]["clock_left"].clone();
    let player = index_of(record, RANDOM);
    record["players"][player]["clock_left"] = left;
}

/// Adds an event at this ply as the last one.
fn push_event(record: &mut Value, at: usize, mut event: Value) {
    event["at_ply"] = json!(at);
    record["events"].as_array_mut().unwrap().push(event);
}

fn set_result(record: &mut Value, mut result: Value, sentence: &str) {
    result["sentence"] = json!(sentence);
    record["result"] = result;
}

/// Makes the loser the winner, in the sentence too.
fn turn_result(record: &mut Value) {
    let (winner, loser) = (with_side(record, SIMPLE), with_side(record, RANDOM));
    let mut result = record["result"].take();
    result["winner"] = json!(1 - result["winner"].as_u64().unwrap());
    let scores = [result["scores"][1].take(), result["scores"][0].take()];
    result["scores"] = json!(scores);
    let sentence = result["sentence"].as_str().unwrap().replace(&winner, &loser);
    set_result(record, result, &sentence);
}
