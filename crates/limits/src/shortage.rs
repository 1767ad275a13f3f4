//! Resources that the system refused because of a limit, and the limits to raise.

use std::error::Error;
use std::fmt;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

/// A limit that a shell sets.
#[derive(Debug, PartialEq, Eq)]
struct Limit {
    resource: Resource,
    /// Its letter in `ulimit`.
    letter: char,
    /// The unit of `ulimit`, in units of the resource.
    unit: u64,
    /// The noun after the number.
    of: &'static str,
    /// The minimum for bakeoff, in units of the resource.
    least: u64,
    /// A usual value, for `ulimit`.
    usual: &'static str,
}

/// A driver needs six at the same time, and a run queries several drivers at once.
const OPEN_FILES: Limit =
    Limit { resource: Resource::Nofile, letter: 'n', unit: 1, of: "open files", least: 64, usual: "1024" };

const PROCESSES: Limit =
    Limit { resource: Resource::Nproc, letter: 'u', unit: 1, of: "processes and threads", least: 1, usual: "4096" };

/// The program, its libraries, and the stacks and heaps of its threads.
const ADDRESSES: Limit = Limit {
    resource: Resource::As,
    letter: 'v',
    unit: 1 << 10,
    of: "KiB of addresses",
    least: 256 << 20,
    usual: "unlimited",
};

const DATA: Limit = Limit {
    resource: Resource::Data,
    letter: 'd',
    unit: 1 << 10,
    of: "KiB of data",
    least: 64 << 20,
    usual: "unlimited",
};

const FILE_SIZE: Limit =
    Limit { resource: Resource::Fsize, letter: 'f', unit: 1 << 10, of: "KiB in a file", least: 0, usual: "unlimited" };

/// What was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// Another open file of this process.
    File,
    /// Another open file of any process.
    FileOfSystem,
    /// A longer file.
    FileSize,
    /// Another thread or process.
    Task,
    Memory,
}

impl Refused {
    /// The limits that may be the cause.
    fn limits(self) -> &'static [&'static Limit] {
        match self {
            Self::File => &[&OPEN_FILES],
            Self::FileOfSystem => &[],
            Self::FileSize => &[&FILE_SIZE],
            Self::Task => &[&PROCESSES, &ADDRESSES, &DATA],
            Self::Memory => &[&ADDRESSES, &DATA],
        }
    }
}

/// The system refused a resource because a limit is reached. The message shows the limits that are set, and how to raise them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    refused: Refused,
    /// The possible limits that are set, with their values in units of the resource.
    set: Vec<(&'static Limit, u64)>,
}

impl Shortage {
    fn new(refused: Refused) -> Self {
        let set = |limit: &&'static Limit| Some((*limit, getrlimit(limit.resource).current?));
        Self { refused, set: refused.limits().iter().filter_map(set).collect() }
    }

    /// The shortage that a system error means; `None` if it means something else.
    pub fn of(why: &io::Error) -> Option<Self> {
        Self::of_errno(Errno::from_io_error(why)?)
    }

    /// The same of the error's number.
    pub(crate) fn of_errno(errno: Errno) -> Option<Self> {
        let refused = match errno {
            Errno::MFILE => Refused::File,
            Errno::NFILE => Refused::FileOfSystem,
            Errno::FBIG => Refused::FileSize,
            Errno::AGAIN => Refused::Task,
            Errno::NOMEM => Refused::Memory,
            _ => return None,
        };
        Some(Self::new(refused))
    }

    /// The first shortage among the causes of an error.
    pub fn among<'a>(causes: impl IntoIterator<Item = &'a (dyn Error + 'static)>) -> Option<Self> {
        causes.into_iter().find_map(|cause| {
            let own = || cause.downcast_ref::<Self>().cloned();
            let of_system = || Self::of(cause.downcast_ref()?);
            let of_call = || Self::of(&cause.downcast_ref::<Errno>().copied()?.into());
            own().or_else(of_system).or_else(of_call)
        })
    }

