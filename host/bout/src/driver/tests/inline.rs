//! Bouts without waiting, compared with the driver that waits for input.

use InputEvent::*;

use super::*;
use crate::driver::InlineBout;
use crate::referee::Event;

/// The record of an inline bout of a person (player 0) and a script, and each refusal.
fn play_inline(
    script: &Arc<Script>,
    inputs: &[InputEvent],
) -> (crate::record::Record, Vec<String>) {
    let BoutSetup { start, seed, settings, players, .. } = setup([None, Some(script)], "none");
    let date = "2026-07-01T12:34:56Z";
    let bout = InlineBout::new(start, seed, settings, players, None, date.into());
    let mut bout = bout.unwrap();
    let mut refusals = Vec::new();
    bout.run(&|| 0);
    for input in inputs {
        let answer = match input {
            Move(text) => bout.play(0, text),
            Undo(plies) => bout.handle(0, Event::Undo { plies: *plies, by: Some(0) }),
            Resign => bout.handle(0, Event::Resign { player: 0 }),
            other => panic!("{other:?}"),
        };
        refusals.extend(answer.err());
        bout.run(&|| 0);
    }
    (bout.record(0, date.into()), refusals)
}

/// The record of the same bout with the driver that waits.
fn play_waiting(script: &Arc<Script>, inputs: &[InputEvent]) -> crate::record::Record {
    let (input, ends) = input_channel();
    inputs.iter().for_each(|event| assert!(input.send(event.clone())));
    let setup = setup([None, Some(script)], "none");
    run_with_time(&FakeTime::default(), setup, Some(ends), &mut NullObserver).unwrap().record
}

#[test]
fn a_bout_is_the_same_without_waiting() {
    let typed = |text: &str| Move(text.into());
    let check = |steps: &[Step], inputs: &[InputEvent], refusals: &[&str]| {
        let [one, other] = [(); 2].map(|()| Script::new(steps.iter().cloned()));
        let (inline, refused) = play_inline(&one, inputs);
        let mut waiting = play_waiting(&other, inputs);
        (waiting.started_at, waiting.saved_at) =
            (inline.started_at.clone(), inline.saved_at.clone());
        assert_eq!(inline, waiting, "{steps:?} {inputs:?}");
        assert_eq!(one.calls(), other.calls(), "{steps:?} {inputs:?}");
        assert_eq!(refused, refusals, "{inputs:?}");
    };
    let play = Step::Play;
    check(&[], &[], &[]);
    check(&[play("9")], &[typed("9"), typed("9")], &[]);
    check(&[play("9")], &[typed("x"), typed("9"), typed("9")], &["not a number from 1 to 9"]);
    check(&[], &[Undo(None), typed("1")], &["there is nothing to undo"]);
    check(&[], &[Resign], &[]);
    check(&[Step::Report("4 5"), play("5")], &[typed("4")], &[]);
    check(&[play("x"), play("5")], &[typed("4")], &[]);
    check(&[play("x"), play("x")], &[typed("4")], &[]);
    check(&[Step::Fault(FaultCode::Crash)], &[typed("4")], &[]);
    check(&[Step::Resign], &[typed("4")], &[]);
}

#[test]
fn moves_are_taken_back_after_the_answer() {
    let script = Script::moves("5 3");
    let inputs = [Move("4".into()), Undo(None), Move("9".into())];
    let (record, refusals) = play_inline(&script, &inputs);
    let moves: Vec<&str> = record.plies.iter().map(|ply| ply.r#move.as_str()).collect();
    assert_eq!((moves.join(" "), refusals), ("9 3".to_owned(), vec![]));
    let calls = "start [1, 3] [], played 4, choose, played 5, back 2, played 9, choose, played 3";
    assert_eq!(script.calls(), calls);
}

#[test]
fn nothing_can_be_played_after_the_end() {
    let script = Script::moves("9");
    let BoutSetup { start, seed, settings, players, .. } = setup([None, Some(&script)], "none");
    let mut bout = InlineBout::new(start, seed, settings, players, None, String::new()).unwrap();
    bout.run(&|| 0);
    let mut check = |text: &str, expected: Result<(), &str>| {
        assert_eq!(bout.play(0, text), expected.map_err(str::to_owned), "{text}");
        bout.run(&|| 0);
    };
    check("9", Ok(()));
    check("9", Ok(()));
    check("1", Err("it is not your turn"));
}
