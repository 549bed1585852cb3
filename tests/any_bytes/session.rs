//! Any bytes as what another program says to a session, and an engine that answers when the bytes have it answer: the
//! session goes on to its end, says nothing but lines, and asks nothing that an engine could not be asked.

use std::collections::VecDeque;

use sandboard_abi::{
    Bound, Choice, Decision, Kind, Limits, Line, OptionSpec, Score, Unit, limits::WIN_SCORE,
};
use sandboard_games::{DynGame, GameInfo};
use sandboard_host::engine::{Fault, FaultCode};
use sandboard_host::process::{Dialect, Protocol};
use sandboard_host::protocol::{self, Act, Offer, Question, Session};

/// So many lines are heard; more of them only take time.
const LINES: usize = 300;
/// An opening is asked for a move at a time: so many questions follow from one line at most.
const QUESTIONS: usize = 8;

/// The first line of the bytes is protocol, game, variant (`-`: the usual one) and spelling of moves, and every other
/// one that the program says. Of the engine are those that begin with `!` (it answers: a move, `resign`, `draw`,
/// `fault`, or nothing for some legal move) and with `~` (it reports: a score and moves).
pub fn session(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let Some((protocol, offer)) = set_up(&first) else { return };
    let game = offer.game;
    let mut session = match protocol::session(protocol, offer.clone()) {
        Ok(session) => session,
        Err(reason) => return super::can_be_shown(&reason),
    };
    let (asked, later) = (None, VecDeque::new());
    let mut held =
        Held { session: &mut *session, game, offer, asked, later, prepares: false, ended: false };
    let mut all = lines.take(LINES);
    let is_over = all.any(|line| match std::str::from_utf8(line) {
        Ok(line) => held.line(line),
        Err(_) => held.says(|session, out| {
            session.bad("the line is not UTF-8", out);
            Act::Wait
        }),
    });
    if !is_over {
        held.end();
    }
}

/// None: the line names no protocol, or no variant of a game.
fn set_up(line: &str) -> Option<(Protocol, Offer)> {
    let mut words = line.split_ascii_whitespace();
    let protocol = Protocol::of(words.next()?)?;
    let game = sandboard_games::game(words.next()?)?;
    let variant = words.next().filter(|word| *word != "-").unwrap_or_default();
    let dialect = words.next().map_or(Some(Dialect::Same), Dialect::of)?;
    let option = |name: &str, kind, initial: &str| OptionSpec {
        name: name.into(),
        about: String::new(),
        kind,
        initial: initial.into(),
        tunable: false,
    };
    let offer = Offer {
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
        set: vec![],
        dialect,
        usual: Limits { unit: Unit::Wall, call_max: Some(5_000_000), ..Limits::default() },
        overhead_us: 10_000,
    };
    Some((protocol, offer))
}

/// A session, and all that drives it but threads: what is asked is answered when it is told to be.
struct Held<'s> {
    session: &'s mut dyn Session,
    game: &'static GameInfo,
    offer: Offer,
    asked: Option<Question>,
    /// Whether the engine is being made ready.
    prepares: bool,
    later: VecDeque<String>,
    ended: bool,
}

