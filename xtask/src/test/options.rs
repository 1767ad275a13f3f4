//! The options of `./bakeoff test`.

use anyhow::{Context, Result, bail};

pub(crate) const HELP: &str = include_str!("../../help/test.txt");

/// How much is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Quick,
    All,
    Long,
}

/// The options of `./bakeoff test`.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) extent: Extent,
    pub(crate) fresh: bool,
    pub(crate) status: bool,
    pub(crate) help: bool,
    pub(crate) only: Vec<String>,
}

impl Options {
    pub(crate) fn parse(arguments: &[&str]) -> Result<Self> {
        let mut options = Self { extent: Extent::Quick, fresh: false, status: false, help: false, only: Vec::new() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match *argument {
                "all" => options.extent = Extent::All,
                "long" => options.extent = Extent::Long,
                "--fresh" => options.fresh = true,
                "--status" => options.status = true,
                "--help" | "-h" => options.help = true,
                "--only" => options.only.push((*rest.next().context("--only needs the name of a step")?).to_owned()),
                other => bail!("test does not know `{other}`\n\n{HELP}"),
            }
        }
        Ok(options)
    }

    /// Whether a step is wanted by its name.
    pub(crate) fn wants(&self, step: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| step.starts_with(name.as_str()))
    }

    /// Names in `--only` that match the beginning of none of these steps.
    pub(crate) fn unknown<'a>(&self, steps: impl Iterator<Item = &'a str> + Clone) -> Vec<&str> {
        let is_unknown = |name: &&str| !steps.clone().any(|step| step.starts_with(name));
        self.only.iter().map(String::as_str).filter(is_unknown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        let options = Options::parse(&["all", "--fresh", "--only", "suite"]).unwrap();
        assert_eq!((options.extent, options.fresh), (Extent::All, true));
        assert!(options.wants("suite:plans") && !options.wants("report:lib"));
        assert!(Options::parse(&[]).unwrap().wants("anything"));
        assert!(Options::parse(&["everything"]).unwrap_err().to_string().contains("everything"));
        assert!(Options::parse(&["--only"]).is_err());
        let two = Options::parse(&["--only", "suite", "--only", "suite,report"]).unwrap();
        assert_eq!(two.unknown(["build", "suite:plans"].into_iter()), ["suite,report"]);
    }
}
