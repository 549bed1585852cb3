//! A sample record for tests.

use sandboard_abi::{Bound, Choice, Decision, Line, Score};
use sandboard_engine::{
    ChooseResponse, Confinement, Fault, FaultCode, FuelCounter, FuelMeter, InstanceLimits,
    TranscriptHash, Usage,
};

use super::{EngineRecord, LogRecord, Record, RecordHeader};
use crate::referee::counting_game::COUNTING;
use crate::referee::{BoutSettings, Event, PlayerKind, PlayerSetup, Referee, TimeoutPolicy};

/// A finished bout whose record has every field and most kinds of events.
pub(crate) fn eventful() -> Record {
    let player = |seat: u8, kind, budget: &str| PlayerSetup {
        name: format!("n{seat}"),
        seats: vec![seat, seat + 2],
        budget: budget.parse().unwrap(),
        kind,
        ponder_threads: None,
    };
    let players =
        vec![player(0, PlayerKind::Engine, "3m+2s"), player(1, PlayerKind::Person, "none")];
    let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
    let on_timeout = TimeoutPolicy::PlayReported;
    let settings = BoutSettings { on_timeout, ..BoutSettings::default() };
    let mut referee = Referee::new(game, players, settings, 0).unwrap();
    let mut out = Vec::new();
    let mut now_us = 0;
    let mut handle = |referee: &mut Referee, event| {
        now_us += 1_000;
        referee.handle(now_us, event, &mut out);
    };
    let answer = |player, call, mv: &str, line, offers_draw| {
        let decision = Decision::Play(mv.into());
        let spent = Usage {
            wall_us: 1_500,
            cpu_us: Some(1_400),
            fuel: Some(7),
            peak_memory_bytes: Some(9),
            logged_bytes: 3,
            transcript_hash: Some(TranscriptHash([0xab; 16])),
            stopped: true,
        };
        let choice = Choice { decision, offers_draw, line };
        let response = ChooseResponse { choice, spent };
        Event::Answered { player, call, response, reported: Vec::new() }
    };
    let score = Some(Score { value: -30, bound: Bound::AtMost });
    let line = Line { rank: 1, score, depth: 4, nodes: 99, spent: 5, moves: "3 1".into() };
    handle(&mut referee, Event::Begin);
    handle(&mut referee, answer(0, 1, "x", None, false));
    handle(&mut referee, answer(0, 2, "3", Some(line), true));
    handle(&mut referee, Event::DeclineDraw { player: 1 });
    handle(&mut referee, answer(1, 3, "2", None, false));
    handle(&mut referee, Event::Undo { plies: Some(1), by: None });
    handle(&mut referee, Event::Pause);
    handle(&mut referee, Event::Resume);
    let call = referee.to_move().and_then(|(_, call)| call).unwrap();
    handle(&mut referee, answer(1, call, "1", None, false));
    let spent = Usage { wall_us: 200_000_000, ..Usage::default() };
    let fault = Fault { spent, ..Fault::new(FaultCode::Timeout, "did not answer") };
    let (call, reported) = (Some(call + 1), vec!["2".into()]);
    handle(&mut referee, Event::Fault { player: 0, call, fault, reported });
    handle(&mut referee, Event::Resign { player: 1 });
    let engine = EngineRecord {
        id: "e".into(),
        version: "1".into(),
        module_sha256: Some("ab".into()),
        options: [("depth".to_owned(), "3".to_owned())].into(),
        seed: u64::MAX,
        limits: InstanceLimits {
            memory_bytes: 1 << 26,
            start_ms: 5_000,
            log_bytes: 1 << 16,
            stack_bytes: 1 << 20,
            stack_slots: 0,
        },
        threads: 1,
        assets: [("book".to_owned(), "cd".to_owned())].into(),
        fuel_meter: Some(FuelMeter {
            prices: 1,
            counter: FuelCounter::Runtime {
                name: "wasmtime 1.2.3".into(),
                opt_level: "speed".into(),
            },
        }),
        jail: Some(Confinement {
            layers: vec!["seccomp".into(), "rlimits".into()],
            below_minimum: Some("no landlock".into()),
        }),
    };
    let header = RecordHeader {
        start: Some("0 0 0".into()),
        opening: Vec::new(),
        seed: u64::MAX,
        started_at: "2026-07-01T12:34:56Z".into(),
        engines: vec![Some(engine), None],
    };
    let saved_at = "2026-07-01T12:35:00Z".into();
    let mut record = Record::from_referee(&referee, &header, now_us, saved_at);
    let (level, text) = ("info".into(), "hello".into());
    record.logs.push(LogRecord { player: 0, at_ply: 1, level, text });
    record
}
