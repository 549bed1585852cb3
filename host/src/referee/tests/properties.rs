//! What holds whatever events come: no panic, a record that plays again, and
//! clocks that rise by increments only.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::record::{Header, Record};

fn settings() -> impl Strategy<Value = Settings> {
    (1..4u32, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(requests, late, undo, draw)| {
            let on_timeout = if late { OnTimeout::PlayReported } else { OnTimeout::Loss };
            Settings { requests, on_timeout, undo, draw_offers: draw, ..Settings::default() }
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

/// An event by its text; `C` stands for the call that is in progress.
fn events() -> impl Strategy<Value = String> {
    let player = 0..3u8;
    let moves = prop_oneof![4 => (1..4u8).prop_map(|n| n.to_string()), 1 => Just("swap".to_owned()), 1 => Just("x".to_owned())];
    let spent = prop_oneof![Just(0u64), 0..200_000u64, 900_000..3_000_000u64];
    prop_oneof![
        12 => (player.clone(), moves, spent.clone(), any::<bool>(), any::<bool>()).prop_map(|(p, mv, us, offer, own)| {
            let offer = if offer { "offer" } else { "" };
            let p = if own { "P".to_owned() } else { p.to_string() };
            format!("move {p} #C {mv} spent {us} fuel {us} {offer} reported 1,x")
        }),
        1 => (player.clone(), spent.clone()).prop_map(|(p, us)| format!("fault {p} #C timeout spent {us} reported 2")),
        1 => player.clone().prop_map(|p| format!("fault {p} timeout")),
        4 => (player.clone(), spent.clone(), spent.clone()).prop_map(|(p, us, late)| format!("back {p} spent {us} cpu {us} late {late}")),
        1 => Just("begin".to_owned()),
        1 => Just("asked #C".to_owned()),
        1 => Just("tick".to_owned()),
        2 => Just("pause".to_owned()),
        3 => Just("resume".to_owned()),
        2 => (0..4u8).prop_map(|n| format!("undo {n}")),
        1 => player.clone().prop_map(|p| format!("undo by {p}")),
        1 => player.clone().prop_map(|p| format!("offer {p}")),
        1 => player.clone().prop_map(|p| format!("decline {p}")),
        1 => player.prop_map(|p| format!("takes-draw {p} #C")),
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
            ended += out.iter().filter(|command| matches!(command, Command::End(_))).count();
            prop_assert!(ended <= 1, "one end");
            prop_assert_eq!(ended == 1, referee.result().is_some());
            let asked = out.iter().filter(|command| matches!(command, Command::Ask { .. })).count();
            prop_assert!(asked <= 1 && (asked == 0 || referee.result().is_none()));
            prop_assert_eq!(referee.game().plies(), referee.plies().len());
            if text.starts_with("undo") {
                continue;
            }
            for (player, before) in before.iter().enumerate() {
                let (Some(was), Some(is)) = (before.left(), referee.clock(player).unwrap().left())
                else { continue };
                let moved = referee.plies()[plies.min(referee.plies().len())..]
                    .iter().any(|ply| ply.player == player);
                let game = before.budget().game().unwrap();
                let earned = game.increment + game.moves.map_or(0, |_| game.base);
                let most = if moved { was.saturating_add_unsigned(earned) } else { was };
                // A person's refused answer leaves its clock as it was.
                prop_assert!(is <= most, "{text}: clock of {player}: {was} to {is}");
            }
        }
        check_record(&referee, at_us)?;
    }
}

/// Who thinks on its opponents' time is told nothing, and whoever is told to stop does think.
fn follow(pondering: &mut BTreeSet<usize>, out: &[Command]) -> Result<(), TestCaseError> {
    for command in out {
        match command {
            Command::Ponder { player } => prop_assert!(pondering.insert(*player), "twice"),
            Command::StopPondering { player } => prop_assert!(pondering.remove(player), "idle"),
            Command::Ask { player, .. }
            | Command::Start { player }
            | Command::Tell { player, .. }
            | Command::TakeBack { player, .. } => {
                prop_assert!(!pondering.contains(player), "{command:?} while it thinks");
            }
            Command::Show(Notice::Faulted { player, fault }) if fault.call.is_none() => {
                // Its instance is gone.
                pondering.remove(player);
            }
            Command::End(_) => prop_assert!(pondering.is_empty(), "it thinks after the end"),
            _ => (),
        }
    }
    Ok(())
}

/// The record reads back equal, and plays to the same position and clocks.
fn check_record(referee: &Referee, now_us: u64) -> Result<(), TestCaseError> {
    let engine = |player| {
        let setup: &PlayerSetup = referee.player(player).unwrap();
        (setup.kind == PlayerKind::Engine).then(Default::default)
    };
    let engines = (0..2).map(engine).collect();
    let header = Header { start: None, seed: 5, started_at: "then".into(), engines };
    let record = Record::of(referee, &header, now_us, "now".into());
    let read = Record::parse(&record.to_json(), crate::referee::counting::games);
    prop_assert_eq!(read.as_ref(), Ok(&record));
    let again = record.referee(crate::referee::counting::games).unwrap();
    prop_assert_eq!(again.game().position(), referee.game().position());
    for player in 0..2 {
        let before_turn = |referee: &Referee| {
            let mine = |ply: &&Ply| ply.player == player;
            referee.plies().iter().rfind(mine).map(|ply| ply.after)
        };
        prop_assert_eq!(before_turn(&again), before_turn(referee));
    }
    Ok(())
}
