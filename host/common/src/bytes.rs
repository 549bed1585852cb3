//! Byte counts as people write them: `65536`, `32MiB`.

/// Parses `65536`, `512KiB`, `32MiB` or `2GiB`; `None` for any other text and above `u64::MAX`.
pub fn parse(text: &str) -> Option<u64> {
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(unit);
    let factor = match unit {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units() {
        let check =
            |text: &str, expected: Option<u64>| assert_eq!(parse(text), expected, "{text:?}");
        check("0", Some(0));
        check("65536", Some(65536));
        check("512KiB", Some(512 << 10));
        check("32MiB", Some(32 << 20));
        check("2GiB", Some(2 << 30));
        check("17179869183GiB", Some(17_179_869_183 << 30));
        for wrong in
            ["", "MiB", "-1", "+1", "1.5MiB", "32 MiB", "32mib", "32MB", "32MiB ", "17179869184GiB"]
        {
            check(wrong, None);
        }
    }
}
