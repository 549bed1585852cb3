//! What a person sees of a bout: board and clocks at every turn, what engines
//! say, refusals with reasons, the end.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use sandboard_abi::{Choice, Decision, Limits};

use super::gate::State;
use super::reader::Desk;
use super::texts::{self, Paint};
use super::tty::Output;
use super::{Manner, Next, words};
use crate::bout::{BoutReport, BoutSetup, Observer, Scene};
use crate::record::store::StoreError;
use crate::referee::{BoutResult, Notice, PlayerKind};

/// An engine that may think longer than this has the board drawn before it.
const LONG_US: u64 = 1_000_000;

pub struct Screen {
    output: Output,
    desk: Arc<Desk>,
    paint: Paint,
    next: Next,
    /// A move was made, and the turn after it has not begun.
    moving: bool,
    /// The last thing that happened was a fault.
    faulted: bool,
    people: usize,
}

impl Screen {
    pub fn new(output: Output, desk: Arc<Desk>, manner: &Manner) -> Self {
        let paint = Paint { on: manner.colors };
        let next = manner.next.clone();
        Self { output, desk, paint, next, moving: false, faulted: false, people: 0 }
    }

    pub fn header(&mut self, setup: &BoutSetup) {
        let person =
            |player: &&crate::bout::Participant| matches!(player.mover, crate::bout::Mover::Person);
        self.people = setup.players.iter().filter(person).count();
        self.say(&texts::header(setup));
        let moves = setup.start.game.move_texts;
        self.say(&format!("a move is {moves}\ntype one, or `help` for what else there is\n"));
    }

    pub fn footer(&self, report: &BoutReport) {
        if report.result.is_none() {
            self.say("the bout is not finished\n");
        }
        self.say(&texts::footer(report, &self.next));
    }

    fn say(&self, text: &str) {
        self.output.say(text);
    }

    fn name<'a>(&self, scene: &Scene<'a>, player: usize) -> &'a str {
        scene.referee.player(player).map_or("", |setup| setup.name.as_str())
    }

    fn is_person(scene: &Scene<'_>, player: usize) -> bool {
        let setup = scene.referee.player(player);
        setup.is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    fn board(&self, scene: Scene<'_>) {
        let board = self.paint.board(&scene.referee.game().board());
        self.say(&format!("\n{board}{}", texts::clocks(scene)));
    }

    /// Lets the keyboard go on where the bout waits for people.
    fn settle(&self, scene: Scene<'_>) {
        let to_move = scene.referee.to_move();
        let free = scene.referee.is_paused()
            || to_move.is_some_and(|(player, _)| Self::is_person(&scene, player));
        if free && !self.moving {
            self.desk.gate.set(State::Free);
        }
    }

    fn moved(&self, scene: Scene<'_>, player: usize, mv: &str, marked: bool) {
        if Self::is_person(&scene, player) && self.people == 1 {
            return;
        }
        let mark = if marked { ", the last move that it reported in time" } else { "" };
        let last = scene.referee.plies().last();
        let said = last.and_then(|ply| ply.line.as_deref()).map(texts::line).unwrap_or_default();
        let said = if said.is_empty() { said } else { format!("   {}", self.paint.faint(&said)) };
        let (name, mv) = (self.name(&scene, player), self.paint.strong(mv));
        self.say(&format!("{name} plays {mv}{mark}{said}\n"));
    }

    fn refused(&self, scene: Scene<'_>, player: usize, mv: &str, reason: &str, left: Option<u32>) {
        let hint = words::meant(mv).filter(|_| left.is_none());
        let hint = hint.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let who = match left {
            None => String::new(),
            Some(_) => format!("{}: ", self.name(&scene, player)),
        };
        let again = match left {
            None => "",
            Some(0) => "; it may not try again",
            Some(_) => "; it is asked again",
        };
        let text = format!("{who}`{mv}` is refused: {reason}{again}{hint}");
        self.say(&format!("{}\n", self.paint.bad(&text)));
    }
}

