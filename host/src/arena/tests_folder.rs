//! Matches on disk, played by engines of a few lines: nothing is lost or counted
//! twice, whatever is left of a folder, and nothing foreign gets in.

use std::path::Path;
use std::sync::Arc;

use sandboard_abi::{Barred, Choice, Decision, Limits, Setup};
use sandboard_games::{DynGame, game};

use super::*;
use crate::bout::{EnginePlayer, player_seed};
use crate::budget::Budget;
use crate::engine::{Answer, Control, Engine, EngineSource, Fault, FaultCode, Listener, Spent};
use crate::record::Start;
use crate::referee::Settings;

/// Plays at random by its seed, and now and then does something wrong.
struct Dice {
    fails: bool,
}

struct Die {
    fails: bool,
    seed: u64,
    game: Option<Box<dyn DynGame>>,
}

impl EngineSource for Dice {
    fn open_for(
        &self,
        _listener: Arc<dyn Listener>,
        _threads: u16,
    ) -> Result<Box<dyn Engine>, Fault> {
        Ok(Box::new(Die { fails: self.fails, seed: 0, game: None }))
    }
}

impl Engine for Die {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        let info = game(&setup.game).unwrap();
        let start = Some(setup.start.as_str()).filter(|start| !start.is_empty());
        let mut game = (info.new)(&info.variant(&setup.variant).unwrap(), start).unwrap();
        setup.moves.split_whitespace().for_each(|mv| drop(game.play(mv).unwrap()));
        self.seed = setup.seed;
        self.game = Some(game);
        Ok(Spent::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.game.as_mut().unwrap().play(mv).unwrap();
        Ok(())
    }

    fn taken_back(&mut self, _plies: u32) -> Result<(), Fault> {
        unreachable!("nobody takes moves back in a match")
    }

    fn choose(&mut self, _limits: &Limits, _barred: &[Barred]) -> Result<Answer, Fault> {
        let game = self.game.as_ref().unwrap();
        let dice = player_seed(self.seed, game.plies());
        if self.fails && dice.is_multiple_of(50) {
            return Err(Fault::new(FaultCode::Crash, "fell off the table"));
        }
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let moves: Vec<&str> = legal.split(' ').collect();
        let mv = moves[(dice % moves.len() as u64) as usize].to_owned();
        let choice = Choice { decision: Decision::Play(mv), offers_draw: false, line: None };
        Ok(Answer { choice, spent: Spent::default() })
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        Ok(Spent::default())
    }

    fn control(&self) -> Control {
        Control::default()
    }
}

fn a_match(pairs: u32, seed: u64) -> (Match, MatchSetup) {
    let info = game("gomoku").unwrap();
    let variant = info.variant("freestyle-5").unwrap();
    let start = Start { game: info, variant: variant.clone(), position: None };
    let position = Some("5/5/2x2/5/5 w".to_owned());
    let openings = vec![start.clone(), Start { position, ..start.clone() }];
    let rival = |name: &str, fails| Rival {
        name: name.into(),
        budget: Budget::NONE,
        engine: EnginePlayer::new(Arc::new(Dice { fails }), name),
        ponders: false,
    };
    let contestant = |name: &str| Contestant {
        name: name.into(),
        engine: name.into(),
        version: String::new(),
        module_sha256: String::new(),
        assets: Default::default(),
        options: Default::default(),
        budget: Budget::NONE,
        memory_bytes: 0,
        threads: 1,
        ponders: false,
        fuel_clock: None,
        jail: None,
    };
    let seats = seats_by_side(&start).unwrap();
    assert_eq!(seats, [vec![0], vec![1]]);
    let settings = Settings::default();
    let setup = MatchSetup {
        format: FORMAT.into(),
        version: VERSION,
        host: "test".into(),
        created_at: "2026-07-01T12:34:56Z".into(),
        game: info.id.into(),
        variant: variant.text(),
        seed,
        pairs,
        openings: Some(OpeningsSource { file: "f".into(), sha256: "0".into(), count: 2 }),
        settings,
        players: [contestant("steady"), contestant("shaky")],
    };
    let rivals = [rival("steady", false), rival("shaky", true)];
    (Match { start, seats, openings, pairs, seed, settings, rivals }, setup)
}

