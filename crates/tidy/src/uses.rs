//! Which file of a crate uses which, and by what names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemUse, Macro, Path, TraitItem, Visibility};

use crate::modules::{Source, is_test};

/// Names by which one file uses another, by the numbers of both.
pub(crate) type Uses = BTreeMap<(usize, usize), BTreeSet<String>>;

/// Looks through a crate.
pub(crate) fn uses(source: &Source) -> Uses {
    let mut uses = Uses::new();
    for (number, module) in source.modules.iter().enumerate() {
        let mut finder = Finder { source, module: number, uses: &mut uses };
        module.imports.iter().for_each(|path| finder.add(path));
        module.items.iter().for_each(|item| finder.visit_item(item));
    }
    uses
}

struct Finder<'a> {
    source: &'a Source,
    module: usize,
    uses: &'a mut Uses,
}

impl Finder<'_> {
    fn add(&mut self, path: &[String]) {
        let files = self.source.files_of(self.module, path);
        self.add_files(files, path);
    }

    fn add_files(&mut self, files: Vec<usize>, path: &[String]) {
        let from = self.source.modules[self.module].file;
        for to in files.into_iter().filter(|to| *to != from) {
            self.uses.entry((from, to)).or_default().extend(short_name(path));
        }
    }

    /// Looks for paths in tokens that are not parsed, such as the arguments of a macro.
    fn scan(&mut self, tokens: TokenStream) {
        let (mut path, mut separators, mut after_dot) = (Vec::new(), 0, false);
        for token in tokens {
            match &token {
                TokenTree::Ident(name) if path.is_empty() || separators == 2 => {
                    if !after_dot {
                        path.push(name.to_string());
                    }
                    (separators, after_dot) = (0, false);
                    continue;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() && separators < 2 => {
                    separators += 1;
                    continue;
                }
                _ => {}
            }
            self.add(&std::mem::take(&mut path));
            (separators, after_dot) = (0, false);
            match token {
                TokenTree::Ident(name) => path.push(name.to_string()),
                TokenTree::Punct(mark) => after_dot = mark.as_char() == '.',
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Literal(_) => {}
            }
        }
        self.add(&path);
    }

    /// Looks for paths in the texts of an attribute: `#[serde(default = "crate::name")]`.
    fn scan_texts(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.scan_texts(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = syn::parse_str::<syn::LitStr>(&literal.to_string()).ok();
                    if let Some(path) = text.and_then(|text| text.parse::<Path>().ok()) {
                        self.visit_path(&path);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'code> Visit<'code> for Finder<'_> {
    fn visit_item(&mut self, item: &'code Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'code ImplItem) {
        let is_left_out = matches!(item, ImplItem::Fn(function) if is_test(&function.attrs));
        if !is_left_out {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'code TraitItem) {
        visit::visit_trait_item(self, item);
    }

    fn visit_item_use(&mut self, _: &'code ItemUse) {}

    fn visit_visibility(&mut self, _: &'code Visibility) {}

    fn visit_path(&mut self, path: &'code Path) {
        if path.leading_colon.is_none() {
            self.add(&path.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'code Macro) {
        if let Some(name) = call.path.get_ident().map(ToString::to_string) {
            let files = self.source.files_of_macro(self.module, &name);
            self.add_files(files, &[name]);
        } else {
            self.visit_path(&call.path);
        }
        self.scan(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'code Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.scan_texts(list.tokens.clone());
        }
    }
}

/// What a path names, without the way there: `Log` of `database::Log::Written`.
fn short_name(path: &[String]) -> Option<String> {
    path.iter().find(|part| part.starts_with(char::is_uppercase)).or(path.last()).cloned()
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}
