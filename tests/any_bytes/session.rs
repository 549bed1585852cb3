//! Arbitrary bytes as input of a protocol server session, with an engine that answers when the
//! bytes say so. The session must run to its end, write only single lines, and send only valid
//! requests to the engine.

use std::collections::VecDeque;

use sandboard_abi::{
    Bound, Choice, Decision, Kind, Limits, Line, OptionSpec, Score, Unit, limits::WIN_SCORE,
};
use sandboard_cli::protocol_server::{Action, EngineInfo, SearchRequest, Session, open_session};
use sandboard_engine::{Fault, FaultCode};
use sandboard_games::{DynGame, GameInfo, Games};
use sandboard_protocols::{Dialect, Protocol};

/// The most lines that are sent to a session; more would only take time.
const LINES: usize = 300;
/// The most search requests that one line may cause: an opening is decided move by move.
const REQUESTS: usize = 8;

/// Runs a session. The first line has the protocol, the game, the variant (`-`: the default) and
/// the notation of moves. Other lines are sent to the session, except those of the engine:
/// `!` is its answer (a move, `resign`, `draw`, `fault`, or nothing for any legal move), and `~` is
/// a report (a score and moves).
pub fn session(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let Some((protocol, info)) = set_up(&first) else { return };
    let game = info.game;
    let mut session = match open_session(protocol, info.clone()) {
        Ok(session) => session,
        Err(reason) => return super::check_displayable(&reason),
    };
    let (pending, postponed) = (None, VecDeque::new());
    let mut run = Run {
        session: &mut *session,
        game,
        info,
        pending,
        is_preparing: false,
        postponed,
        input_ended: false,
    };
    let mut all = lines.take(LINES);
    let is_over = all.any(|line| match std::str::from_utf8(line) {
        Ok(line) => run.line(line),
        Err(_) => run.call(|session, out| {
            session.report_error("the line is not UTF-8", out);
            Action::Continue
        }),
    });
    if !is_over {
        run.end();
    }
}

/// The protocol and the engine of a first line. `None`: a name in it is unknown.
fn set_up(line: &str) -> Option<(Protocol, EngineInfo)> {
    let mut words = line.split_ascii_whitespace();
    let protocol = Protocol::from_word(words.next()?)?;
    let game = Games::default().find(words.next()?)?;
    let variant = words.next().filter(|word| *word != "-").unwrap_or_default();
    let dialect = words.next().map_or(Some(Dialect::Same), Dialect::from_word)?;
    let option = |name: &str, kind, initial: &str| OptionSpec {
        name: name.into(),
        about: String::new(),
        kind,
        initial: initial.into(),
        tunable: false,
    };
    let info = EngineInfo {
        name: "Any".into(),
        version: "1.0".into(),
        author: String::new(),
        game,
        variant: game.variant(variant).ok()?,
        variants: game.variants.iter().map(|it| it.id.to_owned()).collect(),
        options: vec![
            option("skill", Kind::Whole(0, 20), "5"),
            option("style", Kind::Pick(vec!["calm".into(), "wild".into()]), "calm"),
            option("greed", Kind::Real(0.0, 1.0), "0.5"),
            option("book", Kind::Toggle, "true"),
            option("file", Kind::Text(64), ""),
        ],
        initial_options: vec![],
        dialect,
        default_limits: Limits { unit: Unit::Wall, call_max: Some(5_000_000), ..Limits::default() },
        overhead_us: 10_000,
    };
    Some((protocol, info))
}

/// Runs a session without threads: the input decides when the engine answers.
struct Run<'s> {
    session: &'s mut dyn Session,
    game: &'static GameInfo,
    info: EngineInfo,
    pending: Option<SearchRequest>,
    /// Whether the engine is being prepared.
    is_preparing: bool,
    postponed: VecDeque<String>,
    input_ended: bool,
}

