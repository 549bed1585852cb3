//! Validates values that an engine returns: lengths, ranges and names. Knows no rules of games.

use std::collections::BTreeSet;

use sandboard_abi::{Choice, Decision, Description, Kind, Line, Score, limits};
use sandboard_common::text::clean_text;
use sandboard_games::Games;

use crate::{Fault, FaultCode, HOST_OPTIONS};

/// Checks the length of a choice's move and line.
#[inline]
pub fn validate_choice(choice: Choice) -> Result<Choice, Fault> {
    if let Decision::Play(mv) = &choice.decision
        && mv.len() > limits::MOVE_BYTES
    {
        return Err(move_too_long(mv.len()));
    }
    let line = choice.line.map(validate_line).transpose()?;
    Ok(Choice { line, ..choice })
}

/// The fault of a move with too many bytes.
pub fn move_too_long(bytes: usize) -> Fault {
    let max = limits::MOVE_BYTES;
    let sentence = format!("sent a move of {bytes} bytes; at most {max} are admitted");
    Fault::new(FaultCode::Protocol, sentence)
}

/// The fault of a line of moves with too many bytes.
pub fn line_too_long(bytes: usize) -> Fault {
    let max = limits::LINE_BYTES;
    let sentence = format!("sent a line of moves of {bytes} bytes; at most {max} are admitted");
    Fault::new(FaultCode::Protocol, sentence)
}

/// Checks the length of a line, escapes its text and clamps its score.
pub(crate) fn validate_line(line: Line) -> Result<Line, Fault> {
    if line.moves.len() > limits::LINE_BYTES {
        return Err(line_too_long(line.moves.len()));
    }
    let clamp = |score: Score| Score {
        value: score.value.clamp(-limits::WIN_SCORE, limits::WIN_SCORE),
        ..score
    };
    let moves = match line.moves.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        true => line.moves,
        false => clean_text(&line.moves, limits::LINE_BYTES),
    };
    Ok(Line { score: line.score.map(clamp), moves, ..line })
}

/// Checks a description's options, and truncates and escapes its texts. An engine that names one of
/// `games` and no variants gets all variants of that game.
pub fn validate_description(
    mut description: Description,
    known_games: &Games,
) -> Result<Description, Fault> {
    let refuse = |sentence: String| Err(Fault::new(FaultCode::Protocol, sentence));
    let Description { id, name, author, version, games, options, .. } = &mut description;
    for label in [id, name, author, version] {
        *label = clean_text(label, limits::LABEL_BYTES);
    }
    for count in [games.len(), options.len()] {
        if count > limits::OPTIONS {
            let max = limits::OPTIONS;
            return refuse(format!(
                "describes itself with a list of {count}; at most {max} are admitted"
            ));
        }
    }
    for game in games {
        game.game = clean_text(&game.game, limits::ID_BYTES);
        game.variants.truncate(limits::OPTIONS);
        for variant in &mut game.variants {
            *variant = clean_text(variant, limits::ID_BYTES);
        }
        // An empty list means all variants: an engine that queries the host for the rules plays
        // whatever the host knows.
        if let Some(info) = known_games.find(&game.game).filter(|_| game.variants.is_empty()) {
            game.variants = info.variants.iter().map(|variant| variant.id.to_owned()).collect();
        }
    }
    let mut names = BTreeSet::new();
    for option in options {
        option.name = clean_text(&option.name, limits::ID_BYTES);
        option.about = clean_text(&option.about, limits::LABEL_BYTES);
        if let Kind::Pick(words) = &mut option.kind {
            words.truncate(limits::OPTIONS);
            words.iter_mut().for_each(|word| *word = clean_text(word, limits::LABEL_BYTES));
        }
        let name = &option.name;
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_allowed) {
            return refuse(format!(
                "describes an option with the invalid name `{name}`: use letters, digits, `-`, \
                 `_` and `.`"
            ));
        }
        if HOST_OPTIONS.contains(&name.as_str()) {
            return refuse(format!(
                "describes the option `{name}`, which the host defines for every engine"
            ));
        }
        if !names.insert(name.clone()) {
            return refuse(format!("describes the option `{name}` twice"));
        }
        // Neither a manifest nor JSON can represent other bounds.
        if let Kind::Real(min, max) = option.kind
            && !(min.is_finite() && max.is_finite())
        {
            return refuse(format!(
                "describes the option `{name}` with the bounds {min} and {max}; both must be \
                 finite numbers"
            ));
        }
        if let Err(reason) = option.kind.check(&option.initial) {
            let reason = clean_text(&reason, limits::REASON_BYTES);
            return refuse(format!(
                "describes the option `{name}` with an initial value: {reason}"
            ));
        }
    }
    Ok(description)
}

#[cfg(test)]
mod tests;
