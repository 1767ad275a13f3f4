//! Links from a page to the files of a run, which are next to it.

use std::path::{Component, Path, PathBuf};

use maud::{Markup, html};

/// How a directory is reached from another: relative, so that both can be moved together.
pub(crate) fn way(from: &Path, to: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (from, to) = (absolute(from), absolute(to));
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let way: PathBuf = std::iter::once(Component::CurDir).chain(up).chain(to.components().skip(common)).collect();
    way.display().to_string()
}

/// A link to a file of a run; `None` if its name leads out of the run's directory.
pub(crate) fn link(prefix: &str, file: &str) -> Option<String> {
    let inside = !file.is_empty() && Path::new(file).components().all(|part| matches!(part, Component::Normal(_)));
    inside.then(|| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
        let path = format!("{prefix}/{file}");
        path.bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    })
}

/// The name of a file of a run as a link, for the page; its bare name if that leads out of the run's directory.
pub(crate) fn file_link(prefix: &str, file: &str) -> Markup {
    html! {
        @match link(prefix, file) {
            Some(link) => a href=(link) target="_blank" rel="noreferrer" { code { (file) } },
            None => code { (file) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_inside_the_run() {
        assert_eq!(link(".", "logs/a b-1.svg").as_deref(), Some("./logs/a%20b-1.svg"));
        assert_eq!(link(".", "javascript:alert(1)").as_deref(), Some("./javascript%3Aalert%281%29"));
        for outside in ["", "../x.svg", "/etc/passwd", "logs/../../x"] {
            assert_eq!(link(".", outside), None, "{outside}");
        }
    }

    #[test]
    fn the_way_from_page_to_run_is_relative() {
        assert_eq!(way(Path::new("/a/b"), Path::new("/a/b")), ".");
        assert_eq!(way(Path::new("/a/b"), Path::new("/a/c/d")), "./../c/d");
    }
}
