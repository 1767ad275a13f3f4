//! From a path in the code to the files that define it.

use std::collections::HashSet;

use crate::modules::{Name, Source};

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Module(usize),
    /// Something that this file defines.
    Item(usize),
}

/// Names that were looked up on the way, by module, so that a circle of re-exports ends.
type Seen = HashSet<(usize, String)>;

impl Source {
    /// The files that define what `path` names in a module; none if it is another crate's.
    pub(crate) fn files_of(&self, module: usize, path: &[String]) -> Vec<usize> {
        let targets = self.resolve(module, path, &mut Seen::new());
        targets.into_iter().map(|target| self.file_of(target)).collect()
    }

    /// The files that define the macro called by this name in a module.
    pub(crate) fn files_of_macro(&self, module: usize, name: &str) -> Vec<usize> {
        let files = self.files_of(module, &[name.to_owned()]);
        if files.is_empty() { self.macros.get(name).cloned().unwrap_or_default() } else { files }
    }

    fn file_of(&self, target: Target) -> usize {
        match target {
            Target::Module(module) => self.modules[module].file,
            Target::Item(file) => file,
        }
    }

    fn resolve(&self, module: usize, path: &[String], seen: &mut Seen) -> Vec<Target> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let start = match first.as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => self.modules[module].parent.map(Target::Module).into_iter().collect(),
            name => self.look_up(module, name, seen),
        };
        rest.iter().fold(start, |targets, name| {
            let of_target = |target| match target {
                Target::Module(module) if name == "super" => {
                    self.modules[module].parent.map(Target::Module).into_iter().collect()
                }
                Target::Module(module) => {
                    let found = self.look_up(module, name, seen);
                    // A macro may define what is not found.
                    if found.is_empty() { vec![Target::Item(self.modules[module].file)] } else { found }
                }
                // A variant, or what belongs to a type: it is where the type is.
                Target::Item(file) => vec![Target::Item(file)],
            };
            targets.into_iter().flat_map(of_target).collect()
        })
    }

    fn look_up(&self, module: usize, name: &str, seen: &mut Seen) -> Vec<Target> {
        if !seen.insert((module, name.to_owned())) {
            return Vec::new();
        }
        let scope = &self.modules[module];
        let mut targets = Vec::new();
        for bound in scope.names.get(name).into_iter().flatten() {
            match bound {
                Name::Module(child) => targets.push(Target::Module(*child)),
                Name::Item => targets.push(Target::Item(scope.file)),
                Name::Import(path) if path.len() == 1 => {
                    // `pub(crate) use name;` gives a macro a path.
                    targets.extend(self.macros.get(&path[0]).into_iter().flatten().map(|file| Target::Item(*file)));
                    targets.extend(self.resolve(module, path, seen));
                }
                Name::Import(path) => targets.extend(self.resolve(module, path, seen)),
            }
        }
        if targets.is_empty() {
            for glob in &scope.globs {
                for target in self.resolve(module, glob, &mut seen.clone()) {
                    if let Target::Module(inside) = target {
                        targets.extend(self.look_up(inside, name, seen));
                    }
                }
            }
        }
        targets
    }
}
