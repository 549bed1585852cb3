//! What columns of text hold and are searched for, whatever database they are in.

/// Names, each on a line: they hold no control characters.
pub fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("\n{}\n", name.replace('\n', " "))).collect()
}

/// The names of a list.
pub fn unlisted(text: &str) -> Vec<String> {
    text.split('\n').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A pattern of LIKE that is found wherever the text is.
pub fn within(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "%"
}