    /// The reason why no thread can be started.
    pub(crate) fn of_thread(why: &io::Error) -> Self {
        Self::of(why).unwrap_or_else(|| Self::new(Refused::Task))
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.refused {
            Refused::File => "too few files may be open at the same time",
            Refused::FileOfSystem => "all programs together have too many files open: end some of them",
            Refused::FileSize => "files may not be longer",
            Refused::Task => "no further thread or process can be started",
            Refused::Memory => "there is too little memory",
        })?;
        for (number, (limit, value)) in self.set.iter().enumerate() {
            let before = if number == 0 { ":" } else { " and" };
            write!(formatter, "{before} `ulimit -{}` allows {} {}", limit.letter, value / limit.unit, limit.of)?;
        }
        let remedies: Vec<_> =
            self.set.iter().map(|(limit, _)| format!("`ulimit -{} {}`", limit.letter, limit.usual)).collect();
        match self.refused {
            Refused::FileOfSystem => Ok(()),
            Refused::FileSize if remedies.is_empty() => formatter.write_str(" on this file system"),
            _ if remedies.is_empty() => {
                formatter.write_str(": end other programs, or raise the limits of the container")
            }
            _ => write!(formatter, ". Raise that with {}", remedies.join(" and ")),
        }
    }
}

impl Error for Shortage {}

impl From<Shortage> for io::Error {
    fn from(shortage: Shortage) -> Self {
        Self::other(shortage)
    }
}

/// That files may not be of any length, where the shell limits it.
pub fn file_size_limit() -> Option<Shortage> {
    getrlimit(FILE_SIZE.resource).current.map(|_| Shortage::new(Refused::FileSize))
}

/// Refuses limits with which bakeoff can do nothing.
///
/// # Errors
/// The first limit that is too small.
pub fn check_least() -> Result<(), Shortage> {
    let all = [(Refused::File, &OPEN_FILES), (Refused::Memory, &ADDRESSES), (Refused::Memory, &DATA)];
    let is_small = |limit: &Limit| getrlimit(limit.resource).current.is_some_and(|value| value < limit.least);
    let small = all.into_iter().find(|(_, limit)| is_small(limit));
    small.map_or(Ok(()), |(refused, limit)| {
        let mut shortage = Shortage::new(refused);
        shortage.set.retain(|(set, _)| *set == limit);
        Err(shortage)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_names_the_limits_that_are_set_and_how_to_raise_them() {
        let of = |refused, set: &[(&'static Limit, u64)]| Shortage { refused, set: set.to_vec() }.to_string();
        assert_eq!(
            of(Refused::File, &[(&OPEN_FILES, 8)]),
            "too few files may be open at the same time: `ulimit -n` allows 8 open files. Raise that with `ulimit -n 1024`"
        );
        assert_eq!(
            of(Refused::Memory, &[(&ADDRESSES, 2 << 20), (&DATA, 1 << 20)]),
            "there is too little memory: `ulimit -v` allows 2048 KiB of addresses and `ulimit -d` allows 1024 KiB of data. \
             Raise that with `ulimit -v unlimited` and `ulimit -d unlimited`"
        );
        assert!(of(Refused::Task, &[]).ends_with("end other programs, or raise the limits of the container"));
    }

    #[test]
    fn a_shortage_is_found_among_the_causes_and_nothing_else_is_one() {
        let find = |why: Box<dyn Error>| Shortage::among([&*why as &(dyn Error + 'static)]).map(|found| found.refused);
        assert_eq!(find(Box::new(io::Error::from(Errno::MFILE))), Some(Refused::File));
        assert_eq!(find(Box::new(Errno::NOMEM)), Some(Refused::Memory));
        assert_eq!(find(Box::new(Shortage::new(Refused::Task))), Some(Refused::Task));
        assert_eq!(find(Box::new(io::Error::from(Errno::NOENT))), None);
    }
}
