//! A bout whose rules fail, as plugged-in rules can.

use sandboard_games::general::{Next, Observer};
use sandboard_games::{Ending, GameInfo, Phase, Refusal, Variant};

use super::*;

/// The counting game. Its rules fail at the move `9`, and after the move `8`.
struct Failing {
    game: Box<dyn DynGame>,
    failed: bool,
}

impl DynGame for Failing {
    fn info(&self) -> &'static GameInfo {
        self.game.info()
    }

    fn variant(&self) -> Variant {
        self.game.variant()
    }

    fn position(&self) -> String {
        self.game.position()
    }

    fn next(&self) -> Next {
        self.game.next()
    }

    fn to_move(&self) -> Seat {
        self.game.to_move()
    }

    fn phase(&self) -> Phase {
        self.game.phase()
    }

    fn prompt(&self) -> Option<String> {
        self.game.prompt()
    }

    fn side(&self, seat: Seat) -> Side {
        self.game.side(seat)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.game.side_name(side)
    }

    fn ending(&self) -> Option<Ending> {
        self.game.ending()
    }

    fn write_legal_of(&self, seat: Seat, out: &mut String) {
        self.game.write_legal_of(seat, out);
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        self.failed |= matches!(text, "8" | "9");
        match text {
            "9" => Err(Refusal { text: text.into(), reason: "the rules failed".into() }),
            _ => self.game.play(text),
        }
    }

    fn canonical(&self, text: &str) -> Result<String, Refusal> {
        self.game.canonical(text)
    }

    fn take_back(&mut self, plies: usize) -> usize {
        self.game.take_back(plies)
    }

    fn plies(&self) -> usize {
        self.game.plies()
    }

    fn moves(&self) -> Vec<String> {
        self.game.moves()
    }

    fn write_last_move(&self, out: &mut String) {
        self.game.write_last_move(out);
    }

    fn diagram(&self, observer: Observer) -> String {
        self.game.diagram(observer)
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.game.facts()
    }

    fn perft(&self, depth: u32) -> u64 {
        self.game.perft(depth)
    }

    fn hash(&self) -> u64 {
        self.game.hash()
    }

    fn symmetric_hash(&self) -> u64 {
        self.game.symmetric_hash()
    }

    fn without_history(&self) -> Box<dyn DynGame> {
        self.game.without_history()
    }

    fn boxed_clone(&self) -> Box<dyn DynGame> {
        Box::new(Failing { game: self.game.boxed_clone(), failed: self.failed })
    }

    fn fault(&self) -> Option<String> {
        self.failed.then(|| "trapped".to_owned())
    }
}

#[test]
fn a_bout_whose_rules_fail_has_no_result() {
    let check = |mv: &str, plies: usize| {
        let game = (COUNTING.new)(&COUNTING.variant("").unwrap(), None).unwrap();
        let game = Box::new(Failing { game, failed: false });
        let mut referee = referee_of(game, EE, default_settings());
        let mut out = Vec::new();
        referee.handle(0, event("begin"), &mut out);
        referee.handle(1, event(&format!("move 0 #1 {mv}")), &mut out);
        let result = referee.result().expect("the bout is over");
        assert_eq!(result.termination, Termination::Aborted);
        assert_eq!(result.sentence, "aborted: the rules of Counting failed: trapped");
        assert_eq!((result.winner, referee.plies().len()), (None, plies));
        let requests = |command: &&Command| matches!(command, Command::RequestMove { .. });
        assert_eq!(out.iter().filter(requests).count(), 1, "no player is asked again");
    };
    check("9", 0);
    check("8", 1);
}
