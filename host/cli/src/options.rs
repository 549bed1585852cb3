//! `sandboard options`: lists the options of an engine, and which of them can be tuned. Loads the
//! engine, which describes itself, unless its manifest lists all options; starts no game.

use std::io::Write;

use anyhow::Result;
use sandboard_abi::{Kind, OptionSpec, Unit};
use serde_json::json;

use super::engines::{EngineArgs, Engines, option_specs};
use sandboard_common::text::counted;
use sandboard_packs::catalog::Entry;

const EXAMPLES: &str = "\
Write options behind the engine's name, wherever a command takes an engine:
`gomoku-rows:open-two=40:depth=2`. `sandboard tune` can tune the options marked as tunable.

Examples:
  sandboard options gomoku-rows
  sandboard options gomoku-rows --json";

/// List an engine's options, and which of them can be tuned
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The engine's id, or `id-version`
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// Print one JSON object: {"id": …, "version": …, "options": […]}
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut engines = Engines::open(&args.engines)?;
    let mut entry = engines.find(&args.engine)?;
    let loaded = engines.load(&entry, Unit::Wall)?;
    entry.options = option_specs(&entry, &loaded).to_vec();
    entry.options_complete = true;
    for option in &mut entry.options {
        if let Some((_, value)) = entry.presets.iter().find(|(name, _)| *name == option.name) {
            option.initial.clone_from(value);
        }
    }
    let mut out = crate::output::stdout();
    if args.json {
        // The same fields as in `list --json`, where a manifest declares them.
        let options = serde_json::to_value(&entry)?["options"].take();
        let line = json!({ "id": entry.id, "version": entry.version, "options": options });
        writeln!(out, "{line}")?;
    } else {
        out.write_all(table(&entry).as_bytes())?;
    }
    Ok(())
}

/// One line for each option, the tunable ones last.
fn table(entry: &Entry) -> String {
    let (tunable, fixed): (Vec<_>, Vec<_>) =
        entry.options.iter().partition(|option| option.tunable && option.kind.is_number());
    let head = [entry.id.as_str(), entry.version.as_str()].join(" ");
    let head = head.trim();
    let (all, some) = (counted(entry.options.len(), "option"), tunable.len());
    let mut text = format!("{head}: {all}, {some} tunable\n");
    for (title, options) in [("options", fixed), ("tunable options", tunable)] {
        if !options.is_empty() {
            text += &format!("\n{title}\n");
            text += &lines(&options);
        }
    }
    text
}

/// The largest width of a column, in characters; wider cells push the rest of their line right.
const WIDTH: usize = 40;

fn lines(options: &[&OptionSpec]) -> String {
    let cells = options.iter().map(|option| {
        let OptionSpec { name, about, initial, kind, .. } = option;
        [name.clone(), takes(kind), initial.clone(), about.clone()]
    });
    let cells: Vec<[String; 4]> = cells.collect();
    let width = |column: usize| {
        let widths = cells.iter().map(|cells| cells[column].chars().count());
        // A long list of words would push all other columns away.
        widths.filter(|width| *width <= WIDTH).max().unwrap_or_default()
    };
    let [name, takes, initial] = [0, 1, 2].map(width);
    let line = |cells: &[String; 4]| {
        let [a, b, c, d] = cells;
        format!("  {a:name$}  {b:takes$}  {c:initial$}  {d}").trim_end().to_owned() + "\n"
    };
    cells.iter().map(line).collect()
}

/// The values that an option of this kind accepts, in words.
fn takes(kind: &Kind) -> String {
    match kind {
        Kind::Toggle => "true or false".into(),
        Kind::Whole(min, max) => format!("{min} to {max}"),
        Kind::Real(min, max) => format!("{min} to {max}, real"),
        Kind::Pick(words) => words.join(" or "),
        Kind::Text(bytes) => format!("text of up to {bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, kind: Kind, initial: &str, tunable: bool) -> OptionSpec {
        OptionSpec {
            name: name.into(),
            about: format!("the {name}"),
            kind,
            initial: initial.into(),
            tunable,
        }
    }

    #[test]
    fn columns_are_aligned_except_for_long_cells() {
        let pick = Kind::Pick(vec!["calm".into(), "wild".into()]);
        let options = [
            option("open-two", Kind::Whole(0, 100), "30", true),
            option("style", pick, "calm", false),
            option("greed", Kind::Real(-0.5, 2.0), "1", true),
            option("loud", Kind::Toggle, "true", true),
            option("mood", Kind::Pick(vec!["sad".repeat(20)]), "sad", false),
        ];
        let options: Vec<&OptionSpec> = options.iter().collect();
        let expected = "  open-two  0 to 100         30    the open-two\n  \
                          style     calm or wild     calm  the style\n  \
                          greed     -0.5 to 2, real  1     the greed\n  \
                          loud      true or false    true  the loud\n";
        let long = format!("  mood      {}  sad   the mood\n", "sad".repeat(20));
        assert_eq!(lines(&options), format!("{expected}{long}"));
    }
}
