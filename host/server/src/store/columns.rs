//! Encodes lists of names and search patterns as text columns, the same for every database.

/// Joins names, each on a line of its own; names contain no control characters.
pub(crate) fn join_names(names: &[String]) -> String {
    names.iter().map(|name| format!("\n{}\n", name.replace('\n', " "))).collect()
}

/// Splits a text of [`join_names`].
pub(crate) fn split_names(text: &str) -> Vec<String> {
    text.split('\n').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns a LIKE pattern that matches texts containing this text.
pub(crate) fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "%"
}
