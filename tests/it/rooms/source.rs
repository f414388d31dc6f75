//! The source files as modules: what each brings into scope, and which of the others it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module's path: `["runs", "live"]`.
pub type Name = Vec<String>;

/// What `use` brings into scope.
struct Import {
    path: Vec<String>,
    /// `*` for all of it.
    name: String,
    is_public: bool,
}

struct Module {
    file: PathBuf,
    imports: Vec<Import>,
    /// Paths of at least two words, anywhere in the code.
    paths: Vec<Vec<String>>,
    /// What the file itself defines.
    items: BTreeSet<String>,
}

/// All modules of a crate, but for tests.
pub struct Source(BTreeMap<Name, Module>);

/// Whom a module imports, and by which paths.
pub type Imports = BTreeMap<Name, BTreeSet<String>>;

impl Source {
    /// Reads the files under `src`.
    pub fn read(src: &Path) -> Self {
        let mut modules = BTreeMap::new();
        for file in rust_files(src) {
            let inside = file.strip_prefix(src).unwrap();
            let mut name: Name =
                inside.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            let stem = name.last().unwrap();
            if stem == "tests" || stem.ends_with("_tests") {
                continue;
            }
            if ["mod", "lib"].contains(&stem.as_str()) {
                name.pop();
            }
            let text = fs::read_to_string(&file).unwrap();
            modules.insert(name, Module::parse(inside, &text));
        }
        Self(modules)
    }

    /// A module's file, as a reader finds it.
    pub fn file(&self, name: &Name) -> String {
        self.0[name].file.display().to_string()
    }

    /// The modules of one room.
    pub fn of_room(&self, room: &str) -> Vec<&Name> {
        self.0.keys().filter(|name| name.first().is_some_and(|first| first == room)).collect()
    }

    /// Whom a module imports, wherever that is defined: a file that only hands something on is passed over.
    /// A `pub use` hands on and imports nothing.
    pub fn imports(&self, name: &Name) -> Imports {
        let module = &self.0[name];
        let mut found = Imports::new();
        let mut add = |defined_in: Option<Found>, path: &[String]| {
            if let Some(Found::Item(other)) = defined_in
                && other != *name
            {
                found.entry(other).or_default().insert(path.join("::"));
            }
        };
        for import in module.imports.iter().filter(|import| !import.is_public) {
            let defined_in = self.resolve(name, &import.path, &mut Vec::new());
            match defined_in {
                Some(Found::Module(other)) if import.name == "*" => {
                    add(Some(Found::Item(other)), &import.path);
                }
                other => add(other, &import.path),
            }
        }
        for path in &module.paths {
            add(self.resolve(name, path, &mut Vec::new()), path);
        }
        found
    }

    /// Follows a path from a module to where its end is defined; nothing for another crate's.
    fn resolve(&self, from: &Name, path: &[String], seen: &mut Vec<(Name, Vec<String>)>) -> Option<Found> {
        let step = (from.clone(), path.to_vec());
        if seen.contains(&step) {
            return None;
        }
        seen.push(step);
        let mut at = from.clone();
        let mut rest = path;
        let mut is_first = true;
        while let Some((word, after)) = rest.split_first() {
            match word.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            (rest, is_first) = (after, false);
        }
        while let Some((word, after)) = rest.split_first() {
            let inner = [at.clone(), vec![word.clone()]].concat();
            if self.0.contains_key(&inner) {
                (at, rest, is_first) = (inner, after, false);
                continue;
            }
            match self.imported(&at, word, is_first, seen) {
                Some(Found::Module(module)) => (at, rest, is_first) = (module, after, false),
                Some(item) => return Some(item),
                // The name of another crate, a local variable's type, a type of the prelude.
                None if is_first => return None,
                None => return Some(Found::Item(at)),
            }
        }
        Some(Found::Module(at))
    }

    /// What a name means that a module has from a `use`.
    fn imported(
        &self,
        at: &Name,
        word: &str,
        is_first: bool,
        seen: &mut Vec<(Name, Vec<String>)>,
    ) -> Option<Found> {
        let imports = &self.0[at].imports;
        if let Some(import) = imports.iter().find(|import| import.name == word) {
            return self.resolve(at, &import.path, seen);
        }
        if is_first {
            return None;
        }
        imports.iter().filter(|import| import.name == "*").find_map(|import| {
            let Some(Found::Module(module)) = self.resolve(at, &import.path, seen) else { return None };
            self.0[&module].items.contains(word).then_some(Found::Item(module))
        })
    }
}

