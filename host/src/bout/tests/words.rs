//! Words: whose they are, and what becomes of them.

use super::*;

fn word(number: u64, player: usize, event: PersonEvent) -> PersonEvent {
    let (player, event) = (Some(player), Box::new(event));
    PersonEvent::Said(Word { number, player, ply: None, event })
}

fn move_at(number: u64, player: usize, ply: u32, text: &str) -> PersonEvent {
    let event = Box::new(PersonEvent::Move(text.into()));
    PersonEvent::Said(Word { number, player: Some(player), ply: Some(ply), event })
}

#[derive(Default)]
struct Answers(Vec<String>);

impl Observer for Answers {
    fn answered(&mut self, _: Scene<'_>, number: u64, answer: Result<(), &str>) {
        self.0.push(format!("{number}: {}", answer.err().unwrap_or("done")));
    }
}

/// What becomes of words in a bout of two persons, and how that ends.
fn check(said: impl IntoIterator<Item = PersonEvent>, answers: &str, end: &str) {
    let (input, ends) = people();
    for event in said {
        input.send(event);
    }
    let mut heard = Answers::default();
    let report = run_on(&FakeTime::default(), setup([None, None], "none"), Some(ends), &mut heard);
    assert_eq!(heard.0.join("\n"), answers);
    assert_eq!(told(&report.unwrap()), end);
}

#[test]
fn a_word_is_that_of_its_player_alone() {
    let typed = |text: &str| PersonEvent::Move(text.into());
    let said = [word(1, 1, typed("5")), word(2, 0, typed("5")), word(3, 0, typed("6"))];
    let answers = "1: it is not your turn\n2: done\n3: it is not your turn";
    check(said.into_iter().chain([PersonEvent::Quit]), answers, "5: unfinished");
    let said = [word(1, 0, typed("x")), word(2, 0, typed("5")), PersonEvent::Quit];
    check(said, "1: it is not 1 to 9\n2: done", "5: unfinished");
}

#[test]
fn a_word_is_for_its_ply_alone() {
    let stale = "2: it was said after 0 plies, and there are 1";
    let said = vec![
        move_at(1, 0, 0, "5"),
        move_at(2, 0, 0, "5"),
        move_at(3, 1, 1, "6"),
        PersonEvent::Quit,
    ];
    check(said, &format!("1: done\n{stale}\n3: done"), "5 6: unfinished");
}

#[test]
fn only_who_speaks_resigns_offers_and_accepts() {
    use PersonEvent::{Abort, AcceptDraw, DeclineDraw, OfferDraw, Resign, Undo};
    let said = vec![
        word(1, 1, AcceptDraw),
        word(2, 1, OfferDraw),
        word(3, 1, AcceptDraw),
        word(4, 0, DeclineDraw),
        word(5, 0, OfferDraw),
        word(6, 1, AcceptDraw),
    ];
    let answers =
        "1: no draw is offered\n2: done\n3: no draw is offered\n4: done\n5: done\n6: done";
    check(said, answers, ": draw: agreed");
    check(vec![word(1, 1, Resign)], "1: done", ": n1 (even) resigns");
    check(
        vec![word(7, 0, Undo(None)), word(8, 0, Resign)],
        "7: there is nothing to undo\n8: done",
        ": n0 (odd) resigns",
    );
    check(vec![word(1, 0, Abort("enough".into()))], "1: done", ": aborted: enough");
}

#[test]
fn who_is_gone_loses() {
    let gone = |number, player| word(number, 0, PersonEvent::Gone(player));
    check(
        vec![gone(1, 7), gone(2, 1)],
        "1: there is no player 7\n2: done",
        ": n1 (even) loses: the connection is gone",
    );
}

#[test]
fn a_word_waits_for_no_turn() {
    let script = Script::new([]);
    let typed = |text: &str| PersonEvent::Move(text.into());
    let (input, ends) = people();
    let early = Step::Meanwhile(input.clone(), word(2, 0, typed("7")));
    let quit = Step::Meanwhile(input.clone(), word(3, 0, PersonEvent::Resign));
    script.steps.lock().unwrap().extend([early, quit, Step::Play("5")]);
    input.send(word(1, 0, typed("9")));
    let mut answers = Answers::default();
    let bout = setup([None, Some(&script)], "none");
    let report = run_on(&FakeTime::default(), bout, Some(ends), &mut answers).unwrap();
    assert_eq!(told(&report), "9: n0 (odd) resigns");
    assert_eq!(answers.0.join("\n"), "1: done\n2: it is not your turn\n3: done");
}

#[test]
fn a_keeper_hears_of_every_change_before_the_answer() {
    #[derive(Default)]
    struct Kept(Mutex<Vec<String>>);
    impl RecordKeeper for Kept {
        fn keep(&self, record: Box<Record>) -> Result<(), StoreError> {
            let result = if record.result.is_some() { " over" } else { "" };
            self.0.lock().unwrap().push(format!("{}{result}", record.plies.len()));
            Ok(())
        }
    }
    struct Both(Arc<Kept>);
    impl Observer for Both {
        fn answered(&mut self, _: Scene<'_>, number: u64, _: Result<(), &str>) {
            self.0.0.lock().unwrap().push(format!("answer {number}"));
        }
    }
    let kept = Arc::new(Kept::default());
    let mut bout = setup([None, None], "none");
    bout.place = Place::Sink(Sink(kept.clone()));
    let (input, ends) = people();
    input.send(move_at(1, 0, 0, "5"));
    input.send(word(2, 1, PersonEvent::Resign));
    run_on(&FakeTime::default(), bout, Some(ends), &mut Both(kept.clone())).unwrap();
    assert_eq!(kept.0.lock().unwrap().join(", "), "1, answer 1, 1 over, answer 2");
}
