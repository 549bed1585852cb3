//! Shows a bout to a person: board and clocks at every turn, the engines' reports, refusals with
//! reasons, the end.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use sandboard_abi::{Choice, Decision, Limits};
use sandboard_games::Games;

use super::gate::State;
use super::reader::InputContext;
use super::texts::{self, TextStyle};
use super::tty::Output;
use super::{CommandHints, DisplayOptions, commands};
use sandboard_bout::driver::{BoutReport, BoutSetup, BoutView, Observer};
use sandboard_bout::referee::{BoutResult, Notice, PlayerKind, Viewer};
use sandboard_common::files::FileError;

/// If an engine may think longer than this, in microseconds, the board is drawn first.
const LONG_US: u64 = 1_000_000;

pub(super) struct Screen {
    output: Output,
    context: Arc<InputContext>,
    style: TextStyle,
    hints: CommandHints,
    games: Games,
    /// Whether a move was made, and the next turn has not started.
    moving: bool,
    /// Whether the last notice was a fault.
    faulted: bool,
    /// Whether the bout continues a record. A bout that begins with chance has plies at its
    /// beginning, too.
    resumed: bool,
    people: usize,
}

impl Screen {
    pub(super) fn new(
        output: Output,
        context: Arc<InputContext>,
        options: &DisplayOptions,
    ) -> Self {
        let style = TextStyle { on: options.colors };
        let (hints, games) = (options.hints.clone(), options.games.clone());
        let (moving, faulted, resumed) = (false, false, false);
        Self { output, context, style, hints, games, moving, faulted, resumed, people: 0 }
    }

    pub(super) fn header(&mut self, setup: &BoutSetup) {
        self.resumed = setup.resumed_from.is_some();
        self.people = setup.players.iter().filter(|player| player.engine.is_none()).count();
        self.say(&texts::header(setup));
        let moves = setup.start.game.move_texts;
        self.say(&format!("a move is {moves}\ntype a move, or `help` for all commands\n"));
    }

    pub(super) fn footer(&self, report: &BoutReport) {
        if report.result.is_none() {
            self.say("the bout is not finished\n");
        }
        self.say(&texts::footer(report, &self.games, &self.hints));
    }

    fn say(&self, text: &str) {
        self.output.say(text);
    }

    fn name<'a>(&self, scene: &BoutView<'a>, player: usize) -> &'a str {
        scene.referee.player(player).map_or("", |setup| setup.name.as_str())
    }

    fn is_person(scene: &BoutView<'_>, player: usize) -> bool {
        let setup = scene.referee.player(player);
        setup.is_some_and(|setup| setup.kind == PlayerKind::Person)
    }

    /// Who looks at the screen: the only person, or the person to move. While no person is to move,
    /// several people see what a spectator sees.
    fn viewer(&self, scene: BoutView<'_>) -> Viewer {
        let is_person = |player: &usize| Self::is_person(&scene, *player);
        let to_move = scene.referee.to_move().map(|(player, _)| player).filter(is_person);
        let only = || (0..scene.referee.player_count()).find(is_person);
        match self.people {
            1 => only().map_or(Viewer::Spectator, Viewer::Player),
            _ => to_move.map_or(Viewer::Spectator, Viewer::Player),
        }
    }

    fn board(&self, scene: BoutView<'_>) {
        let board = self.style.board(&scene.referee.diagram_for(self.viewer(scene)));
        self.say(&format!("\n{board}{}", texts::clocks(scene)));
    }

    /// Lets the keyboard continue if the bout waits for people.
    fn settle(&self, scene: BoutView<'_>) {
        let to_move = scene.referee.to_move();
        let free = scene.referee.is_paused()
            || to_move.is_some_and(|(player, _)| Self::is_person(&scene, player));
        if free && !self.moving {
            self.context.gate.set(State::Free);
        }
    }

    fn moved(&self, scene: BoutView<'_>, ply: u32, player: Option<usize>, marked: bool) {
        let viewer = match self.people {
            // Between two turns it is not known who looks.
            2.. => Viewer::Spectator,
            _ => self.viewer(scene),
        };
        let shows_line = scene.referee.shows_output_to(viewer);
        let viewer = scene.referee.widest(viewer);
        let ply = scene.referee.plies().get(ply as usize);
        let Some((ply, mv)) = ply.and_then(|ply| Some((ply, ply.text_for(viewer)?))) else {
            return;
        };
        let Some(player) = player else {
            return self.say(&format!("chance: {}\n", self.style.strong(mv)));
        };
        if Self::is_person(&scene, player) && self.people == 1 {
            return;
        }
        let mark = if marked { ", the last move that the engine reported in time" } else { "" };
        let line = ply.line.as_deref().filter(|_| shows_line);
        let report = line.map(texts::line).unwrap_or_default();
        let report = match report.is_empty() {
            true => report,
            false => format!("   {}", self.style.dim(&report)),
        };
        let (name, mv) = (self.name(&scene, player), self.style.strong(mv));
        self.say(&format!("{name} plays {mv}{mark}{report}\n"));
    }

    fn refused(
        &self,
        scene: BoutView<'_>,
        player: usize,
        mv: &str,
        reason: &str,
        left: Option<u32>,
    ) {
        let hint = commands::likely_command(mv).filter(|_| left.is_none());
        let hint = hint.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let prefix = match left {
            None => String::new(),
            Some(_) => format!("{}: ", self.name(&scene, player)),
        };
        let retry = match left {
            None => "",
            Some(0) => "; it may not try again",
            Some(_) => "; it must choose again",
        };
        let text = format!("{prefix}`{mv}` is refused: {reason}{retry}{hint}");
        self.say(&format!("{}\n", self.style.error(&text)));
    }
}

