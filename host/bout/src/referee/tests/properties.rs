//! Properties for any sequence of events: nothing panics, the record can be read and played again,
//! and clocks rise only by increments and new periods.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::record::{Record, RecordHeader};

fn settings() -> impl Strategy<Value = BoutSettings> {
    (1..4u32, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(requests, play_reported, undo, draw_offers)| {
            let on_timeout =
                if play_reported { TimeoutPolicy::PlayReported } else { TimeoutPolicy::Loss };
            BoutSettings { requests, on_timeout, undo, draw_offers, ..BoutSettings::default() }
        },
    )
}

fn players() -> impl Strategy<Value = String> {
    let player = || {
        prop_oneof![
            Just("p:none"),
            Just("p:1s+10ms"),
            Just("e:none"),
            Just("e:1s"),
            Just("e:2/1s+100ms,500ms/move"),
            Just("e:fuel:1e6"),
            Just("t:none"),
            Just("t:1s+10ms"),
            Just("t2:500ms/move"),
        ]
    };
    (player(), player()).prop_map(|(a, b)| format!("{a} {b}"))
}

/// The text of an event; `P` stands for the player to move, `C` for the open call.
fn events() -> impl Strategy<Value = String> {
    let player = 0..3u8;
    let moves = prop_oneof![
        4 => (1..4u8).prop_map(|n| n.to_string()),
        1 => Just("swap".to_owned()),
        1 => Just("x".to_owned()),
    ];
    let spent = prop_oneof![Just(0u64), 0..200_000u64, 900_000..3_000_000u64];
    prop_oneof![
        12 => (player.clone(), moves, spent.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(p, mv, us, offer, own)| {
                let offer = if offer { "offer" } else { "" };
                let p = if own { "P".to_owned() } else { p.to_string() };
                format!("move {p} #C {mv} spent {us} fuel {us} {offer} reported 1,x")
            }),
        1 => (player.clone(), spent.clone())
            .prop_map(|(p, us)| format!("fault {p} #C timeout spent {us} reported 2")),
        1 => player.clone().prop_map(|p| format!("fault {p} timeout")),
        4 => (player.clone(), spent.clone(), spent.clone())
            .prop_map(|(p, us, stop)| format!("pondered {p} spent {us} cpu {us} stop {stop}")),
        1 => Just("begin".to_owned()),
        1 => Just("begun #C".to_owned()),
        1 => Just("tick".to_owned()),
        2 => Just("pause".to_owned()),
        3 => Just("resume".to_owned()),
        2 => (0..4u8).prop_map(|n| format!("undo {n}")),
        1 => player.clone().prop_map(|p| format!("undo by {p}")),
        1 => player.clone().prop_map(|p| format!("offer {p}")),
        1 => player.clone().prop_map(|p| format!("decline {p}")),
        1 => player.prop_map(|p| format!("accepts {p} #C")),
    ]
}

proptest! {
    #[test]
    fn any_sequence_of_events(
        players in players(),
        settings in settings(),
        script in proptest::collection::vec((0..400_000u64, events()), 0..60),
    ) {
        let mut referee = referee(&players, settings);
        let mut out = Vec::new();
        let mut pondering = BTreeSet::new();
        referee.handle(0, Event::Begin, &mut out);
        follow(&mut pondering, &out)?;
        let (mut at_us, mut ended) = (0, 0);
        for (step, text) in script {
            at_us += step;
            let (player, call) = match referee.to_move() {
                Some((player, Some(call))) => (player, call),
                _ => (0, 1),
            };
            let text = text.replace('P', &player.to_string()).replace('C', &call.to_string());
            let before: Vec<_> = (0..2).map(|p| *referee.clock(p).unwrap()).collect();
            let plies = referee.plies().len();
            out.clear();
            referee.handle(at_us, event(&text), &mut out);
            follow(&mut pondering, &out)?;
            ended += out.iter().filter(|command| matches!(command, Command::Finish(_))).count();
            prop_assert!(ended <= 1, "more than one end");
            prop_assert_eq!(ended == 1, referee.result().is_some());
            let is_request = |it: &&Command| matches!(it, Command::RequestMove { .. });
            let requests = out.iter().filter(is_request).count();
            prop_assert!(requests <= 1 && (requests == 0 || referee.result().is_none()));
            prop_assert_eq!(referee.game().plies(), referee.plies().len());
            if text.starts_with("undo") {
                continue;
            }
            for (player, before) in before.iter().enumerate() {
                let (Some(was), Some(is)) = (before.left(), referee.clock(player).unwrap().left())
                else { continue };
                let moved = referee.plies()[plies.min(referee.plies().len())..]
                    .iter().any(|ply| ply.player == Some(player));
                let game = before.budget().game_clock().unwrap();
                let earned = game.increment + game.moves.map_or(0, |_| game.base);
                let limit = if moved { was.saturating_add_unsigned(earned) } else { was };
                // A refused answer of a person does not change its clock.
                prop_assert!(is <= limit, "{text}: clock of {player}: {was} to {is}");
            }
        }
        check_record(&referee, at_us)?;
    }
}

/// Checks that an engine gets no other call while it ponders, and is only stopped while it does.
fn follow(pondering: &mut BTreeSet<usize>, out: &[Command]) -> Result<(), TestCaseError> {
    for command in out {
        match command {
            Command::Ponder { player } => prop_assert!(pondering.insert(*player), "started twice"),
            Command::StopPondering { player } => {
                prop_assert!(pondering.remove(player), "not pondering")
            }
            Command::RequestMove { player, .. }
            | Command::Start { player, .. }
            | Command::SendMove { player, .. }
            | Command::TakeBack { player, .. } => {
                prop_assert!(!pondering.contains(player), "{command:?} while it ponders");
            }
            Command::Notify(Notice::Faulted { player, fault }) if fault.call.is_none() => {
                // Its instance is lost.
                pondering.remove(player);
            }
            Command::Finish(_) => {
                prop_assert!(pondering.is_empty(), "an engine ponders after the end")
            }
            _ => (),
        }
    }
    Ok(())
}

/// Checks that the record is read back unchanged, and leads to the same position and clocks.
fn check_record(referee: &Referee, now_us: u64) -> Result<(), TestCaseError> {
    let engine = |player| {
        let setup: &PlayerSetup = referee.player(player).unwrap();
        (setup.kind == PlayerKind::Engine).then(Default::default)
    };
    let engines = (0..2).map(engine).collect();
    let header = RecordHeader {
        start: None,
        opening: Vec::new(),
        seed: 5,
        started_at: "then".into(),
        engines,
    };
    let record = Record::from_referee(referee, &header, now_us, "now".into());
    let read = Record::parse(&record.to_json(), &crate::referee::counting_game::games());
    prop_assert_eq!(read.as_ref(), Ok(&record));
    let again = record.restore_referee(&crate::referee::counting_game::games()).unwrap();
    prop_assert_eq!(again.game().position(), referee.game().position());
    for player in 0..2 {
        let before_turn = |referee: &Referee| {
            let is_own = |ply: &&Ply| ply.player == Some(player);
            referee.plies().iter().rfind(is_own).map(|ply| ply.clock)
        };
        prop_assert_eq!(before_turn(&again), before_turn(referee));
    }
    Ok(())
}
