//! Sessions as conversations: what the other program says and what it is answered.

mod any;
mod gomocup;
mod gtp;
mod nboard;
mod ucci;
mod uci;
#[cfg(target_os = "linux")]
mod whole;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandboard_abi::{
    Barred, Bound, Choice, Decision, Kind, Level, Limits, Line, OptionSpec, Score, Setup,
};
use sandboard_games::{DynGame, game};

use super::{Act, Offer, Player, drive, session};
use crate::bout::EnginePlayer;
use crate::engine::{Answer, Control, Engine, EngineSource, Fault, FaultCode, Listener, Spent};
use crate::process::{Dialect, Protocol};

/// An engine that plays the first legal move that is not barred, tells what it was asked, and fails where its
/// option `skill` is 13, or to begin where `style` is wild. Without a limit it waits for the word to stop.
struct First {
    listener: Arc<dyn Listener>,
    game: Option<Box<dyn DynGame>>,
    fails: bool,
    control: Control,
}

impl Engine for First {
    fn start(&mut self, setup: &Setup) -> Result<Spent, Fault> {
        let Setup { game: id, variant, start, moves, .. } = setup;
        let info = game(id).unwrap();
        let text = (!start.is_empty()).then_some(start.as_str());
        let mut game = (info.new)(&info.variant(variant).unwrap(), text).unwrap();
        moves.split_ascii_whitespace().for_each(|mv| drop(game.play(mv).unwrap()));
        if setup.options.contains(&("style".into(), "wild".into())) {
            return Err(Fault::new(FaultCode::Start, "does not begin"));
        }
        self.fails = setup.options.contains(&("skill".into(), "13".into()));
        let position = game.position();
        self.listener.log(Level::Debug, &format!("start {variant} {position}"));
        self.game = Some(game);
        Ok(Spent::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.game.as_mut().unwrap().play(mv).unwrap();
        Ok(())
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.game.as_mut().unwrap().take_back(plies as usize);
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<Answer, Fault> {
        if self.fails {
            return Err(Fault::new(FaultCode::Error, "has no luck"));
        }
        let game = self.game.as_ref().unwrap();
        let mut legal = String::new();
        game.write_legal(&mut legal);
        let is_free = |mv: &&str| barred.iter().all(|it| it.r#move != **mv);
        let mv = legal.split(' ').find(is_free).unwrap().to_owned();
        let line = Line {
            rank: 1,
            score: Some(Score { value: 7, bound: Bound::Estimate }),
            depth: limits.depth.unwrap_or(1),
            nodes: 3,
            spent: 0,
            moves: mv.clone(),
        };
        self.listener.report(&line);
        let endless = limits.call_max.or(limits.game_left).or(limits.nodes).is_none();
        if endless && limits.depth.is_none() {
            while !self.control.is_stopped() {
                std::thread::yield_now();
            }
        }
        let choice = Choice { decision: Decision::Play(mv), offers_draw: false, line: Some(line) };
        Ok(Answer { choice, spent: Spent::default() })
    }

    fn think(&mut self) -> Result<Spent, Fault> {
        Ok(Spent::default())
    }

    fn control(&self) -> Control {
        self.control.clone()
    }
}

/// With how many it has opened.
#[derive(Default)]
struct Firsts(AtomicUsize);

impl EngineSource for Firsts {
    fn open_for(&self, listener: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(First { listener, game: None, fails: false, control: Control::default() }))
    }
}

/// What sits behind the sessions of these tests.
pub(super) fn player(id: &'static str) -> Player {
    player_of(id, Arc::new(Firsts::default()))
}

fn player_of(id: &'static str, engines: Arc<Firsts>) -> Player {
    Player::new(EnginePlayer::new(engines, "first"), id, 0)
}

/// How it is offered, to play this variant of this game.
pub(super) fn offer(id: &str, variant: &str, dialect: Dialect) -> Offer {
    let info = game(id).unwrap();
    let option = |name: &str, kind, initial: &str| OptionSpec {
        name: name.into(),
        about: String::new(),
        kind,
        initial: initial.into(),
        tunable: false,
    };
    Offer {
        name: "First".into(),
        version: "1.0".into(),
        author: "A. \"Nobody\"".into(),
        game: info,
        variant: info.variant(variant).unwrap(),
        variants: info
            .variants
            .iter()
            .map(|it| it.id.to_owned())
            .filter(|it| it != "caro")
            .collect(),
        options: vec![
            option("skill", Kind::Whole(0, 20), "5"),
            option("style", Kind::Pick(vec!["calm".into(), "wild".into()]), "calm"),
            option("greed", Kind::Real(0.0, 1.0), "0.5"),
            option("book", Kind::Toggle, "true"),
            option("file", Kind::Text(64), ""),
        ],
        set: vec![],
        dialect,
        usual: Limits::default(),
        overhead_us: 0,
    }
}

/// What the engine may spend that is asked by the last of these lines.
#[track_caller]
pub(super) fn limits(protocol: Protocol, offer: Offer, said: &str) -> Limits {
    let mut session = session(protocol, offer).unwrap();
    let acts = said.lines().map(|line| session.hear(line, &mut Vec::new()));
    match acts.last() {
        Some(Act::Ask(question)) => question.limits,
        other => panic!("{said}: {other:?}"),
    }
}

/// All that is answered to these lines. An answer to one is waited for before the next is said only as far as the
/// session itself does.
pub(super) fn answers(protocol: Protocol, offer: Offer, said: &str) -> Vec<String> {
    answers_of(protocol, offer, said, &Arc::default())
}

fn answers_of(protocol: Protocol, offer: Offer, said: &str, engines: &Arc<Firsts>) -> Vec<String> {
    let id = offer.game.id;
    let mut session = session(protocol, offer).unwrap();
    let lines: Vec<String> =
        said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let mut output = Vec::new();
    let player = player_of(id, engines.clone());
    drive(session.as_mut(), player, lines.into_iter().map(Ok), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

/// The same, held against what is expected; the engine's reports left out.
#[track_caller]
pub(super) fn check_of(protocol: Protocol, offer: Offer, said: &str, expected: &[&str]) {
    let all = answers(protocol, offer, said);
    let is_report = |line: &String| {
        line.starts_with("info depth")
            || line.starts_with("MESSAGE depth")
            || line.starts_with("nodestats")
    };
    let found: Vec<String> = all.into_iter().filter(|line| !is_report(line)).collect();
    assert_eq!(found, expected, "{said}");
}

#[test]
fn an_instance_that_is_made_ready_is_the_one_that_is_asked() {
    let check = |protocol, id, said: &str, expected| {
        let engines = Arc::new(Firsts::default());
        answers_of(protocol, offer(id, "", Dialect::Same), said, &engines);
        assert_eq!(engines.0.load(Ordering::Relaxed), expected, "{said}");
    };
    let uci = |said, expected| check(Protocol::Uci, "xiangqi", said, expected);
    uci("go depth 1", 1);
    uci("isready\nucinewgame\nisready\nposition startpos moves a0a1\ngo depth 1", 1);
    uci(
        "isready\nposition startpos\ngo depth 1\nisready\nposition startpos moves a0a1\ngo depth 1",
        1,
    );
    // Another game, and another way to play it.
    uci("isready\ngo depth 1\nucinewgame\nisready\ngo depth 1", 2);
    uci("isready\nsetoption name skill value 6\ngo depth 1", 2);
    let ucci = |said, expected| check(Protocol::Ucci, "xiangqi", said, expected);
    ucci("isready\nsetoption newgame\nposition startpos moves a0a1\ngo depth 1", 1);
    ucci("isready\ngo depth 1\nsetoption newgame\nisready\ngo depth 1", 2);
    let gomocup = |said, expected| check(Protocol::Gomocup, "gomoku", said, expected);
    gomocup("START 15\nINFO timeout_turn 100\nBEGIN\nTURN 7,7", 1);
    gomocup("START 15\nRESTART\nTURN 7,7", 1);
    gomocup("START 15\nBEGIN\nRESTART\nBEGIN", 2);
    gomocup("START 15\nSTART 20\nBEGIN", 2);
}
