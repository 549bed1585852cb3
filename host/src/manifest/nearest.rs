//! The known word that a mistyped one was probably meant to be. Only ever a
//! suggestion: nothing is accepted because it is near.

/// The known word nearest to `word`, unless none is near: one that `word`
/// begins (from three letters on), or one within a third of the longer's length
/// in edits. Case counts nothing; of equally near ones the first.
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

/// Letters to insert, drop or replace to make `b` out of `a` (Levenshtein).
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

/// `; did you mean …?`, or what there is when nothing is near.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
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
    fn near_and_far() {
        let known = ["id", "name", "module", "sha256", "memory_bytes"];
        let check = |word, wanted| assert_eq!(nearest(word, known), wanted, "{word}");
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