enum Found {
    Module(Name),
    /// Something that this module defines.
    Item(Name),
}

impl Module {
    fn parse(file: &Path, text: &str) -> Self {
        let tokens: TokenStream = text.parse().unwrap();
        let mut words = Vec::new();
        flatten(tokens, &mut words);
        let words = without_tests(&words);
        let mut module =
            Self { file: file.to_owned(), imports: Vec::new(), paths: Vec::new(), items: BTreeSet::new() };
        let mut at = 0;
        while at < words.len() {
            match words[at].as_str() {
                // `impl Trait + use<'a>` is another thing.
                "use" if words[at + 1] != "<" => {
                    let is_public = at > 0 && (words[at - 1] == "pub" || words[at - 1] == ")");
                    let mut imports = Vec::new();
                    at = parse_use(&words, at + 1, &[], &mut imports);
                    module.imports.extend(imports.into_iter().map(|(path, name)| Import {
                        path,
                        name,
                        is_public,
                    }));
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" => {
                    module.items.extend(words.get(at + 1).cloned());
                    at += 1;
                }
                "macro_rules" => {
                    module.items.extend(words.get(at + 2).cloned());
                    at += 1;
                }
                word if is_word(word) && words.get(at + 1).is_some_and(|next| next == "::") => {
                    let mut path = vec![word.to_owned()];
                    at += 1;
                    while words.get(at).is_some_and(|next| next == "::")
                        && words.get(at + 1).is_some_and(|word| is_word(word))
                    {
                        path.push(words[at + 1].clone());
                        at += 2;
                    }
                    if path.len() > 1 {
                        module.paths.push(path);
                    }
                }
                _ => at += 1,
            }
        }
        module
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The code as words and signs; `::` is one.
fn flatten(tokens: TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
                };
                words.push(open.to_owned());
                flatten(group.stream(), words);
                words.push(close.to_owned());
            }
            TokenTree::Punct(sign)
                if sign.as_char() == ':' && words.last().is_some_and(|last| last == ":") =>
            {
                words.pop();
                words.push("::".to_owned());
            }
            TokenTree::Literal(_) => words.push("\"\"".to_owned()),
            TokenTree::Ident(word) => words.push(word.to_string()),
            TokenTree::Punct(sign) => words.push(sign.to_string()),
        }
    }
}

/// Leaves out what is compiled for tests only.
fn without_tests(words: &[String]) -> Vec<String> {
    const ONLY_TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at..].iter().take(ONLY_TESTS.len()).eq(ONLY_TESTS) {
            at += ONLY_TESTS.len();
            while words[at] == "#" {
                at = end_of_group(words, at + 1);
            }
            while !["{", ";"].contains(&words[at].as_str()) {
                at = if ["(", "["].contains(&words[at].as_str()) { end_of_group(words, at) } else { at + 1 };
            }
            at = if words[at] == "{" { end_of_group(words, at) } else { at + 1 };
        } else {
            kept.push(words[at].clone());
            at += 1;
        }
    }
    kept
}

/// Behind the sign that closes what is opened here.
fn end_of_group(words: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    words.len()
}

/// Reads the tree behind a `use`, as paths and the names they get.
fn parse_use(
    words: &[String],
    mut at: usize,
    before: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let mut path = before.to_vec();
    loop {
        match words[at].as_str() {
            "::" => at += 1,
            "{" => {
                at += 1;
                while words[at] != "}" {
                    at = parse_use(words, at, &path, found);
                    if words[at] == "," {
                        at += 1;
                    }
                }
                return at + 1;
            }
            "*" => {
                found.push((path, "*".to_owned()));
                return at + 1;
            }
            word => {
                path.push(word.to_owned());
                at += 1;
                if words[at] == "::" {
                    continue;
                }
                if path.len() > 1 && word == "self" {
                    path.pop();
                }
                let mut name = path.last().unwrap().clone();
                if words[at] == "as" {
                    name.clone_from(&words[at + 1]);
                    at += 2;
                }
                found.push((path, name));
                return at;
            }
        }
    }
}

/// Every Rust file under a folder, or the file itself.
pub fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().flat_map(|entry| rust_files(entry)).collect()
    } else if path.is_file() && path.extension().is_some_and(|ending| ending == "rs") {
        vec![path.to_owned()]
    } else {
        Vec::new()
    }
}