impl Held<'_> {
    /// The program or the engine says this; whether the session is over.
    fn line(&mut self, line: &str) -> bool {
        if let Some(text) = line.strip_prefix('!') {
            return self.answer(text);
        }
        if let Some(text) = line.strip_prefix('~') {
            let report = reported(text);
            return self.says(|session, out| {
                session.report(&report, out);
                Act::Wait
            });
        }
        let act = self.hear(line);
        let (Act::Later | Act::StopFirst) = act else { return self.acts(act) };
        self.later.push_back(line.to_owned());
        false
    }

    fn hear(&mut self, line: &str) -> Act {
        let mut out = Vec::new();
        let act = self.session.hear(line, &mut out);
        check_said(&out);
        let waits = matches!(act, Act::Later | Act::StopFirst | Act::Stop);
        assert!(!self.prepares || matches!(act, Act::Later | Act::Quit), "{act:?}");
        assert!(self.asked.is_none() || waits || matches!(act, Act::Wait | Act::Quit), "{act:?}");
        act
    }

    fn says(&mut self, say: impl FnOnce(&mut dyn Session, &mut Vec<String>) -> Act) -> bool {
        let mut out = Vec::new();
        let act = say(self.session, &mut out);
        if self.ended {
            self.session.ended(&mut out);
        }
        check_said(&out);
        self.acts(act)
    }

    /// Does it, and what follows from it, as `protocol::drive` does.
    fn acts(&mut self, act: Act) -> bool {
        let mut next = act;
        loop {
            match next {
                Act::Quit => return true,
                Act::Ask(question) => {
                    assert_eq!(self.asked, None, "asked while it thinks");
                    check_question(self.game, &self.offer, &question);
                    self.asked = Some(*question);
                }
                Act::Prepare(question) => {
                    assert_eq!(self.asked, None, "made ready while it thinks");
                    check_question(self.game, &self.offer, &question);
                    self.prepares = true;
                }
                Act::Stop | Act::StopFirst | Act::Wait | Act::Later => (),
            }
            let Some(line) = self.later.pop_front() else { return false };
            next = match self.hear(&line) {
                Act::Later | Act::StopFirst => {
                    self.later.push_front(line);
                    return false;
                }
                act => act,
            };
        }
    }

    /// The engine answers, if it was asked.
    fn answer(&mut self, text: &str) -> bool {
        if std::mem::take(&mut self.prepares) {
            let ready = match text.trim() {
                "fault" => Err(Fault::new(FaultCode::Start, "fell\nover")),
                _ => Ok(()),
            };
            return self.says(|session, out| {
                session.prepared(ready, out);
                Act::Wait
            });
        }
        let Some(question) = self.asked.take() else { return false };
        let decision = match text.trim() {
            "fault" => Err(Fault::new(FaultCode::Crash, "fell\nover")),
            "resign" => Ok(Decision::Resign),
            "draw" => Ok(Decision::AcceptDraw),
            "" => Ok(Decision::Play(free_moves(self.game, &question).swap_remove(0))),
            mv => Ok(Decision::Play(mv.to_owned())),
        };
        let choice = |decision| Choice { decision, offers_draw: false, line: None };
        self.says(|session, out| {
            session.took(1_000_000);
            session.answered(decision.map(choice), out)
        })
    }

    /// The program says no more: the session comes to an end by the answers to what is asked still.
    fn end(&mut self) {
        self.ended = true;
        if self.says(|_, _| Act::Wait) {
            return;
        }
        let most = QUESTIONS * (self.later.len() + 1);
        for _ in 0..most {
            if self.asked.is_none() && !self.prepares || self.answer("") {
                return;
            }
        }
        assert_eq!(self.asked, None, "asks for ever");
    }
}

/// `SCORE MOVES`, where either may be missing; clean, as the host hands it on.
fn reported(text: &str) -> Line {
    let (score, moves) = text.split_once(' ').unwrap_or((text, ""));
    let value = score.parse::<i32>().ok().map(|value| value.clamp(-WIN_SCORE, WIN_SCORE));
    let score = value.map(|value| Score { value, bound: Bound::AtLeast });
    let moves = moves.chars().filter(|c| !c.is_control()).collect();
    Line { rank: 1, score, depth: u32::MAX, nodes: u64::MAX, spent: 1, moves }
}

fn check_said(out: &[String]) {
    for line in out {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

/// The game of a question as it stands.
fn game_of(info: &GameInfo, question: &Question) -> Box<dyn DynGame> {
    let variant = info.variant(&question.variant).expect("a variant of the game");
    let start = (!question.start.is_empty()).then_some(question.start.as_str());
    let mut game = (info.new)(&variant, start).expect("a position of the variant");
    for mv in &question.moves {
        game.play(mv).unwrap_or_else(|refusal| panic!("{refusal}"));
    }
    game
}

/// What an engine may answer.
fn free_moves(info: &GameInfo, question: &Question) -> Vec<String> {
    let mut line = String::new();
    game_of(info, question).write_legal(&mut line);
    let is_free = |mv: &&str| question.barred.iter().all(|barred| barred.r#move != **mv);
    line.split_ascii_whitespace().filter(is_free).map(str::to_owned).collect()
}

fn check_question(info: &GameInfo, offer: &Offer, question: &Question) {
    let game = game_of(info, question);
    assert!(offer.plays(&game.variant()), "asked for {}", question.variant);
    assert!(game.outcome().is_none(), "asked about a game that is over");
    assert!(!free_moves(info, question).is_empty(), "asked with every move barred");
    for (name, value) in &question.options {
        let spec = offer.options.iter().find(|spec| spec.name == *name).expect("an option");
        spec.kind.check(value).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    let Limits { unit, call_max, game_left, depth, nodes, .. } = &question.limits;
    assert!(*depth != Some(0) && *nodes != Some(0), "{:?}", question.limits);
    let timed = call_max.or(*game_left).is_some();
    assert_eq!(timed, *unit == Unit::Wall, "{:?}", question.limits);
    for us in call_max.iter().chain(game_left) {
        assert!(*us >= 1000, "{us} µs");
    }
}
