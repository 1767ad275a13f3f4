//! What to do where the system refuses something.

use std::error::Error;
use std::io;

use rustix::io::Errno;

use crate::shortage::Shortage;

/// What to do about an error of the system, to be put behind its message. Empty where nothing is known to help.
pub fn remedy(why: &io::Error) -> String {
    Errno::from_io_error(why).map_or_else(String::new, remedy_of)
}

/// The same for the first error of the system among the causes of an error.
pub fn remedy_among<'a>(causes: impl IntoIterator<Item = &'a (dyn Error + 'static)>) -> String {
    let of_system = |cause: &(dyn Error + 'static)| Errno::from_io_error(cause.downcast_ref()?);
    let errno = |cause: &'a (dyn Error + 'static)| of_system(cause).or_else(|| cause.downcast_ref().copied());
    causes.into_iter().find_map(errno).map_or_else(String::new, remedy_of)
}

fn remedy_of(errno: Errno) -> String {
    let what = match errno {
        Errno::NOENT => "Give a path that is there, or make its directory first",
        Errno::ACCESS | Errno::PERM => "Change its permissions, or use another user or path",
        Errno::NOTDIR => "A part of the path is a file: give another path",
        Errno::ISDIR => "Give the path of a file",
        Errno::EXIST => "Move away what is there, or give another name",
        Errno::NOTEMPTY => "Remove what somebody put there meanwhile",
        Errno::NOSPC | Errno::DQUOT => "Make room there, or give a directory on another file system",
        Errno::ROFS => "Give a directory on a file system that can be written to",
        Errno::LOOP => "A link there leads to itself: remove it",
        Errno::NAMETOOLONG => "Give a shorter name",
        Errno::BUSY | Errno::TXTBSY => "End the program that uses it",
        Errno::NOEXEC => "Give a program for this machine, or a script whose first line names its interpreter",
        Errno::IO => "Check the disk: `dmesg` shows why",
        // Of a lock or a pipe, it is no limit.
        Errno::AGAIN => return String::new(),
        _ => return Shortage::of_errno(errno).map_or_else(String::new, |shortage| format!(": {shortage}")),
    };
    format!(". {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_have_a_remedy_and_others_their_own_words() {
        let of = |errno: Errno| remedy(&errno.into());
        assert_eq!(of(Errno::NOENT), ". Give a path that is there, or make its directory first");
        assert!(of(Errno::FBIG).starts_with(": files may not be longer"), "{}", of(Errno::FBIG));
        assert!(of(Errno::MFILE).starts_with(": too few files may be open"), "{}", of(Errno::MFILE));
        assert_eq!(of(Errno::AGAIN), "");
        assert_eq!(remedy(&io::Error::new(io::ErrorKind::NotFound, "is a FIFO, and must be a file: give one")), "");
        let own: Box<dyn Error> = Box::new(io::Error::from(Errno::ROFS));
        assert!(remedy_among([&*own as &(dyn Error + 'static)]).contains("can be written to"));
    }
}
