//! The selection of values of a deal: a set of declarers and strains, and its text form.

use std::str::FromStr;

use sandboard_games::bridge::{Compass, Strain};

/// A set of the twenty values of a deal (declarer and strain).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSelection([[bool; 5]; 4]);

const FORM: &str = "values are strains (S, H, D, C, NT) or `all`, separated by commas; a prefix \
                    selects declarers (N:, E:, S:, W:, NS:, EW:): NT,S or N:all,EW:H";

impl ValueSelection {
    /// All twenty values.
    pub const ALL: ValueSelection = ValueSelection([[true; 5]; 4]);

    /// Whether the value of this declarer in this strain is selected.
    pub fn has(self, declarer: Compass, strain: Strain) -> bool {
        self.0[declarer.index()][strain.index()]
    }

    /// Whether any value of this declarer is selected.
    pub fn has_declarer(self, declarer: Compass) -> bool {
        self.0[declarer.index()].contains(&true)
    }
}

impl FromStr for ValueSelection {
    type Err = String;

    fn from_str(text: &str) -> Result<ValueSelection, String> {
        let mut values = ValueSelection([[false; 5]; 4]);
        for item in text.split(',') {
            let item = item.trim();
            let invalid = || format!("`{}` is not a value; {FORM}", item.escape_debug());
            let (prefix, strain) = item.split_once(':').unwrap_or(("all", item));
            let declarers = declarers(prefix).ok_or_else(invalid)?;
            let strains = strains(strain).ok_or_else(invalid)?;
            for declarer in declarers {
                for strain in &strains {
                    values.0[declarer.index()][strain.index()] = true;
                }
            }
        }
        Ok(values)
    }
}

fn declarers(text: &str) -> Option<Vec<Compass>> {
    if text.eq_ignore_ascii_case("all") {
        return Some(Compass::ALL.to_vec());
    }
    let side = ["NS", "EW"].into_iter().position(|side| text.eq_ignore_ascii_case(side));
    if let Some(side) = side {
        return Some(Compass::ALL.into_iter().filter(|it| it.side() == side).collect());
    }
    let mut letters = text.chars();
    let one = Compass::from_letter(letters.next()?)?;
    letters.next().is_none().then(|| vec![one])
}

fn strains(text: &str) -> Option<Vec<Strain>> {
    match text.eq_ignore_ascii_case("all") {
        true => Some(Strain::ALL.to_vec()),
        false => Strain::from_text(text).map(|strain| vec![strain]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the values as `N:S E:NT …`, or the error.
    fn check(text: &str, expected: Result<&str, &str>) {
        let to_text = |values: ValueSelection| {
            let mut texts = Vec::new();
            for declarer in Compass::ALL {
                let of = Strain::ALL.into_iter().filter(|strain| values.has(declarer, *strain));
                texts.extend(of.map(|strain| format!("{}:{strain}", declarer.letter())));
            }
            texts.join(" ")
        };
        match (text.parse::<ValueSelection>().map(to_text), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn selections_are_parsed() {
        check("NT", Ok("N:NT E:NT S:NT W:NT"));
        check("n:s", Ok("N:S"));
        check("S:s,EW:h", Ok("E:H S:S W:H"));
        check("NS:all", Ok("N:S N:H N:D N:C N:NT S:S S:H S:D S:C S:NT"));
        check("W:N, w:C", Ok("W:C W:NT"));
        assert_eq!("all".parse(), Ok(ValueSelection::ALL));
        check("", Err("`` is not a value; values are strains"));
        check("NT,", Err("`` is not a value"));
        check("NT,Z", Err("`Z` is not a value"));
        check("NE:S", Err("`NE:S` is not a value"));
        check("N:", Err("`N:` is not a value"));
        check("N:S:H", Err("`N:S:H` is not a value"));
    }
}
