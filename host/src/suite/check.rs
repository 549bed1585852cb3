//! Sets up the positions of a suite by the rules of their game, and reads every
//! move with them: what passes here an engine may be asked.

use std::collections::BTreeSet;

use sandboard_games::{DynGame, GameInfo, Variant};

use super::answer::Answer;
use super::draft::{Draft, Moves};
use super::fault::SuiteFault;

/// A position that can be asked about.
pub struct Case {
    /// From 1, in the file.
    pub number: usize,
    /// Its name.
    pub id: String,
    /// The game as it stands.
    pub game: Box<dyn DynGame>,
    /// What solves it, in canonical texts.
    pub answer: Answer,
}

/// Checks drafts; `variant` is of those that name none. Everything wrong comes
/// back at once.
pub fn check<'a>(
    drafts: impl IntoIterator<Item = &'a Draft>,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Vec<Case>, Vec<SuiteFault>> {
    let (mut cases, mut faults, mut ids) = (Vec::new(), Vec::new(), BTreeSet::new());
    for draft in drafts {
        if !ids.insert(&draft.id) {
            faults.push(draft.fault("id", "another position has it, too"));
        }
        match case(draft, info, variant) {
            Ok(case) => cases.push(case),
            Err(found) => faults.extend(found),
        }
    }
    match faults.is_empty() {
        true => Ok(cases),
        false => Err(faults),
    }
}

fn case(
    draft: &Draft,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Case, Vec<SuiteFault>> {
    let game = set_up(draft, info, variant).map_err(|fault| vec![fault])?;
    let mut faults = Vec::new();
    let mut moves = |moves: &Moves| -> Vec<String> {
        let mut canonical: Vec<String> = Vec::new();
        for text in &moves.texts {
            match game.canonical(text) {
                Ok(mv) if canonical.contains(&mv) => (),
                Ok(mv) => canonical.push(mv),
                Err(refusal) => faults.push(draft.fault(moves.field, refusal)),
            }
        }
        canonical
    };
    let answer =
        Answer { best: moves(&draft.best), avoid: moves(&draft.avoid), target: draft.target };
    // Those among the best are read by now.
    let more = draft.legal.texts.iter().filter(|mv| !draft.best.texts.contains(mv));
    moves(&Moves { field: draft.legal.field, texts: more.cloned().collect() });
    if faults.is_empty() && answer.names_moves() {
        let mut legal = String::new();
        game.write_legal(&mut legal);
        if !legal.split_ascii_whitespace().any(|mv| answer.is_solved_by(mv, None)) {
            faults.push(draft.fault(draft.avoid.field, "it leaves no move that could solve it"));
        }
    }
    match faults.is_empty() {
        true => Ok(Case { number: draft.number, id: draft.id.clone(), game, answer }),
        false => Err(faults),
    }
}

fn set_up(
    draft: &Draft,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Box<dyn DynGame>, SuiteFault> {
    if let Some(game) = draft.game.as_deref().filter(|game| *game != info.id) {
        let reason = format!("it is of {}, and the suite is of {}", game, info.id);
        return Err(draft.fault("game", reason));
    }
    let own = draft.variant.as_deref().map(|text| info.variant(text)).transpose();
    let own = own.map_err(|error| draft.fault("variant", error))?;
    let position = draft.position.as_deref();
    let mut game = (info.new)(own.as_ref().unwrap_or(variant), position)
        .map_err(|error| draft.fault("position", error))?;
    for (index, mv) in draft.moves.iter().enumerate() {
        game.play(mv)
            .map_err(|refusal| draft.fault("moves", format!("move {}: {refusal}", index + 1)))?;
    }
    match game.outcome() {
        Some(outcome) => {
            let reason = format!("the game is over there: {}", outcome.reason);
            Err(draft.fault("position", reason))
        }
        None => Ok(game),
    }
}
