//! The offsets that `sandboard.go` and `sandboard.ts` write down, held against what the border's WIT comes to by
//! the canonical ABI.

use std::collections::BTreeMap;

use wit_parser::{Int, Resolve, SizeAlign, Type, TypeDefKind};

use super::Language;
use crate::component::WIT;

/// Names of places in records, and where they are, in bytes.
type Offsets = BTreeMap<String, usize>;

/// Where everything lies that an engine reads or writes, under names such as `setupSeed`.
fn of_wit(wit: &str) -> Offsets {
    let mut resolve = Resolve::default();
    resolve.push_str("engine.wit", wit).unwrap();
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let mut found = Places { resolve: &resolve, sizes, offsets: Offsets::new() };
    for (id, defined) in resolve.types.iter() {
        if let (TypeDefKind::Record(_), Some(name)) = (&defined.kind, &defined.name) {
            found.whole(name, &Type::Id(id));
        }
    }
    let calls = resolve.interfaces.iter().flat_map(|(_, interface)| interface.functions.values());
    for call in calls {
        if let Some(result) = &call.result {
            found.whole(&call.name, result);
        }
        // What does not fit into 16 words comes as a record, too.
        if call.name == "choose" {
            found.fields("", 0, call.params.iter().map(|param| (param.name.as_str(), &param.ty)));
        }
    }
    found.offsets
}

struct Places<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    offsets: Offsets,
}

impl Places<'_> {
    fn insert(&mut self, name: String, at: usize) {
        let known = self.offsets.insert(name.clone(), at);
        assert!(known.is_none_or(|known| known == at), "two places are called {name}");
    }

    /// What lies by itself: its size as well.
    fn whole(&mut self, name: &str, ty: &Type) {
        self.within(&camel("", name), 0, ty);
        self.insert(camel(&camel("", name), "size"), self.sizes.size(ty).size_wasm32());
    }

    fn fields<'b>(
        &mut self,
        name: &str,
        at: usize,
        fields: impl Iterator<Item = (&'b str, &'b Type)>,
    ) {
        let fields: Vec<_> = fields.collect();
        let places = self.sizes.field_offsets(fields.iter().map(|field| field.1));
        let places: Vec<_> = places.iter().map(|place| at + place.0.size_wasm32()).collect();
        for ((field, ty), place) in fields.into_iter().zip(places) {
            self.insert(camel(name, field), place);
            self.within(&camel(name, field), place, ty);
        }
    }

    /// What a value there consists of.
    fn within(&mut self, name: &str, at: usize, ty: &Type) {
        let Type::Id(id) = ty else { return };
        let resolve = self.resolve;
        match &resolve.types[*id].kind {
            TypeDefKind::Type(same) => self.within(name, at, same),
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter().map(|field| (field.name.as_str(), &field.ty));
                self.fields(name, at, fields);
            }
            TypeDefKind::List(_) => {
                self.insert(camel(name, "at"), at);
                self.insert(camel(name, "length"), at + 4);
            }
            TypeDefKind::Option(value) => self.cases(name, at, &[("value", Some(value))]),
            TypeDefKind::Result(result) => {
                let cases = [("value", result.ok.as_ref()), ("error", result.err.as_ref())];
                self.cases(name, at, &cases);
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref()));
                self.cases(name, at, &cases.collect::<Vec<_>>());
            }
            _ => {}
        }
    }

    fn cases(&mut self, name: &str, at: usize, cases: &[(&str, Option<&Type>)]) {
        let payload = self.sizes.payload_offset(Int::U8, cases.iter().map(|case| case.1));
        let at = at + payload.size_wasm32();
        for (case, ty) in cases.iter().filter_map(|(case, ty)| Some((case, (*ty)?))) {
            // The fields of a value that is a record need no word between.
            if *case == "value" && self.is_record(ty) {
                self.within(name, at, ty);
            } else {
                self.insert(camel(name, case), at);
                self.within(&camel(name, case), at, ty);
            }
        }
    }

    fn is_record(&self, ty: &Type) -> bool {
        let Type::Id(id) = ty else { return false };
        match &self.resolve.types[*id].kind {
            TypeDefKind::Type(same) => self.is_record(same),
            kind => matches!(kind, TypeDefKind::Record(_)),
        }
    }
}

