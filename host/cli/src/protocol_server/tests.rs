//! Tests of sessions as conversations: lines of the other program, and the expected answers.

mod arbitrary_lines;
mod gomocup;
mod gtp;
mod nboard;
mod ucci;
mod uci;
#[cfg(target_os = "linux")]
mod whole_games;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandboard_abi::{
    Barred, Bound, Choice, Decision, Kind, Level, Limits, Line, OptionSpec, Score, Setup,
};
use sandboard_games::{DynGame, Games};

use super::{Action, EngineInfo, SessionEngine, open_session, run_session};
use sandboard_bout::driver::EnginePlayer;
use sandboard_engine::{
    ChooseResponse, Engine, EngineSource, Fault, FaultCode, Listener, StopHandle, Usage,
};
use sandboard_protocols::{Dialect, Protocol};

/// An engine that plays the first legal move that is not excluded. It fails to choose if its option
/// `skill` is 13, and to start if `style` is `wild`. Without a limit it waits for the stop request.
struct FirstMoveEngine {
    listener: Arc<dyn Listener>,
    game: Option<Box<dyn DynGame>>,
    fails: bool,
    control: StopHandle,
}

impl Engine for FirstMoveEngine {
    fn start(&mut self, setup: &Setup) -> Result<Usage, Fault> {
        let Setup { game: id, variant, start, moves, .. } = setup;
        let info = Games::default().find(id).unwrap();
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
        Ok(Usage::default())
    }

    fn played(&mut self, mv: &str) -> Result<(), Fault> {
        self.game.as_mut().unwrap().play(mv).unwrap();
        Ok(())
    }

    fn taken_back(&mut self, plies: u32) -> Result<(), Fault> {
        self.game.as_mut().unwrap().take_back(plies as usize);
        Ok(())
    }

    fn choose(&mut self, limits: &Limits, barred: &[Barred]) -> Result<ChooseResponse, Fault> {
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
        Ok(ChooseResponse { choice, spent: Usage::default() })
    }

    fn think(&mut self) -> Result<Usage, Fault> {
        Ok(Usage::default())
    }

    fn stop_handle(&self) -> StopHandle {
        self.control.clone()
    }
}

/// Opens such engines, and counts the opened instances.
#[derive(Default)]
struct FirstMoveSource(AtomicUsize);

impl EngineSource for FirstMoveSource {
    fn open(&self, listener: Arc<dyn Listener>, _: u16) -> Result<Box<dyn Engine>, Fault> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(FirstMoveEngine {
            listener,
            game: None,
            fails: false,
            control: StopHandle::default(),
        }))
    }
}

/// The engine behind the sessions of these tests.
pub(super) fn engine(id: &'static str) -> SessionEngine {
    engine_of(id, Arc::new(FirstMoveSource::default()))
}

fn engine_of(id: &'static str, engines: Arc<FirstMoveSource>) -> SessionEngine {
    SessionEngine::new(EnginePlayer::new(engines, "first"), id, 0)
}

/// The description of the engine, for this variant of this game.
pub(super) fn engine_info(id: &str, variant: &str, dialect: Dialect) -> EngineInfo {
    let info = Games::default().find(id).unwrap();
    let option = |name: &str, kind, initial: &str| OptionSpec {
        name: name.into(),
        about: String::new(),
        kind,
        initial: initial.into(),
        tunable: false,
    };
    EngineInfo {
        name: "First".into(),
        version: "1.0".into(),
        author: "A. \"Author\"".into(),
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
        initial_options: vec![],
        dialect,
        default_limits: Limits::default(),
        overhead_us: 0,
    }
}

/// The limits of the search that the last of these lines starts.
#[track_caller]
pub(super) fn limits(protocol: Protocol, engine_info: EngineInfo, input: &str) -> Limits {
    let mut session = open_session(protocol, engine_info).unwrap();
    let actions = input.lines().map(|line| session.handle_line(line, &mut Vec::new()));
    match actions.last() {
        Some(Action::Search(request)) => request.limits,
        other => panic!("{input}: {other:?}"),
    }
}

/// The answers to these lines. The next line is sent at once; only the session itself makes lines
/// wait for an answer.
pub(super) fn answers(protocol: Protocol, engine_info: EngineInfo, input: &str) -> Vec<String> {
    answers_of(protocol, engine_info, input, &Arc::default())
}

fn answers_of(
    protocol: Protocol,
    engine_info: EngineInfo,
    input: &str,
    engines: &Arc<FirstMoveSource>,
) -> Vec<String> {
    let id = engine_info.game.id;
    let mut session = open_session(protocol, engine_info).unwrap();
    let lines: Vec<String> =
        input.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let mut output = Vec::new();
    let engine = engine_of(id, engines.clone());
    run_session(session.as_mut(), engine, lines.into_iter().map(Ok), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

/// Compares the answers with those expected, without the engine's reports.
#[track_caller]
pub(super) fn check_of(
    protocol: Protocol,
    engine_info: EngineInfo,
    input: &str,
    expected: &[&str],
) {
    let all = answers(protocol, engine_info, input);
    let is_report = |line: &String| {
        line.starts_with("info depth")
            || line.starts_with("MESSAGE depth")
            || line.starts_with("nodestats")
    };
    let found: Vec<String> = all.into_iter().filter(|line| !is_report(line)).collect();
    assert_eq!(found, expected, "{input}");
}

#[test]
fn a_search_uses_the_prepared_instance() {
    let check = |protocol, id, input: &str, expected| {
        let engines = Arc::new(FirstMoveSource::default());
        answers_of(protocol, engine_info(id, "", Dialect::Same), input, &engines);
        assert_eq!(engines.0.load(Ordering::Relaxed), expected, "{input}");
    };
    let uci = |input, expected| check(Protocol::Uci, "xiangqi", input, expected);
    uci("go depth 1", 1);
    uci("isready\nucinewgame\nisready\nposition startpos moves a0a1\ngo depth 1", 1);
    uci(
        "isready\nposition startpos\ngo depth 1\nisready\nposition startpos moves a0a1\ngo depth 1",
        1,
    );
    // Another game, or another option, needs a new instance.
    uci("isready\ngo depth 1\nucinewgame\nisready\ngo depth 1", 2);
    uci("isready\nsetoption name skill value 6\ngo depth 1", 2);
    let ucci = |input, expected| check(Protocol::Ucci, "xiangqi", input, expected);
    ucci("isready\nsetoption newgame\nposition startpos moves a0a1\ngo depth 1", 1);
    ucci("isready\ngo depth 1\nsetoption newgame\nisready\ngo depth 1", 2);
    let gomocup = |input, expected| check(Protocol::Gomocup, "gomoku", input, expected);
    gomocup("START 15\nINFO timeout_turn 100\nBEGIN\nTURN 7,7", 1);
    gomocup("START 15\nRESTART\nTURN 7,7", 1);
    gomocup("START 15\nBEGIN\nRESTART\nBEGIN", 2);
    gomocup("START 15\nSTART 20\nBEGIN", 2);
}
