//! Files of a crate that use each other in a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::modules::Source;
use crate::uses::{Uses, uses};

/// Files that all depend on each other, and a shortest circle among them.
#[derive(Debug)]
pub struct Circle {
    /// All files that are tied, by path from the root file's directory.
    pub files: Vec<PathBuf>,
    /// A shortest circle: a file, and the names by which it uses the next one; the last uses the first.
    pub steps: Vec<(PathBuf, BTreeSet<String>)>,
}

impl fmt::Display for Circle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (file, names)) in self.steps.iter().enumerate() {
            let next = &self.steps[(number + 1) % self.steps.len()].0;
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            writeln!(out, "  {} uses {} by {names}", file.display(), next.display())?;
        }
        let others = self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
        write!(out, "  tied: {} files ({others})", self.files.len())
    }
}

/// The circles of the crate with this root file.
///
/// # Errors
/// A file cannot be read or parsed.
pub fn file_circles(root: &Path) -> Result<Vec<Circle>> {
    let source = Source::read(root)?;
    let uses = uses(&source);
    let directory = root.parent().unwrap_or(root);
    let name = |file: usize| source.files[file].strip_prefix(directory).unwrap_or(&source.files[file]).to_owned();
    let circle = |files: Vec<usize>| {
        let shortest = shortest_circle(&files, &uses);
        let next = shortest.iter().cycle().skip(1);
        let steps = shortest.iter().zip(next).map(|(from, to)| (name(*from), uses[&(*from, *to)].clone())).collect();
        let mut files: Vec<_> = files.into_iter().map(name).collect();
        files.sort();
        Circle { files, steps }
    };
    Ok(tied(source.files.len(), &uses).into_iter().map(circle).collect())
}

/// Groups of files of which each uses each other one, directly or by way of others.
fn tied(files: usize, uses: &Uses) -> Vec<Vec<usize>> {
    let used: Vec<_> = (0..files).map(|file| files_before(file, uses)).collect();
    let is_tied = |file: usize, other: usize| used[file].contains_key(&other) && used[other].contains_key(&file);
    let group_of = |file: usize| (0..files).filter(|other| is_tied(file, *other)).collect();
    let groups: BTreeSet<Vec<usize>> = (0..files).map(group_of).collect();
    groups.into_iter().filter(|group| group.len() > 1).collect()
}

/// The files that `file` uses, directly or by way of others, each with the one before it on a shortest way there.
fn files_before(file: usize, uses: &Uses) -> BTreeMap<usize, usize> {
    let (mut before, mut waiting) = (BTreeMap::new(), VecDeque::from([file]));
    while let Some(from) = waiting.pop_front() {
        for (_, to) in uses.range((from, 0)..=(from, usize::MAX)).map(|(arrow, _)| *arrow) {
            before.entry(to).or_insert_with(|| {
                waiting.push_back(to);
                from
            });
        }
    }
    before
}

/// A shortest circle among files that are tied to each other.
fn shortest_circle(files: &[usize], uses: &Uses) -> Vec<usize> {
    let way_back = |file: &usize| {
        let before = files_before(*file, uses);
        let backwards = std::iter::successors(before.get(file), |at| before.get(at).filter(|_| *at != file));
        backwards.copied().collect::<Vec<_>>()
    };
    let mut circle = files.iter().map(way_back).min_by_key(Vec::len).unwrap_or_default();
    circle.reverse();
    circle
}