/// A name within another, as the helper files write it: `setup` and `table-slots` are `setupTableSlots`.
fn camel(outer: &str, name: &str) -> String {
    let mut camel = outer.to_owned();
    for word in name.split('-') {
        let (first, rest) = word.split_at(1);
        match camel.is_empty() {
            true => camel.push_str(word),
            false => camel.extend([&first.to_uppercase(), rest]),
        }
    }
    camel
}

/// The offsets that a helper file says, from the comment that names the WIT to the next empty line.
fn said(text: &str) -> Vec<(&str, usize)> {
    let lines = text.lines().skip_while(|line| !line.contains("in the records of engine.wit"));
    let block = lines.take_while(|line| !line.is_empty());
    let rows = block.filter_map(|line| {
        let (name, number) = line.split_once('=')?;
        let name = name.trim().trim_start_matches("const ").split(':').next()?;
        Some((name.trim(), number.trim().trim_end_matches(';').parse().ok()?))
    });
    rows.collect()
}

/// What is wrong with a helper file; empty: nothing.
fn slips(text: &str, wit: &str) -> Vec<String> {
    let (offsets, said) = (of_wit(wit), said(text));
    let slip = |&(name, at): &(&str, usize)| match offsets.get(name) {
        None => Some(format!("no `{name}` in the border")),
        Some(place) if *place != at => Some(format!("{name} is at {place}, not {at}")),
        Some(_) if times(text, name) < 2 => Some(format!("{name} is not used")),
        Some(_) => None,
    };
    let missing = (said.len() < 30).then(|| format!("only {} offsets are there", said.len()));
    said.iter().filter_map(slip).chain(missing).collect()
}

/// How often a name stands in a text as a whole word.
fn times(text: &str, name: &str) -> usize {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| *word == name).count()
}

fn helper(language: Language) -> &'static str {
    language.row().files[1].1
}

#[test]
fn helper_files_know_where_the_border_s_records_lie() {
    for language in [Language::Go, Language::AssemblyScript] {
        assert_eq!(slips(helper(language), WIT), <[&str; 0]>::default(), "{language:?}");
    }
}

#[test]
fn what_moves_in_a_record_is_noticed() {
    let check = |language: Language, find: &str, put: &str, expected: &[&str]| {
        let text = helper(language);
        assert!(text.contains(find) != WIT.contains(find), "{find}");
        let slips = slips(&text.replace(find, put), &WIT.replace(find, put));
        assert_eq!(slips, expected, "{language:?}, {find} by {put}");
    };
    let (go, ts) = (Language::Go, Language::AssemblyScript);
    check(
        go,
        "setupSeed              = 40",
        "setupSeed              = 48",
        &["setupSeed is at 40, not 48"],
    );
    check(ts, "lookToMove: usize = 12", "lookToMove: usize = 13", &["lookToMove is at 12, not 13"]);
    check(ts, "limitsLines: usize", "limitLines: usize", &["no `limitLines` in the border"]);
    check(go, "guarded(turn", "guarded(it", &[]);
    check(go, "longAt(setup, setupSeed)", "0", &["setupSeed is not used"]);
    // A longer name is another one.
    check(go, "longAt(setup, setupSeed)", "longAt(setup, setupSeeds)", &["setupSeed is not used"]);
    // A field of the border that moves, and one that does not.
    let view = "record view { position: string, to-move: u8, ending";
    let moved = "record view { to-move: u8, position: string, ending";
    check(go, view, moved, &["lookPosition is at 8, not 4", "lookToMove is at 4, not 12"]);
    check(ts, "to-move: u8", "to-move: s8", &[]);
    check(
        go,
        "record barred { move: string,",
        "record barred { weight: u64, move: string,",
        &["barredMove is at 8, not 0", "barredSize is at 24, not 16"],
    );
}
