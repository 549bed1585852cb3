//! Suggestions for mistyped words. They are only printed: a mistyped word is never accepted as the
//! known one.

/// The known word nearest to `word`, ignoring case; the first of equally near ones. A word is near
/// if `word` is its beginning (three letters or more), or if their edit distance is at most a third
/// of the longer length. `None` if no word is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(128).flat_map(char::to_lowercase).collect();
    let rated = known.into_iter().filter_map(|candidate| {
        let letters: Vec<char> = candidate.chars().flat_map(char::to_lowercase).collect();
        let begins = word.len() >= 3 && letters.starts_with(&word);
        let distance = if begins { 1 } else { edits(&word, &letters) };
        let allowed = word.len().max(letters.len()).div_ceil(3);
        (distance <= allowed && distance < letters.len()).then_some((distance, candidate))
    });
    rated.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// The edit distance between `a` and `b` (Levenshtein).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// `; did you mean …?`, or the list of known words if none is near; empty if none is known.
pub fn suggestion(word: &str, known: &[&str]) -> String {
    match (nearest(word, known.iter().copied()), known) {
        (Some(near), _) => format!("; did you mean `{near}`?"),
        (None, []) => String::new(),
        (None, known) => format!("; known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested() {
        let known = ["id", "name", "module", "sha256", "memory_bytes"];
        let check = |word, expected| assert_eq!(nearest(word, known), expected, "{word}");
        check("modul", Some("module"));
        check("Module", Some("module"));
        check("mdule", Some("module"));
        check("sha", Some("sha256"));
        check("memory", Some("memory_bytes"));
        check("nmae", Some("name"));
        check("nam", Some("name"));
        check("Id", Some("id"));
        check("x", None);
        check("colour", None);
        check("", None);
    }
}
