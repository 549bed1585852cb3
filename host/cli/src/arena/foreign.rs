//! The options of fastchess and cutechess-cli, with what they are here: for hints where somebody
//! types one of them.

use std::ffi::OsString;

/// An option of the other programs, and what it is here.
const OPTIONS: [(&str, &str); 46] = [
    ("-engine", "a player: the id of an installed engine, or --engine cmd=PATH,proto=uci"),
    ("-each", "--budget TIME and --option NAME=VALUE, for all players"),
    ("-tc", "--budget 10s+100ms, or @10s+100ms behind a player"),
    ("-st", "--budget 5s/move"),
    ("-rounds", "--pairs N, or --cycles N in a round robin: a pair is two games with one opening"),
    ("-games", "nothing: a pair always has two games, with the seats exchanged"),
    ("-repeat", "nothing: both games of a pair have the same opening"),
    ("-openings", "--openings FILE, --opening-order random, --opening-start N, --opening-plies N"),
    ("-sprt", "--sprt ELO0,ELO1,alpha=0.05,beta=0.05"),
    ("-concurrency", "--concurrency N"),
    ("-force-concurrency", "--concurrency N, which may exceed the number of cores"),
    (
        "-tournament",
        "the word after `arena`: match, round-robin, gauntlet, knockout, swiss, ladder",
    ),
    ("-variant", "--game and --variant"),
    ("-resign", "--adjudicate resign=SCORE/MOVES, or win=SCORE/PLIES if both must agree"),
    ("-draw", "--adjudicate draw=SCORE/PLIES@AFTER"),
    ("-maxmoves", "--plies-max N, twice the number of moves"),
    ("-tb", "nothing for chess; --adjudicate solver=LEFT in reversi and bridge"),
    ("-tbpieces", "nothing for chess; --adjudicate solver=LEFT in reversi and bridge"),
    ("-tbadjudicate", "nothing for chess; --adjudicate solver=LEFT in reversi and bridge"),
    ("-tbignore50", "nothing for chess"),
    ("-pgnout", "--export FILE while it is played, or `sandboard convert DIR FILE` at any time"),
    ("-epdout", "nothing: the last position of a game is in its record"),
    ("-log", "RUST_LOG=info, and --dialogue for what engines and host send each other"),
    ("-debug", "--dialogue"),
    ("-ratinginterval", "--table-every N"),
    ("-scoreinterval", "--table-every N"),
    ("-outcomeinterval", "--table-every N"),
    ("-recover", "nothing: a crash loses the game, and the next game has a new process"),
    ("-wait", "nothing: each game has a process of its own"),
    ("-srand", "--seed N"),
    ("-seeds", "--challengers N of a gauntlet"),
    ("-noswap", "nothing: without exchanged seats, their advantage would count as strength"),
    ("-reverse", "nothing: exchange the players"),
    ("-event", "--dir, the folder of the arena"),
    ("-site", "--dir, the folder of the arena"),
    ("-config", "--config FILE, in TOML; `sandboard arena import FILE` translates a config.json"),
    ("-autosaveinterval", "nothing: every game is stored; --resume DIR continues"),
    ("-use-affinity", "nothing yet"),
    ("-report", "nothing: statistics of pairs are always shown"),
    ("-output", "text, or --json for lines of JSON"),
    ("-crc32", "nothing: records have SHA-256 hashes"),
    ("-show-latency", "time/move of the table, which the host measures"),
    ("-quick", "`sandboard arena match A B --pairs N`: the defaults suffice"),
    ("-compliance", "`sandboard check ENGINE`"),
    ("-bookmode", "nothing: engines have their books as assets"),
    ("-engines", "`sandboard list`"),
];

/// Options that have the same name here, where they are written with two dashes.
const OWN: [&str; 7] =
    ["-engine", "-openings", "-sprt", "-concurrency", "-variant", "-config", "-output"];

/// Words of the other programs that stand behind an option, with what they are here.
const WORDS: [(&str, &str); 6] = [
    ("tc=", "--budget 10s+100ms, or @10s+100ms behind a player"),
    ("st=", "--budget 5s/move"),
    ("cmd=", "--engine cmd=PATH,proto=uci"),
    ("proto=", "--engine cmd=PATH,proto=uci"),
    ("option.", "`:NAME=VALUE` behind a player, or --option NAME=VALUE for all"),
    ("timemargin=", "--grace TIME"),
];

/// A hint for a command line that has options of the other programs; none: it has none.
pub(crate) fn hint(words: &[OsString]) -> Option<String> {
    if words.get(1).is_none_or(|word| word != "arena") {
        return None;
    }
    let words = words[2..].iter().map(|word| word.to_string_lossy());
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let is = |name: &str| name == word || format!("-{name}") == word && !OWN.contains(&name);
        let option = OPTIONS.iter().find(|(name, _)| is(name));
        let begin = || WORDS.iter().find(|(begin, _)| word.starts_with(begin));
        if let Some((name, here)) = option.or_else(begin) {
            let line = format!("  {name} of fastchess and cutechess-cli is here: {here}");
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    if lines.is_empty() {
        return None;
    }
    lines.push("A whole command is translated by: sandboard arena import -- fastchess …".into());
    Some(lines.join("\n"))
}

/// What a key of an engine in the other programs is here, if `--engine` does not have it.
pub(super) fn here_in_engine(key: &str) -> Option<&'static str> {
    match key {
        "timemargin" => Some("--grace TIME is for all players"),
        "restart" => {
            Some("nothing: a crash loses the game, and each game has a process of its own")
        }
        "ponder" => Some("nothing: programs by text protocols do not think on the opponent's time"),
        "whitepov" | "trust" => Some("nothing: the host reads scores and rules itself"),
        "stderr" => Some("nothing: what a program prints is in the record of the game"),
        "book" | "bookdepth" => Some("--openings FILE is for all players"),
        "initstr" | "conf" => Some("write cmd=PATH,option.NAME=VALUE"),
        _ => None,
    }
}

/// What an option of the other programs is here.
pub(super) fn here(option: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(name, _)| *name == option).map(|(_, here)| *here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_options_get_a_hint() {
        let hint = |text: &str| {
            hint(&text.split(' ').map(OsString::from).collect::<Vec<_>>()).unwrap_or_default()
        };
        let check = |text: &str, expected: &str| {
            assert!(hint(text).contains(expected), "{text}: {}", hint(text));
        };
        check("sandboard arena match a b -rounds 5", "-rounds of fastchess and cutechess-cli");
        check("sandboard arena match a b --rounds 5 -repeat", "--pairs N, or --cycles N");
        check("sandboard arena match a b -each tc=1+1", "--budget 10s+100ms");
        check("sandboard arena match a b -sprt", "translated by: sandboard arena import");
        assert_eq!(hint("sandboard arena match a b --pairs 5"), "");
        assert_eq!(hint("sandboard arena match --engine x --concurrency 2 --config c"), "");
        check("sandboard arena match a b -config c", "-config of fastchess");
        check("sandboard arena match a b --tc 10+0.1", "is here: --budget 10s+100ms");
        assert_eq!(hint("sandboard play a -rounds 5"), "");
        assert_eq!(hint("sandboard arena match a -r"), "");
    }
}
