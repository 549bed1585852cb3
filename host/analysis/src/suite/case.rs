//! Sets up the positions of a suite by the rules of their game, and checks all their moves.

use std::collections::BTreeSet;

use sandboard_games::{DynGame, GameInfo, Variant};

use super::fault::SuiteFault;
use super::raw_position::{MoveList, RawPosition};
use super::solution::Solution;

/// A position that can be tested.
pub struct Case {
    /// Its number in the file, from 1.
    pub number: usize,
    pub id: String,
    /// The game in this position.
    pub game: Box<dyn DynGame>,
    /// Its solution, with canonical moves.
    pub solution: Solution,
}

/// Checks positions by the rules; `variant` applies to positions that name none. Err: all faults.
pub fn check<'a>(
    positions: impl IntoIterator<Item = &'a RawPosition>,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Vec<Case>, Vec<SuiteFault>> {
    let (mut cases, mut faults, mut ids) = (Vec::new(), Vec::new(), BTreeSet::new());
    for draft in positions {
        if !ids.insert(&draft.id) {
            faults.push(draft.fault("id", "another position has the same id"));
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
    draft: &RawPosition,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Case, Vec<SuiteFault>> {
    let game = set_up(draft, info, variant).map_err(|fault| vec![fault])?;
    let mut faults = Vec::new();
    let mut moves = |moves: &MoveList| -> Vec<String> {
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
    let solution =
        Solution { best: moves(&draft.best), avoid: moves(&draft.avoid), target: draft.target };
    // Moves among the best are checked already.
    let more = draft.legal.texts.iter().filter(|mv| !draft.best.texts.contains(mv));
    moves(&MoveList { field: draft.legal.field, texts: more.cloned().collect() });
    if faults.is_empty() && solution.names_moves() {
        let mut legal = String::new();
        game.write_legal(&mut legal);
        if !legal.split_ascii_whitespace().any(|mv| solution.is_solved_by(mv, None)) {
            faults.push(draft.fault(draft.avoid.field, "no legal move solves it"));
        }
    }
    match faults.is_empty() {
        true => Ok(Case { number: draft.number, id: draft.id.clone(), game, solution }),
        false => Err(faults),
    }
}

fn set_up(
    draft: &RawPosition,
    info: &'static GameInfo,
    variant: &Variant,
) -> Result<Box<dyn DynGame>, SuiteFault> {
    if let Some(game) = draft.game.as_deref().filter(|game| *game != info.id) {
        let reason = format!("the position is of {}, but the suite is of {}", game, info.id);
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
    match game.ending() {
        Some(ending) => {
            let reason = format!("the game is over there: {}", ending.reason);
            Err(draft.fault("position", reason))
        }
        None => Ok(game),
    }
}