impl Observer for Screen {
    fn notice(&mut self, scene: Scene<'_>, notice: &Notice) {
        match notice {
            Notice::Began => {
                if !scene.referee.plies().is_empty() {
                    self.say(&format!("going on after {} plies\n", scene.referee.plies().len()));
                }
            }
            Notice::Moved { player, mv, mark, .. } => {
                self.moving = true;
                self.moved(scene, *player, mv, mark.is_some());
            }
            Notice::Swapped { names } => {
                self.say(&format!("the sides are now {} and {}\n", names[0], names[1]));
            }
            Notice::Refused { player, mv, reason, requests_left } => {
                self.refused(scene, *player, mv, reason, *requests_left);
                self.settle(scene);
            }
            Notice::Faulted { player, fault } => {
                let text = format!("{} {}", self.name(&scene, *player), fault.sentence);
                self.say(&format!("{}\n", self.paint.bad(&text)));
            }
            // A fault that is a timeout has said so.
            Notice::Late { .. } if self.faulted => (),
            Notice::Late { player, spent, allowed } => {
                let text = texts::late(scene, *player, *spent, *allowed);
                self.say(&format!("{}\n", self.paint.bad(&text)));
            }
            Notice::DrawOffered { player } => {
                let name = self.name(&scene, *player);
                let how = match Self::is_person(&scene, *player) && self.people == 1 {
                    true => "",
                    false => " (`accept` or `decline`)",
                };
                self.say(&format!("{name} offers a draw{how}\n"));
                self.settle(scene);
            }
            Notice::DrawDeclined { player } => {
                self.say(&format!(
                    "the draw that {} offered is declined\n",
                    self.name(&scene, *player)
                ));
                self.settle(scene);
            }
            Notice::Undone { plies } => {
                let s = if *plies == 1 { "y" } else { "ies" };
                self.say(&format!("{plies} pl{s} taken back\n"));
                if scene.referee.is_paused() {
                    self.settle(scene);
                }
            }
            Notice::Paused => {
                self.say("the clocks stand still; `resume` lets them run again\n");
                self.desk.gate.set(State::Free);
            }
            Notice::Resumed => {
                self.say("the clocks run\n");
                self.settle(scene);
            }
        }
        self.faulted = matches!(notice, Notice::Faulted { .. });
    }

    fn thinking(&mut self, scene: Scene<'_>, player: usize) {
        let allowed = scene.referee.clock(player).and_then(|clock| clock.allowed());
        let budget = scene.referee.player(player).map(|setup| setup.budget).unwrap_or_default();
        let endless = budget.is_none();
        if allowed.is_none_or(|allowed| allowed > LONG_US) {
            self.board(scene);
            let name = self.name(&scene, player);
            self.say(
                &self.paint.faint(&format!("{name} is thinking; `now` has it play at once\n")),
            );
        }
        self.moving = false;
        self.desk.gate.set(State::Thinking { endless });
    }

    fn your_turn(&mut self, scene: Scene<'_>, player: usize, limits: &Limits) {
        let game = scene.referee.game();
        let mut legal = String::new();
        game.write_legal(&mut legal);
        *self.desk.legal.lock().unwrap_or_else(PoisonError::into_inner) = legal;
        self.board(scene);
        let side = scene.referee.side(player).map_or("", |side| game.side_name(side));
        let name = self.name(&scene, player);
        let offer = if limits.draw_offered { "; a draw is offered" } else { "" };
        let question = game.question().map_or(String::new(), |question| format!(": {question}"));
        self.say(&format!("{side} ({name}) to move{offer}{question}\n"));
        self.moving = false;
        self.desk.gate.set(State::Free);
    }

    fn show(&mut self, scene: Scene<'_>) {
        self.board(scene);
        self.settle(scene);
    }

    fn rejected(&mut self, scene: Scene<'_>, reason: &str) {
        self.say(&format!("{}\n", self.paint.bad(reason)));
        self.settle(scene);
    }

    fn hint(&mut self, scene: Scene<'_>, hint: Result<&Choice, &str>) {
        let text = match hint {
            Err(reason) => format!("there is no hint: {reason}"),
            Ok(choice) => match &choice.decision {
                Decision::Play(mv) => {
                    let said = choice.line.as_ref().map(texts::line).unwrap_or_default();
                    let said = if said.is_empty() { said } else { format!("   {said}") };
                    format!("hint: {}{}", self.paint.strong(mv), self.paint.faint(&said))
                }
                Decision::Resign => "hint: resign".to_owned(),
                Decision::AcceptDraw => "hint: take the draw".to_owned(),
            },
        };
        self.say(&format!("{text}\n"));
        self.settle(scene);
    }

    fn saved(&mut self, saved: Result<&Path, &StoreError>) {
        let text = match saved {
            Ok(path) => format!("saved: {}", path.display()),
            Err(error) => self.paint.bad(&format!("not saved: {error}")),
        };
        self.say(&format!("{text}\n"));
        if !self.moving {
            self.desk.gate.set(State::Free);
        }
    }

    fn ended(&mut self, scene: Scene<'_>, result: &BoutResult) {
        self.desk.gate.close();
        self.board(scene);
        self.say(&format!("{}\n", self.paint.strong(&result.sentence)));
    }
}
