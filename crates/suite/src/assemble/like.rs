//! `like`: a suite that begins as another one.

use bakeoff_text::shorten;

use crate::assemble::variants::{begin_with, hold_for_variants, remove};
use crate::error::Problems;
use crate::node::{Entry, Node, SuiteFile, Value};
use crate::place::Place;
use crate::read;
use crate::texts;

/// What a suite says of itself alone.
const OWN: [&str; 3] = ["title", "summary", "analysis"];

/// Writes out a suite that is `like` one of those that come with bakeoff, so that nothing else has to know of it.
pub(crate) fn write_out(file: &mut SuiteFile, problems: &mut Problems) {
    let Some(like) = file.root.get("like").cloned() else { return };
    let Some(name) = read::text(&like, "like", problems) else { return };
    if name == file.name {
        problems.add(&like.place, "a suite cannot be like itself", "give the file another name, or leave `like` out");
        return;
    }
    let known: Vec<&str> = texts::names().collect();
    let Ok(text) = texts::find(&name) else {
        let message = format!("there is no suite `{}` to be like", shorten(&name));
        let help = format!("use {}; of a file of your own make a copy", known.join(", "));
        problems.add_unknown(&like.place, &name, &known, message, help);
        return;
    };
    // Those that come with bakeoff can be read: a test does.
    let Ok(mut model) = SuiteFile::parse(&name, text) else { return };
    write_out(&mut model, problems);
    for key in OWN {
        remove(&mut model.root, key);
    }
    move_to(&mut model.root, &like.place);
    hold_for_variants(&mut model, &file.root);
    begin_with(model.root, &mut file.root);
}

/// What is wrong with the model beside the suite's own keys is shown where the suite names it: the model's lines are in another file.
fn move_to(node: &mut Node, place: &Place) {
    node.place = place.clone();
    match &mut node.value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| move_to(element, place)),
        Value::Table(entries) => {
            for Entry { key_place, node, .. } in entries {
                *key_place = place.clone();
                move_to(node, place);
            }
        }
        _ => {}
    }
}
