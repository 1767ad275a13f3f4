//! `like`: a suite that starts from another suite.

use bakeoff_text::shorten;

use crate::assemble::variants::{begin_with, hold_for_variants, remove};
use crate::error::Problems;
use crate::node::{Entry, Node, SuiteFile, Value};
use crate::place::Place;
use crate::read;
use crate::texts;

/// Keys that a suite does not take over from its model.
const OWN: [&str; 3] = ["title", "summary", "analysis"];

/// Replaces `like` by the contents of that built-in suite, so that no other code has to know about `like`.
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
        let help = format!("use {}; to start from another file, copy it", known.join(", "));
        problems.add_unknown(&like.place, &name, &known, message, help);
        return;
    };
    // A test parses every built-in suite.
    let Ok(mut model) = SuiteFile::parse(&name, text) else { return };
    write_out(&mut model, problems);
    for key in OWN {
        remove(&mut model.root, key);
    }
    move_to(&mut model.root, &like.place);
    hold_for_variants(&mut model, &file.root);
    begin_with(model.root, &mut file.root);
}

/// Moves the places of all the model's values to where the suite names the model, since its lines are in another file.
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
