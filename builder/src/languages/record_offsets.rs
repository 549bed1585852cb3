//! Compares the record offsets that `sandboard.go` and `sandboard.ts` have as constants with those
//! that the canonical ABI gives for the WIT of the engine interface.

use std::collections::BTreeMap;

use wit_parser::{Int, Resolve, SizeAlign, Type, TypeDefKind};

use super::Language;
use crate::component::WIT;

/// The byte offset of each field, by a name such as `setupSeed`.
type Offsets = BTreeMap<String, usize>;

/// The offsets of all fields that an engine reads or writes.
fn offsets_in(wit: &str) -> Offsets {
    let mut resolve = Resolve::default();
    resolve.push_str("engine.wit", wit).unwrap();
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let mut collector = OffsetCollector { resolve: &resolve, sizes, offsets: Offsets::new() };
    for (id, defined) in resolve.types.iter() {
        if let (TypeDefKind::Record(_), Some(name)) = (&defined.kind, &defined.name) {
            collector.add_type(name, &Type::Id(id));
        }
    }
    let calls = resolve.interfaces.iter().flat_map(|(_, interface)| interface.functions.values());
    for call in calls {
        if let Some(result) = &call.result {
            collector.add_type(&call.name, result);
        }
        // Parameters that do not fit into 16 words are passed as a record, too.
        if call.name == "choose" {
            collector.add_fields(
                "",
                0,
                call.params.iter().map(|param| (param.name.as_str(), &param.ty)),
            );
        }
    }
    collector.offsets
}

/// Walks types and collects offsets.
struct OffsetCollector<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    offsets: Offsets,
}

impl OffsetCollector<'_> {
    fn insert(&mut self, name: String, at: usize) {
        let known = self.offsets.insert(name.clone(), at);
        assert!(known.is_none_or(|known| known == at), "two offsets have the name {name}");
    }

    /// Adds a type that is stored by itself, with its size.
    fn add_type(&mut self, name: &str, ty: &Type) {
        self.add_inner(&camel("", name), 0, ty);
        self.insert(camel(&camel("", name), "size"), self.sizes.size(ty).size_wasm32());
    }

    fn add_fields<'b>(
        &mut self,
        name: &str,
        at: usize,
        fields: impl Iterator<Item = (&'b str, &'b Type)>,
    ) {
        let fields: Vec<_> = fields.collect();
        let offsets = self.sizes.field_offsets(fields.iter().map(|field| field.1));
        let offsets: Vec<_> = offsets.iter().map(|offset| at + offset.0.size_wasm32()).collect();
        for ((field, ty), offset) in fields.into_iter().zip(offsets) {
            self.insert(camel(name, field), offset);
            self.add_inner(&camel(name, field), offset, ty);
        }
    }

    /// Adds the parts of a value at an offset.
    fn add_inner(&mut self, name: &str, at: usize, ty: &Type) {
        let Type::Id(id) = ty else { return };
        let resolve = self.resolve;
        match &resolve.types[*id].kind {
            TypeDefKind::Type(same) => self.add_inner(name, at, same),
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter().map(|field| (field.name.as_str(), &field.ty));
                self.add_fields(name, at, fields);
            }
            TypeDefKind::List(_) => {
                self.insert(camel(name, "at"), at);
                self.insert(camel(name, "length"), at + 4);
            }
            TypeDefKind::Option(value) => self.add_cases(name, at, &[("value", Some(value))]),
            TypeDefKind::Result(result) => {
                let cases = [("value", result.ok.as_ref()), ("error", result.err.as_ref())];
                self.add_cases(name, at, &cases);
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref()));
                self.add_cases(name, at, &cases.collect::<Vec<_>>());
            }
            _ => {}
        }
    }

    fn add_cases(&mut self, name: &str, at: usize, cases: &[(&str, Option<&Type>)]) {
        let payload = self.sizes.payload_offset(Int::U8, cases.iter().map(|case| case.1));
        let at = at + payload.size_wasm32();
        for (case, ty) in cases.iter().filter_map(|(case, ty)| Some((case, (*ty)?))) {
            // If the value is a record, its fields follow the outer name directly.
            if *case == "value" && self.is_record(ty) {
                self.add_inner(name, at, ty);
            } else {
                self.insert(camel(name, case), at);
                self.add_inner(&camel(name, case), at, ty);
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

/// The name of a constant in the helper files: `setup` and `table-slots` give `setupTableSlots`.
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

/// The constants of a helper file, from the comment that names the WIT to the next empty line.
fn constants_in(text: &str) -> Vec<(&str, usize)> {
    let lines = text.lines().skip_while(|line| !line.contains("in the records of engine.wit"));
    let block = lines.take_while(|line| !line.is_empty());
    let rows = block.filter_map(|line| {
        let (name, number) = line.split_once('=')?;
        let name = name.trim().trim_start_matches("const ").split(':').next()?;
        Some((name.trim(), number.trim().trim_end_matches(';').parse().ok()?))
    });
    rows.collect()
}

/// The errors in the constants of a helper file; empty if there are none.
fn errors_in(text: &str, wit: &str) -> Vec<String> {
    let (offsets, constants) = (offsets_in(wit), constants_in(text));
    let error = |&(name, at): &(&str, usize)| match offsets.get(name) {
        None => Some(format!("the interface has no `{name}`")),
        Some(offset) if *offset != at => Some(format!("{name} is at {offset}, not {at}")),
        Some(_) if count_words(text, name) < 2 => Some(format!("{name} is not used")),
        Some(_) => None,
    };
    let too_few = (constants.len() < 30).then(|| format!("only {} constants", constants.len()));
    constants.iter().filter_map(error).chain(too_few).collect()
}

/// The number of times that a name occurs in a text as a whole word.
fn count_words(text: &str, name: &str) -> usize {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| *word == name).count()
}

/// The text of the file beside an engine that has the interface's types and calls.
fn helper_file(language: Language) -> &'static str {
    language.info().template_files[1].1
}

#[test]
fn helper_files_have_the_offsets_of_the_interface() {
    for language in [Language::Go, Language::AssemblyScript] {
        assert_eq!(errors_in(helper_file(language), WIT), <[&str; 0]>::default(), "{language:?}");
    }
}

#[test]
fn a_changed_offset_is_found() {
    let check = |language: Language, find: &str, put: &str, expected: &[&str]| {
        let text = helper_file(language);
        assert!(text.contains(find) != WIT.contains(find), "{find}");
        let errors = errors_in(&text.replace(find, put), &WIT.replace(find, put));
        assert_eq!(errors, expected, "{language:?}, {find} by {put}");
    };
    let (go, ts) = (Language::Go, Language::AssemblyScript);
    check(
        go,
        "setupSeed              = 40",
        "setupSeed              = 48",
        &["setupSeed is at 40, not 48"],
    );
    check(ts, "lookToMove: usize = 12", "lookToMove: usize = 13", &["lookToMove is at 12, not 13"]);
    check(ts, "limitsLines: usize", "limitLines: usize", &["the interface has no `limitLines`"]);
    check(go, "guarded(turn", "guarded(it", &[]);
    check(go, "longAt(setup, setupSeed)", "0", &["setupSeed is not used"]);
    // A longer name does not count.
    check(go, "longAt(setup, setupSeed)", "longAt(setup, setupSeeds)", &["setupSeed is not used"]);
    // A field of the interface that moves, and one that does not.
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