/// Plays what is open in a folder; the moves of all games, and what is counted.
fn finish(dir: &Path, concurrency: usize) -> (Vec<String>, Standing) {
    let (folder, setup) = MatchFolder::open(dir).unwrap();
    let (the_match, expected) = a_match(setup.pairs, setup.seed);
    assert_eq!(setup, expected);
    let ledger = folder.load(&the_match, game).unwrap();
    let (ledger, ended) = run(&the_match, &folder, ledger, concurrency, &mut ());
    ended.unwrap();
    assert!(ledger.is_complete());
    let moves = |job: Job| {
        let record = crate::record::load(&folder.record_path(&job), game).unwrap();
        let moves: Vec<&str> = record.plies.iter().map(|ply| &*ply.r#move).collect();
        format!("{} {:?} {}", job.name(), record.start, moves.join(" "))
    };
    (ledger.schedule().jobs().map(moves).collect(), ledger.standing().clone())
}

fn begin(dir: &Path, pairs: u32, seed: u64) {
    let (_, setup) = a_match(pairs, seed);
    drop(MatchFolder::create(dir, &setup, Some(b"openings")).unwrap());
}

#[test]
fn a_seed_is_a_match_whatever_the_concurrency_and_the_interruptions() {
    let home = tempfile::tempdir().unwrap();
    let dir = |name: &str| home.path().join(name);
    for (name, seed) in [("one", 5), ("many", 5), ("torn", 5), ("other", 6)] {
        begin(&dir(name), 12, seed);
    }
    let one = finish(&dir("one"), 1);
    assert!(one.1.score.games().games() == 24 && one.1.plies > 100);
    assert!(one.1.faults[0].is_empty() && one.1.faults[1]["crash"].games > 0);
    assert_eq!(finish(&dir("many"), 7), one);
    assert_ne!(finish(&dir("other"), 2).0, one.0);

    finish(&dir("torn"), 3);
    // What a kill may leave behind: some records, and files that were being written.
    let games = dir("torn").join("games");
    for name in ["pair-000001-1", "pair-000003-2", "pair-000012-1", "pair-000012-2"] {
        std::fs::remove_file(games.join(name).with_extension("json")).unwrap();
    }
    std::fs::write(games.join(".sandboard-1-1.tmp"), "{").unwrap();
    assert_eq!(finish(&dir("torn"), 2), one);
    assert_eq!(std::fs::read_dir(games).unwrap().count(), 24);
    // A match that is complete plays nothing.
    assert_eq!(finish(&dir("torn"), 2), one);
}

#[test]
fn an_unfinished_or_aborted_record_is_played_again() {
    let home = tempfile::tempdir().unwrap();
    begin(home.path(), 2, 1);
    let whole = finish(home.path(), 1);
    let path = |name: &str| home.path().join("games").join(name);
    let cut = |name: &str, result: Option<&str>| {
        let text = std::fs::read_to_string(path(name)).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["result"] = result.map_or(serde_json::Value::Null, |termination| {
            serde_json::json!({"winner": null, "termination": termination, "sentence": "x"})
        });
        std::fs::write(path(name), json.to_string()).unwrap();
    };
    cut("pair-000001-2.json", None);
    cut("pair-000002-1.json", Some("aborted"));
    assert_eq!(finish(home.path(), 1), whole);
}

#[test]
fn foreign_and_broken_records_are_named() {
    let home = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    begin(home.path(), 2, 1);
    begin(other.path(), 2, 2);
    finish(other.path(), 1);
    let name = "games/pair-000002-1.json";
    let load = || {
        let (folder, _) = MatchFolder::open(home.path()).unwrap();
        let ledger = folder.load(&a_match(2, 1).0, game);
        ledger.map(|ledger| ledger.done()).map_err(|error| error.to_string())
    };
    assert_eq!(load(), Ok(0));
    std::fs::copy(other.path().join(name), home.path().join(name)).unwrap();
    let error = load().unwrap_err();
    assert!(error.contains("is not of this match: it has another seed; delete"), "{error}");
    std::fs::write(home.path().join(name), "{").unwrap();
    let error = load().unwrap_err();
    assert!(error.contains("pair-000002-1.json") && error.contains("delete the file"), "{error}");
}

#[test]
fn a_folder_has_one_match_and_one_process() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("a/b");
    let missing = MatchFolder::open(&dir).unwrap_err().to_string();
    assert!(missing.ends_with("holds no match: there is no match.json"), "{missing}");
    assert!(!dir.exists());
    let (_, setup) = a_match(1, 1);
    let held = MatchFolder::create(&dir, &setup, None).unwrap();
    let busy = MatchFolder::open(&dir).unwrap_err().to_string();
    assert!(busy.ends_with("is being played by another process"), "{busy}");
    drop(held);
    let taken = MatchFolder::create(&dir, &setup, None).unwrap_err().to_string();
    assert!(taken.contains("holds a match already; go on with it by `--resume"), "{taken}");
    assert_eq!(MatchFolder::open(&dir).unwrap().1, setup);
    std::fs::write(dir.join("match.json"), r#"{"format": "x"}"#).unwrap();
    assert!(matches!(MatchFolder::open(&dir), Err(FolderError::Setup { .. })));
}

#[test]
fn differences_are_all_named() {
    let (_, begun) = a_match(2, 1);
    assert_eq!(begun.differences(&begun.clone()), Vec::<String>::new());
    let mut now = begun.clone();
    now.created_at = "later".into();
    assert_eq!(begun.differences(&now), Vec::<String>::new());
    now.seed = 3;
    now.openings = None;
    now.settings.requests = 7;
    now.players[1].module_sha256 = "ff".into();
    now.players[1].options.insert("depth".into(), "3".into());
    now.players[0].budget = "5s/move".parse().unwrap();
    let expected = [
        "the seed was 1 and is 3",
        "the file of openings was those with the hash 0 and is none",
        "the settings of the bouts are others",
        "the budget of player A was none and is 5s/move",
        "the module's hash of player B was  and is ff",
        "the options of player B was none and is depth=3",
    ];
    assert_eq!(begun.differences(&now), expected);
}

#[test]
fn a_match_that_cannot_go_on_says_why_and_keeps_the_rest() {
    let home = tempfile::tempdir().unwrap();
    begin(home.path(), 3, 1);
    let play = |the_match: &Match| {
        let (folder, _) = MatchFolder::open(home.path()).unwrap();
        std::fs::remove_dir_all(home.path().join("games")).unwrap();
        let (ledger, ended) =
            run(the_match, &folder, Ledger::new(the_match.schedule()), 1, &mut ());
        (ledger.done(), ended.unwrap_err().to_string())
    };
    let (mut the_match, _) = a_match(3, 1);
    let (done, error) = play(&the_match);
    assert!(error.starts_with("game pair-000001-1 was played, but not kept: "), "{error}");
    assert_eq!(done, 0);
    the_match.openings[0].position = Some("nonsense".into());
    let (done, error) = play(&the_match);
    assert!(error.starts_with("game pair-000001-1 cannot be played: "), "{error}");
    assert_eq!(done, 0);
    assert_eq!(finish(home.path(), 1).1.score.games().games(), 6);
}
