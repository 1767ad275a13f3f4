//! The modules of a crate, read from its files, and the names in each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{Ident, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, ItemMacro, ItemMod, ItemUse, UseTree};

/// One library or program: its files and modules, the root first.
pub(crate) struct Source {
    /// Paths of the files.
    pub(crate) files: Vec<PathBuf>,
    /// Modules, of files and inside them.
    pub(crate) modules: Vec<Module>,
    /// Files that define a macro, by the macro's name.
    pub(crate) macros: HashMap<String, Vec<usize>>,
}

/// A module.
pub(crate) struct Module {
    /// Which file it is in.
    pub(crate) file: usize,
    /// The module around it.
    pub(crate) parent: Option<usize>,
    /// What its names are.
    pub(crate) names: HashMap<String, Vec<Name>>,
    /// Paths whose names are all imported.
    pub(crate) globs: Vec<Vec<String>>,
    /// Paths that are imported for this module alone.
    pub(crate) imports: Vec<Vec<String>>,
    /// Its code, without the modules inside.
    pub(crate) items: Vec<Item>,
}

/// What a name in a module is.
pub(crate) enum Name {
    /// A module inside it.
    Module(usize),
    /// Something it defines.
    Item,
    /// Something at this path.
    Import(Vec<String>),
}

impl Source {
    /// Reads the crate with this root file.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut source = Self { files: Vec::new(), modules: Vec::new(), macros: HashMap::new() };
        let directory = root.parent().unwrap_or(Path::new(""));
        source.add_file(root, directory, None)?;
        Ok(source)
    }

    /// Adds the module of a file whose child modules are in `directory`; gives the module's number.
    fn add_file(&mut self, path: &Path, directory: &Path, parent: Option<usize>) -> Result<usize> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let code = syn::parse_file(&text).with_context(|| format!("cannot parse {}", path.display()))?;
        self.files.push(path.to_owned());
        self.add_module(self.files.len() - 1, directory, parent, code.items)
    }

    fn add_module(&mut self, file: usize, directory: &Path, parent: Option<usize>, items: Vec<Item>) -> Result<usize> {
        let number = self.modules.len();
        let (names, globs, imports) = Default::default();
        self.modules.push(Module { file, parent, names, globs, imports, items: Vec::new() });
        for item in items {
            match item {
                Item::Mod(child) if is_test(&child.attrs) => {}
                Item::Mod(child) => self.add_child(number, directory, child)?,
                item => {
                    for child in modules_of_macro(&item, directory) {
                        self.add_child(number, directory, child)?;
                    }
                    self.add_item(number, item);
                }
            }
        }
        Ok(number)
    }

    fn add_child(&mut self, parent: usize, directory: &Path, child: ItemMod) -> Result<()> {
        let name = child.ident.to_string();
        let inside = directory.join(&name);
        let number = match child.content {
            Some((_, items)) => self.add_module(self.modules[parent].file, &inside, Some(parent), items)?,
            None => match path_attribute(&child.attrs) {
                // The path is relative to the file, and so are those of modules inside.
                Some(path) => {
                    let file = self.files[self.modules[parent].file].with_file_name("").join(path);
                    self.add_file(&file, &file.with_file_name(""), Some(parent))?
                }
                None => {
                    let files = [directory.join(format!("{name}.rs")), inside.join("mod.rs")];
                    let file = files.into_iter().find(|file| file.exists());
                    let file = file.with_context(|| format!("{}: no file for `mod {name}`", directory.display()))?;
                    self.add_file(&file, &inside, Some(parent))?
                }
            },
        };
        self.modules[parent].names.entry(name).or_default().push(Name::Module(number));
        Ok(())
    }

    fn add_item(&mut self, module: usize, item: Item) {
        if let Item::Macro(definition) = &item
            && let Some(name) = &definition.ident
        {
            self.macros.entry(name.to_string()).or_default().push(self.modules[module].file);
        }
        let module = &mut self.modules[module];
        if let Some(name) = item_name(&item) {
            module.names.entry(name).or_default().push(Name::Item);
        }
        Imports(module).visit_item(&item);
        module.items.push(item);
    }
}

/// The modules that a macro is given to declare: its identifiers that are names of files.
fn modules_of_macro(item: &Item, directory: &Path) -> Vec<ItemMod> {
    let Item::Macro(ItemMacro { ident: None, mac, .. }) = item else { return Vec::new() };
    let identifiers = mac.tokens.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(identifier) => Some(identifier),
        _ => None,
    });
    let has_file = |identifier: &Ident| directory.join(format!("{identifier}.rs")).exists();
    identifiers.filter(has_file).map(|identifier| syn::parse_quote!(mod #identifier;)).collect()
}

/// Collects what an item imports, in functions' bodies too.
struct Imports<'a>(&'a mut Module);

impl Visit<'_> for Imports<'_> {
    fn visit_item_use(&mut self, import: &ItemUse) {
        if is_test(&import.attrs) || import.leading_colon.is_some() {
            return;
        }
        let is_private = matches!(import.vis, syn::Visibility::Inherited);
        self.add(&import.tree, &mut Vec::new(), is_private);
    }
}

impl Imports<'_> {
    fn add(&mut self, tree: &UseTree, path: &mut Vec<String>, is_private: bool) {
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.add(&part.tree, path, is_private);
                path.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add(tree, path, is_private)),
            UseTree::Glob(_) => self.0.globs.push(path.clone()),
            UseTree::Name(name) => self.bind(path, &name.ident, &name.ident, is_private),
            UseTree::Rename(rename) => self.bind(path, &rename.ident, &rename.rename, is_private),
        }
    }

    fn bind(&mut self, path: &[String], imported: &syn::Ident, name: &syn::Ident, is_private: bool) {
        let (mut path, mut name) = (path.to_vec(), name.to_string());
        if imported != "self" {
            path.push(imported.to_string());
        } else if name == "self" {
            name = path.last().cloned().unwrap_or_default();
        }
        if is_private {
            self.0.imports.push(path.clone());
        }
        self.0.names.entry(name).or_default().push(Name::Import(path));
    }
}

/// Whether something is compiled for tests only.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg_test = || attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"));
        attribute.path().is_ident("test") || attribute.path().is_ident("cfg") && is_cfg_test()
    })
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value else { return None };
        attribute.path().is_ident("path").then(|| text.value())
    })
}

fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