impl Observer for Screen {
    fn notice(&mut self, scene: BoutView<'_>, notice: &Notice) {
        match notice {
            Notice::Began => {
                if self.resumed {
                    self.say(&format!("resuming after {} plies\n", scene.referee.plies().len()));
                }
            }
            Notice::Moved { player, ply, origin, .. } => {
                self.moving = true;
                self.moved(scene, *ply, *player, origin.is_some());
            }
            Notice::SidesSwapped { names } => {
                self.say(&format!("the sides are now {}\n", names.join(" and ")));
            }
            Notice::Refused { player, mv, reason, requests_left } => {
                self.refused(scene, *player, mv, reason, *requests_left);
                self.settle(scene);
            }
            Notice::Faulted { player, fault } => {
                let text = format!("{} {}", self.name(&scene, *player), fault.sentence);
                self.say(&format!("{}\n", self.style.error(&text)));
            }
            // A timeout was already reported as a fault.
            Notice::Overrun { .. } if self.faulted => (),
            Notice::Overrun { player, spent, allowed } => {
                let text = texts::overrun(scene, *player, *spent, *allowed);
                self.say(&format!("{}\n", self.style.error(&text)));
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
                    "the draw offer of {} is declined\n",
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
                self.say("the clocks are stopped; `resume` continues them\n");
                self.context.gate.set(State::Free);
            }
            Notice::Resumed => {
                self.say("the clocks are running\n");
                self.settle(scene);
            }
        }
        self.faulted = matches!(notice, Notice::Faulted { .. });
    }

    fn engine_thinking(&mut self, scene: BoutView<'_>, player: usize) {
        let allowed = scene.referee.clock(player).and_then(|clock| clock.allowed());
        let budget = scene.referee.player(player).map(|setup| setup.budget).unwrap_or_default();
        let endless = budget.is_none();
        if allowed.is_none_or(|allowed| allowed > LONG_US) {
            self.board(scene);
            let name = self.name(&scene, player);
            self.say(
                &self.style.dim(&format!("{name} is thinking; `now` makes it move at once\n")),
            );
        }
        self.moving = false;
        self.context.gate.set(State::Thinking { endless });
    }

    fn person_to_move(&mut self, scene: BoutView<'_>, player: usize, limits: &Limits) {
        let game = scene.referee.game();
        let legal = scene.referee.legal_moves();
        *self.context.legal.lock().unwrap_or_else(PoisonError::into_inner) = legal;
        self.board(scene);
        let side = scene.referee.side(player).map_or("", |side| game.side_name(side));
        let name = self.name(&scene, player);
        let offer = if limits.draw_offered { "; a draw is offered" } else { "" };
        let prompt = game.prompt().map_or(String::new(), |prompt| format!(": {prompt}"));
        self.say(&format!("{side} ({name}) to move{offer}{prompt}\n"));
        self.moving = false;
        self.context.gate.set(State::Free);
    }

    fn show_board(&mut self, scene: BoutView<'_>) {
        self.board(scene);
        self.settle(scene);
    }

    fn input_rejected(&mut self, scene: BoutView<'_>, reason: &str) {
        self.say(&format!("{}\n", self.style.error(reason)));
        self.settle(scene);
    }

    fn hint(&mut self, scene: BoutView<'_>, hint: Result<&Choice, &str>) {
        let text = match hint {
            Err(reason) => format!("no hint available: {reason}"),
            Ok(choice) => match &choice.decision {
                Decision::Play(mv) => {
                    let line = choice.line.as_ref().map(texts::line).unwrap_or_default();
                    let line = if line.is_empty() { line } else { format!("   {line}") };
                    format!("hint: {}{}", self.style.strong(mv), self.style.dim(&line))
                }
                Decision::Resign => "hint: resign".to_owned(),
                Decision::AcceptDraw => "hint: accept the draw".to_owned(),
            },
        };
        self.say(&format!("{text}\n"));
        self.settle(scene);
    }

    fn record_saved(&mut self, saved: Result<&Path, &FileError>) {
        let text = match saved {
            Ok(path) => format!("saved: {}", path.display()),
            Err(error) => self.style.error(&format!("not saved: {error}")),
        };
        self.say(&format!("{text}\n"));
        if !self.moving {
            self.context.gate.set(State::Free);
        }
    }

    fn bout_ended(&mut self, scene: BoutView<'_>, result: &BoutResult) {
        self.context.gate.close();
        self.board(scene);
        self.say(&format!("{}\n", self.style.strong(&result.sentence)));
    }
}