impl Run<'_> {
    /// Handles a line of the other program or of the engine; returns whether the session is over.
    fn line(&mut self, line: &str) -> bool {
        if let Some(text) = line.strip_prefix('!') {
            return self.answer(text);
        }
        if let Some(text) = line.strip_prefix('~') {
            let report = parse_report(text);
            return self.call(|session, out| {
                session.report(&report, out);
                Action::Continue
            });
        }
        let action = self.handle_line(line);
        let (Action::Postpone | Action::StopAndPostpone) = action else {
            return self.perform(action);
        };
        self.postponed.push_back(line.to_owned());
        false
    }

    fn handle_line(&mut self, line: &str) -> Action {
        let mut out = Vec::new();
        let action = self.session.handle_line(line, &mut out);
        check_output(&out);
        let waits = matches!(action, Action::Postpone | Action::StopAndPostpone | Action::Stop);
        assert!(
            !self.is_preparing || matches!(action, Action::Postpone | Action::Quit),
            "{action:?}"
        );
        assert!(
            self.pending.is_none() || waits || matches!(action, Action::Continue | Action::Quit),
            "{action:?}"
        );
        action
    }

    fn call(&mut self, call: impl FnOnce(&mut dyn Session, &mut Vec<String>) -> Action) -> bool {
        let mut out = Vec::new();
        let action = call(self.session, &mut out);
        if self.input_ended {
            self.session.input_ended(&mut out);
        }
        check_output(&out);
        self.perform(action)
    }

    /// Performs an action and those of postponed lines, as `run_session` does; returns whether the
    /// session is over.
    fn perform(&mut self, action: Action) -> bool {
        let mut next = action;
        loop {
            match next {
                Action::Quit => return true,
                Action::Search(request) => {
                    assert_eq!(self.pending, None, "a request during a search");
                    check_request(self.game, &self.info, &request);
                    self.pending = Some(*request);
                }
                Action::Prepare(request) => {
                    assert_eq!(self.pending, None, "a preparation during a search");
                    check_request(self.game, &self.info, &request);
                    self.is_preparing = true;
                }
                Action::Stop | Action::StopAndPostpone | Action::Continue | Action::Postpone => (),
            }
            let Some(line) = self.postponed.pop_front() else { return false };
            next = match self.handle_line(&line) {
                Action::Postpone | Action::StopAndPostpone => {
                    self.postponed.push_front(line);
                    return false;
                }
                action => action,
            };
        }
    }

    /// Sends the engine's answer, if a request is pending.
    fn answer(&mut self, text: &str) -> bool {
        if std::mem::take(&mut self.is_preparing) {
            let ready = match text.trim() {
                "fault" => Err(Fault::new(FaultCode::Start, "fell\nover")),
                _ => Ok(()),
            };
            return self.call(|session, out| {
                session.engine_prepared(ready, out);
                Action::Continue
            });
        }
        let Some(request) = self.pending.take() else { return false };
        let decision = match text.trim() {
            "fault" => Err(Fault::new(FaultCode::Crash, "fell\nover")),
            "resign" => Ok(Decision::Resign),
            "draw" => Ok(Decision::AcceptDraw),
            "" => Ok(Decision::Play(free_moves(self.game, &request).swap_remove(0))),
            mv => Ok(Decision::Play(mv.to_owned())),
        };
        let choice = |decision| Choice { decision, offers_draw: false, line: None };
        self.call(|session, out| {
            session.set_search_time(1_000_000);
            session.engine_answered(decision.map(choice), out)
        })
    }

    /// Ends the input: the session must end after the answers to the pending requests.
    fn end(&mut self) {
        self.input_ended = true;
        if self.call(|_, _| Action::Continue) {
            return;
        }
        let requests_max = REQUESTS * (self.postponed.len() + 1);
        for _ in 0..requests_max {
            if self.pending.is_none() && !self.is_preparing || self.answer("") {
                return;
            }
        }
        assert_eq!(self.pending, None, "requests without end");
    }
}

/// Parses a report `SCORE MOVES`; either part may be missing. Without control characters, as the
/// host passes it on.
fn parse_report(text: &str) -> Line {
    let (score, moves) = text.split_once(' ').unwrap_or((text, ""));
    let value = score.parse::<i32>().ok().map(|value| value.clamp(-WIN_SCORE, WIN_SCORE));
    let score = value.map(|value| Score { value, bound: Bound::AtLeast });
    let moves = moves.chars().filter(|c| !c.is_control()).collect();
    Line { rank: 1, score, depth: u32::MAX, nodes: u64::MAX, spent: 1, moves }
}

fn check_output(out: &[String]) {
    for line in out {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

/// The position of a request.
fn game_of(info: &GameInfo, request: &SearchRequest) -> Box<dyn DynGame> {
    let variant = info.variant(&request.variant).expect("a variant of the game");
    let start = (!request.start.is_empty()).then_some(request.start.as_str());
    let mut game = (info.new)(&variant, start).expect("a position of the variant");
    for mv in &request.moves {
        game.play(mv).unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    game
}

/// The moves that an engine may answer.
fn free_moves(info: &GameInfo, request: &SearchRequest) -> Vec<String> {
    let mut line = String::new();
    game_of(info, request).write_legal(&mut line);
    let is_free = |mv: &&str| request.barred.iter().all(|barred| barred.r#move != **mv);
    line.split_ascii_whitespace().filter(is_free).map(str::to_owned).collect()
}

fn check_request(info: &GameInfo, engine: &EngineInfo, request: &SearchRequest) {
    let game = game_of(info, request);
    assert!(engine.plays(&game.variant()), "a request for {}", request.variant);
    assert!(!game.is_over(), "a request in a finished game");
    assert!(!free_moves(info, request).is_empty(), "a request with all moves excluded");
    for (name, value) in &request.options {
        let spec = engine.options.iter().find(|spec| spec.name == *name).expect("an option");
        spec.kind.check(value).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    let Limits { unit, call_max, game_left, depth, nodes, .. } = &request.limits;
    assert!(*depth != Some(0) && *nodes != Some(0), "{:?}", request.limits);
    let timed = call_max.or(*game_left).is_some();
    assert_eq!(timed, *unit == Unit::Wall, "{:?}", request.limits);
    for us in call_max.iter().chain(game_left) {
        assert!(*us >= 1000, "{us} µs");
    }
}
