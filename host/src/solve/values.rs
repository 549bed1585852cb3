//! Which of the twenty values of a deal are asked for: a set of declarers and strains, as it
//! is typed.

use std::str::FromStr;

use sandboard_games::bridge::{Compass, Strain};

/// Declarers and strains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values([[bool; 5]; 4]);

const FORM: &str = "values are strains (S, H, D, C, NT) or `all`, before each whose they are where \
                    not everybody's (N:, E:, S:, W:, NS:, EW:), with commas between: NT,S or N:all,EW:H";

impl Values {
    /// All twenty.
    pub const ALL: Values = Values([[true; 5]; 4]);

    /// Whether what this declarer takes in this strain is asked for.
    pub fn has(self, declarer: Compass, strain: Strain) -> bool {
        self.0[declarer.index()][strain.index()]
    }

    /// Whether anything of this declarer is.
    pub fn has_declarer(self, declarer: Compass) -> bool {
        self.0[declarer.index()].contains(&true)
    }
}

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Values, String> {
        let mut values = Values([[false; 5]; 4]);
        for item in text.split(',') {
            let item = item.trim();
            let wrong = || format!("`{}` is no value; {FORM}", item.escape_debug());
            let (whose, what) = item.split_once(':').unwrap_or(("all", item));
            let declarers = declarers(whose).ok_or_else(wrong)?;
            let strains = strains(what).ok_or_else(wrong)?;
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
    let one = Compass::of_letter(letters.next()?)?;
    letters.next().is_none().then(|| vec![one])
}

fn strains(text: &str) -> Option<Vec<Strain>> {
    match text.eq_ignore_ascii_case("all") {
        true => Some(Strain::ALL.to_vec()),
        false => Strain::of_text(text).map(|strain| vec![strain]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values as `N:S E:NT …`, or what is wrong with the text.
    fn check(text: &str, expected: Result<&str, &str>) {
        let told = |values: Values| {
            let mut told = Vec::new();
            for declarer in Compass::ALL {
                let of = Strain::ALL.into_iter().filter(|strain| values.has(declarer, *strain));
                told.extend(of.map(|strain| format!("{}:{strain}", declarer.letter())));
            }
            told.join(" ")
        };
        match (text.parse::<Values>().map(told), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn values_are_read() {
        check("NT", Ok("N:NT E:NT S:NT W:NT"));
        check("n:s", Ok("N:S"));
        check("S:s,EW:h", Ok("E:H S:S W:H"));
        check("NS:all", Ok("N:S N:H N:D N:C N:NT S:S S:H S:D S:C S:NT"));
        check("W:N, w:C", Ok("W:C W:NT"));
        assert_eq!("all".parse(), Ok(Values::ALL));
        check("", Err("`` is no value; values are strains"));
        check("NT,", Err("`` is no value"));
        check("NT,Z", Err("`Z` is no value"));
        check("NE:S", Err("`NE:S` is no value"));
        check("N:", Err("`N:` is no value"));
        check("N:S:H", Err("`N:S:H` is no value"));
    }
}
