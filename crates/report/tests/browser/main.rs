//! The page in a real browser: the first screen, the effect of each chooser, and the numbers in every picture. Nothing
//! is ever requested from a network, written to the console, or taken for markup.

mod beside;
mod flame;
mod heat;
mod hostile;
mod interaction;
mod made_up;
mod map;
mod pick;
mod pictures;
mod places;
mod reading;
mod saved;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bakeoff_report::write_page;
use bakeoff_results::analysis::Analysis;
use bakeoff_results::published::Published;
use bakeoff_results::run::Run;
use tempfile::TempDir;

use bakeoff_testing::chromium::Browser;

/// A page of these runs, open in a browser.
struct Page {
    browser: Browser,
    file: PathBuf,
    _directory: Option<TempDir>,
}

impl Page {
    fn open(runs: &[Run]) -> Self {
        Self::sized(runs, 1280, 900)
    }

    fn sized(runs: &[Run], width: u32, height: u32) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (browser, file) = Self::written(runs, None, directory.path(), width, height);
        Self { browser, file, _directory: Some(directory) }
    }

    /// The same in a directory of the caller's.
    fn placed(runs: &[Run], directory: &Path) -> Self {
        let (browser, file) = Self::written(runs, None, directory, 1280, 900);
        Self { browser, file, _directory: None }
    }

    /// A page with a publication's figures next to these runs'.
    fn against(runs: &[Run], published: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let published = Published::find(published).unwrap();
        let (browser, file) = Self::written(runs, Some(&published), directory.path(), 1280, 900);
        Self { browser, file, _directory: Some(directory) }
    }

    fn written(
        runs: &[Run],
        against: Option<&Published>,
        directory: &Path,
        width: u32,
        height: u32,
    ) -> (Browser, PathBuf) {
        let file = directory.join("report.html");
        let mut html = Vec::new();
        write_page(&Analysis::of_all(runs), against, directory, &mut html).unwrap();
        std::fs::write(&file, html).unwrap();
        let mut browser = Browser::start(width, height);
        browser.open(&file, "");
        (browser, file)
    }

    /// The text of the first element that a selector names, as it is shown.
    fn text_of(&mut self, selector: &str) -> String {
        self.browser.text(&format!("document.querySelector({selector:?}).innerText"))
    }

    /// How many elements a selector names.
    fn count(&mut self, selector: &str) -> u64 {
        self.browser.value(&format!("document.querySelectorAll({selector:?}).length")).as_u64().unwrap()
    }

    /// Chooses an option by its label in the chooser with this label, in the part of the page that a selector names.
    fn choose(&mut self, part: &str, chooser: &str, option: &str) {
        let found = self.browser.value(&format!(
            "(() => {{ const label = [...document.querySelectorAll('{part} label')].find((label) => label.firstChild.textContent === {chooser:?}); \
             const select = label?.querySelector('select'); \
             const index = [...(select?.options ?? [])].findIndex((option) => option.label === {option:?}); \
             if (index < 0) return false; select.selectedIndex = index; select.dispatchEvent(new Event('change')); return true; }})()"
        ));
        assert_eq!(found, true, "{chooser}: {option}");
    }

    /// The words in the matrix's fields, row by row.
    fn fields(&mut self) -> Vec<String> {
        let fields = self.browser.value("[...document.querySelectorAll('.cell')].map((cell) => cell.innerText)");
        fields.as_array().unwrap().iter().map(|words| words.as_str().unwrap().to_owned()).collect()
    }

    /// Presses the button that saves a file of this name, and gives what was saved.
    fn save(&mut self, downloads: &Path, name: &str) -> Vec<u8> {
        let press = format!(
            "[...document.querySelectorAll('#download-buttons button')].find((each) => each.innerText === {name:?}).click()"
        );
        self.browser.value(&press);
        self.saved(downloads, name)
    }

    /// What the page saves under this name.
    fn saved(&mut self, downloads: &Path, name: &str) -> Vec<u8> {
        let file = downloads.join(name);
        for _ in 0..1_000 {
            // The browser keeps the name with an empty file, which what was saved replaces.
            if let Ok(saved) = std::fs::read(&file)
                && !saved.is_empty()
            {
                return saved;
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        panic!("{name} was not saved");
    }

    /// Asserts that the page was silent and asked for nothing.
    fn is_quiet(&mut self) {
        let complaints = self.browser.complaints();
        assert!(complaints.console.is_empty() && complaints.requests.is_empty(), "{complaints:#?}");
    }
}
