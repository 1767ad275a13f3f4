//! A pseudo-terminal for the program.

use std::fs::File;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

pub(crate) const ROWS: u16 = 24;
pub(crate) const COLUMNS: u16 = 80;

/// Both ends of a new pseudo-terminal.
pub(crate) fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("its other end");
    let name = ptsname(&ours, Vec::new()).expect("its name");
    let theirs =
        File::options().read(true).write(true).open(name.to_str().expect("text")).expect("its other end opens");
    tcsetwinsize(&ours, Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 }).expect("its size");
    (ours.into(), theirs)
}
