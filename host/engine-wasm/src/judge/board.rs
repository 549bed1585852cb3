//! Checks the board that a judge returns: untrusted JSON, which people see in a browser and in a
//! terminal.

use sandboard_abi::limits;
use sandboard_common::text::clean_text;
use sandboard_games::board::Board;

use super::checks::check_visible;

/// Reads and checks a board. `legal` has the legal moves, separated by spaces. Err: a sentence
/// without its subject, such as "returned a board that is not valid: two places are called `a1`".
pub(super) fn checked(json: &str, legal: &str) -> Result<Board, String> {
    let read = Board::from_json(json).and_then(|board| board.check(legal).map(|()| board));
    // The reason may quote the judge.
    let invalid = |reason: String| clean_text(&reason, limits::REASON_BYTES);
    let board =
        read.map_err(|reason| format!("returned a board that is not valid: {}", invalid(reason)))?;
    // JSON in one line contains all texts. `check` allows invisible letters, and letters that
    // change the direction of a text.
    check_visible(&board.to_json(), "a board")?;
    Ok(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a board that is one text.
    fn check(text: &str, expected: Result<(), &str>) {
        let json = r#"{"elements":[[{"kind":"text","text":"@"}]]}"#.replace('@', text);
        assert_eq!(checked(&json, "").map(drop), expected.map_err(str::to_owned));
    }

    #[test]
    fn texts_of_boards_are_visible() {
        check("Pot: 3 ♠ 王", Ok(()));
        check(r"\ud83c\udca1", Ok(()));
        check(r"\u202ename", Err("returned a board with the character '\\u{202e}'"));
        check("a\u{200b}b", Err("returned a board with the character '\\u{200b}'"));
        let control = "returned a board that is not valid: a text has the character '\\u{7f}'";
        check("a\u{7f}b", Err(control));
    }

    #[test]
    fn reasons_that_quote_the_judge_are_printable() {
        let json = "{\"elements\":[[{\"kind\":\"text\",\"text\":\"x\"}]],\"\u{202e}\":1}";
        let error = checked(json, "").unwrap_err();
        assert!(error.starts_with("returned a board that is not valid: unknown field"), "{error}");
        assert!(error.contains("\\u{202e}") && !error.contains('\u{202e}'), "{error}");
    }
}
