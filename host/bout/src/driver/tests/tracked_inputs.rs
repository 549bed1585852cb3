//! Tracked inputs: their players, and their answers.

use super::*;

fn input(number: u64, player: usize, event: InputEvent) -> InputEvent {
    let (player, event) = (Some(player), Box::new(event));
    InputEvent::Tracked(TrackedInput { number, player, ply: None, event })
}

fn move_at(number: u64, player: usize, ply: u32, text: &str) -> InputEvent {
    let event = Box::new(InputEvent::Move(text.into()));
    InputEvent::Tracked(TrackedInput { number, player: Some(player), ply: Some(ply), event })
}

#[derive(Default)]
struct Answers(Vec<String>);

impl Observer for Answers {
    fn input_answered(&mut self, _: BoutView<'_>, number: u64, answer: Result<(), &str>) {
        self.0.push(format!("{number}: {}", answer.err().unwrap_or("done")));
    }
}

/// Checks the answers to inputs in a bout between two people, and its end.
fn check(inputs: impl IntoIterator<Item = InputEvent>, answers: &str, end: &str) {
    let (sender, ends) = input_channel();
    for event in inputs {
        sender.send(event);
    }
    let mut received = Answers::default();
    let report =
        run_with_time(&FakeTime::default(), setup([None, None], "none"), Some(ends), &mut received);
    assert_eq!(received.0.join("\n"), answers);
    assert_eq!(summary(&report.unwrap()), end);
}

#[test]
fn an_input_counts_for_its_player_only() {
    let typed = |text: &str| InputEvent::Move(text.into());
    let said = [input(1, 1, typed("5")), input(2, 0, typed("5")), input(3, 0, typed("6"))];
    let answers = "1: it is not your turn\n2: done\n3: it is not your turn";
    check(said.into_iter().chain([InputEvent::Quit]), answers, "5: unfinished");
    let said = [input(1, 0, typed("x")), input(2, 0, typed("5")), InputEvent::Quit];
    check(said, "1: not a number from 1 to 9\n2: done", "5: unfinished");
}

#[test]
fn an_input_counts_at_its_ply_only() {
    let stale = "2: the input is for ply 0, but the bout is at ply 1";
    let said =
        vec![move_at(1, 0, 0, "5"), move_at(2, 0, 0, "5"), move_at(3, 1, 1, "6"), InputEvent::Quit];
    check(said, &format!("1: done\n{stale}\n3: done"), "5 6: unfinished");
}

#[test]
fn resignations_and_draw_offers_are_those_of_the_player() {
    use InputEvent::{Abort, AcceptDraw, DeclineDraw, OfferDraw, Resign, Undo};
    let said = vec![
        input(1, 1, AcceptDraw),
        input(2, 1, OfferDraw),
        input(3, 1, AcceptDraw),
        input(4, 0, DeclineDraw),
        input(5, 0, OfferDraw),
        input(6, 1, AcceptDraw),
    ];
    let answers =
        "1: no draw is offered\n2: done\n3: no draw is offered\n4: done\n5: done\n6: done";
    check(said, answers, ": draw: agreed");
    check(vec![input(1, 1, Resign)], "1: done", ": n1 (even) resigns");
    check(
        vec![input(7, 0, Undo(None)), input(8, 0, Resign)],
        "7: there is nothing to undo\n8: done",
        ": n0 (odd) resigns",
    );
    check(vec![input(1, 0, Abort("enough".into()))], "1: done", ": aborted: enough");
}

#[test]
fn a_disconnected_player_loses() {
    let disconnected = |number, player| input(number, 0, InputEvent::Disconnected(player));
    check(
        vec![disconnected(1, 7), disconnected(2, 1)],
        "1: there is no player 7\n2: done",
        ": n1 (even) loses: the connection is lost",
    );
}

#[test]
fn a_tracked_input_does_not_wait_for_a_turn() {
    let script = Script::new([]);
    let typed = |text: &str| InputEvent::Move(text.into());
    let (sender, ends) = input_channel();
    let early = Step::Meanwhile(sender.clone(), input(2, 0, typed("7")));
    let quit = Step::Meanwhile(sender.clone(), input(3, 0, InputEvent::Resign));
    script.steps.lock().unwrap().extend([early, quit, Step::Play("5")]);
    sender.send(input(1, 0, typed("9")));
    let mut answers = Answers::default();
    let bout = setup([None, Some(&script)], "none");
    let report = run_with_time(&FakeTime::default(), bout, Some(ends), &mut answers).unwrap();
    assert_eq!(summary(&report), "9: n0 (odd) resigns");
    assert_eq!(answers.0.join("\n"), "1: done\n2: it is not your turn\n3: done");
}

#[test]
fn a_store_receives_every_change_before_the_answer() {
    #[derive(Default)]
    struct Saved(Mutex<Vec<String>>);
    impl RecordStore for Saved {
        fn save(&self, record: Box<Record>) -> Result<(), FileError> {
            let result = if record.result.is_some() { " over" } else { "" };
            self.0.lock().unwrap().push(format!("{}{result}", record.plies.len()));
            Ok(())
        }
    }
    struct AnswerLog(Arc<Saved>);
    impl Observer for AnswerLog {
        fn input_answered(&mut self, _: BoutView<'_>, number: u64, _: Result<(), &str>) {
            self.0.0.lock().unwrap().push(format!("answer {number}"));
        }
    }
    let saved = Arc::new(Saved::default());
    let mut bout = setup([None, None], "none");
    bout.destination = RecordDestination::Store(RecordStoreHandle(saved.clone()));
    let (sender, ends) = input_channel();
    sender.send(move_at(1, 0, 0, "5"));
    sender.send(input(2, 1, InputEvent::Resign));
    run_with_time(&FakeTime::default(), bout, Some(ends), &mut AnswerLog(saved.clone())).unwrap();
    assert_eq!(saved.0.lock().unwrap().join(", "), "1, answer 1, 1 over, answer 2");
}
