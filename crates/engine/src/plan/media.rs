//! Where cells and tapes go: the directories that were named, and file systems that are made for
//! the run.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use bakeoff_files::check_links;
use bakeoff_measure::Medium;
use bakeoff_suite::{DEFAULT_MEDIUM, PlanMedium, RunOptions, Suite};

use crate::explain::Advised;
use crate::place::made_media::{NewFileSystem, images_bytes};
use crate::place::own_directory::make_named;

/// The places of cells and tapes, and their room once everything planned is made.
pub(crate) fn plan_media(
    media: &BTreeMap<String, Medium>,
    directories: &BTreeMap<String, PathBuf>,
    made: &BTreeMap<String, NewFileSystem>,
    base: &Path,
) -> BTreeMap<String, PlanMedium> {
    let device = |path: &Path| std::fs::metadata(path).ok().map(|facts| facts.dev());
    let room = |directory: &Path, medium: &Medium| {
        let images_bytes = if device(directory) == device(base) { images_bytes(made) } else { 0 };
        PlanMedium {
            directory: directory.to_owned(),
            free_bytes: medium.free_bytes.map(|bytes| bytes.saturating_sub(images_bytes)),
            free_files: bakeoff_measure::room_files(directory),
            kept_in_memory_by: medium.file_system.clone().filter(|_| medium.is_memory()),
        }
    };
    let there = media.iter().map(|(name, medium)| (name.clone(), room(&directories[name], medium)));
    let mut media: BTreeMap<_, _> = there.collect();
    // The place of the tapes.
    media.entry(DEFAULT_MEDIUM.to_owned()).or_insert_with(|| room(base, &Medium::read(base)));
    for (name, file_system) in made {
        // A tenth is the file system's own.
        let free_bytes = Some(file_system.bytes / 10 * 9);
        // Pages dropped from its cache stay in the cache of its image.
        let kept_in_memory_by =
            Some(if file_system.is_in_memory() { "tmpfs" } else { "the image of a medium that is made" });
        let kept_in_memory_by = kept_in_memory_by.map(str::to_owned);
        let medium = PlanMedium { directory: base.to_owned(), free_bytes, free_files: None, kept_in_memory_by };
        media.insert(name.clone(), medium);
    }
    media
}

/// The given media that are to be made, with `bytes` bytes unless they have a size.
pub(crate) fn made_media(given: &BTreeMap<String, PathBuf>, bytes: u64) -> Result<BTreeMap<String, NewFileSystem>> {
    let mut made = BTreeMap::new();
    for (name, place) in given {
        let new = NewFileSystem::parse(&place.to_string_lossy(), bytes);
        if let Some(new) = new.with_context(|| format!("--medium {name}={}", place.display()))? {
            made.insert(name.clone(), new);
        }
    }
    Ok(made)
}

/// A directory for each medium of the suite that is not made.
pub(crate) fn media_directories(
    options: &RunOptions,
    made: &BTreeMap<String, NewFileSystem>,
    suite: &Suite,
) -> Result<BTreeMap<String, PathBuf>> {
    let mut given = options.media.clone();
    let base = || options.dir.clone().unwrap_or_else(|| options.out.clone());
    given.entry(DEFAULT_MEDIUM.to_owned()).or_insert_with(base);
    if let Some(unused) =
        given.keys().find(|name| *name != DEFAULT_MEDIUM && !suite.all_media().contains(&name.as_str()))
    {
        bail!(
            "--medium {unused}: the suite measures {} and no `{unused}`: leave it out, or name one of those",
            suite.all_media().join(", ")
        );
    }
    let mut directories = BTreeMap::new();
    for name in suite.all_media().into_iter().filter(|name| !made.contains_key(*name)) {
        let Some(directory) = given.get(name) else {
            bail!("the suite measures the medium `{name}`: say where it is with --medium {name}=DIR");
        };
        if directory == &options.out {
            make_named(directory, "--out")?;
        }
        check_links(directory).with_context(|| format!("cannot use {}", directory.display()))?;
        if !directory.is_dir() {
            bail!("{} is not a directory: make it first, or give another", directory.display());
        }
        let directory = absolute(directory)?;
        if let Some((other, _)) = directories.iter().find(|(_, known)| **known == directory) {
            bail!(
                "the media `{other}` and `{name}` are the same directory, {}: their figures would differ by chance alone; give \
                 each one of its own",
                directory.display()
            );
        }
        directories.insert(name.to_owned(), directory);
    }
    Ok(directories)
}

/// Otherwise a run would begin, make its results and only then find that it cannot put a store anywhere. The file has
/// no name, so nothing of it stays in any case.
pub(crate) fn check_writable(directory: &Path) -> Result<()> {
    tempfile::tempfile_in(directory).map(drop).with_context(|| {
        Advised(format!(
            "cannot write in {}: give a directory that you may write in, with --dir or --medium",
            directory.display()
        ))
    })
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    path.canonicalize().with_context(|| format!("cannot find {}", path.display()))
}
