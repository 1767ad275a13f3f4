//! strace's output.

use super::*;

/// What strace 6.1 printed of a program in Python, with other paths.
const LOG: &str = r#"13323 1795939878.048582 mkdir("/srv/d", 0777) = 0
13323 1795939878.052852 openat(AT_FDCWD</srv>, "/srv/d/0.tmp", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0666) = 3</srv/d/0.tmp>
13323 1795939878.053144 newfstatat(3</srv/d/0.tmp>, "", {st_mode=S_IFREG|0644, st_size=0, ...}, AT_EMPTY_PATH) = 0
13323 1795939878.053284 write(3</srv/d/0.tmp>, ""..., 8192) = 8192
13323 1795939878.053290 write(3</srv/d/0.tmp>, ""..., 1808) = 1808
13323 1795939878.053366 close(3</srv/d/0.tmp>) = 0
13323 1795939878.053407 rename("/srv/d/0.tmp", "/srv/d/0") = 0
13324 1795939878.053500 openat(AT_FDCWD</srv>, "d/a\303\251", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0666 <unfinished ...>
13323 1795939878.053756 openat(AT_FDCWD</srv>, "/srv/d/0", O_RDONLY|O_CLOEXEC) = 3</srv/d/0>
13324 1795939878.053760 <... openat resumed>) = 4</srv/d/a\303\251>
13324 1795939878.053761 pwrite64(4</srv/d/a\303\251>, ""..., 10, 90) = 10
13323 1795939878.053786 newfstatat(3</srv/d/0>, "", {st_mode=S_IFREG|0644, st_size=10000, ...}, AT_EMPTY_PATH) = 0
13323 1795939878.053883 read(3</srv/d/0>, ""..., 4096) = 4096
13323 1795939878.053982 close(3</srv/d/0>) = 0
13323 1795939878.054046 openat(AT_FDCWD</srv>, "/srv/d/9", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)
13323 1795939878.054116 newfstatat(AT_FDCWD</srv>, "d/1", {st_mode=S_IFREG|0644, st_size=10001, ...}, 0) = 0
13323 1795939878.054193 unlink("/srv/d/0") = 0
13323 1795939878.054266 openat(AT_FDCWD</srv>, "/srv/d", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 3</srv/d>
13323 1795939878.054299 newfstatat(3</srv/d>, "", {st_mode=S_IFDIR|0755, st_size=4096, ...}, AT_EMPTY_PATH) = 0
13323 1795939878.054370 close(3</srv/d>) = 0
13323 1795939878.054406 openat(AT_FDCWD</srv>, "/srv/d/1", O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0666) = 3</srv/d/1>
13323 1795939878.054439 newfstatat(3</srv/d/1>, "", {st_mode=S_IFREG|0644, st_size=10001, ...}, AT_EMPTY_PATH) = 0
13323 1795939878.054513 write(3</srv/d/1>, ""..., 2) = 2
13323 1795939878.054543 close(3</srv/d/1>) = 0
13323 1795939878.054600 openat(AT_FDCWD</srv>, "/etc/hosts", O_RDONLY) = 3</etc/hosts>
13323 1795939878.054610 read(3</etc/hosts>, ""..., 4096) = 300
13323 1795939878.060000 exit_group(0) = ?
13323 1795939878.060001 +++ exited with 0 +++
"#;

#[test]
fn what_happens_to_a_file_is_one_operation() {
    use Operation::{Delete, Get, Insert, Upsert};
    let options = ReadOptions { key_prefix: b"/srv/d/".to_vec(), ..ReadOptions::default() };
    let log = read_with(LOG, &options).unwrap();
    let expected = [
        row(Upsert, "0", 10_000),
        row(Get, "0", 10_000),
        row(Get, "9", 0),
        row(Get, "1", 10_001),
        row(Delete, "0", None),
        row(Upsert, "1", 10_003),
        row(Insert, "a\u{e9}", 100),
    ];
    // What no line closes is closed at the end.
    assert_eq!(log.rows, expected);
    assert_eq!((log.omitted.other_keys, log.omitted.unread), (1, 0));
    assert!(log.times.iter().flatten().is_sorted());
    let all = read(LOG).unwrap().rows;
    assert!(all.contains(&row(Get, "/etc/hosts", 300)), "{all:?}");
    let lost = LOG.replace("rename(\"/srv/d/0.tmp\"", "rename(\"/srv/d/never-seen\"");
    let why = read_with(&lost, &options).unwrap_err();
    assert!(why.contains("--ignore other-rename leaves them out"), "{why}");
    let ignoring = ReadOptions { ignore: vec!["other-rename".into()], ..options.clone() };
    assert_eq!(
        read_with(LOG, &ignoring).unwrap().rows,
        expected,
        "what is renamed after it was written stays one write"
    );
    let moved = "13323 1795939878.053990 rename(\"/srv/d/0\", \"/srv/d/new\") = 0\n13323 1795939878.054046 openat";
    let moved = LOG.replacen("13323 1795939878.054046 openat", moved, 1);
    let log = read_with(&moved, &ignoring).unwrap();
    let plain = read_with(LOG, &ignoring).unwrap().omitted.without_record;
    let found = (log.rows, log.omitted.without_record);
    assert_eq!(found, (expected.to_vec(), plain + 1), "the file was read under its name");
    let others = lost.replace("/srv/d/never-seen\", \"/srv/d/0\"", "/tmp/never-seen\", \"/tmp/0\"");
    assert_eq!(read_with(&others, &options).unwrap().omitted.unread, 0, "files that are not of interest");
}

#[test]
fn processes_and_times_are_written_in_several_ways() {
    let without = LOG.lines().filter(|line| !line.starts_with("13324"));
    let without: String = without.map(|line| line[6..].to_owned() + "\n").collect();
    let pid = without.lines().map(|line| format!("[pid 13323] {line}\n")).collect::<String>();
    let clock = without.replace("1795939878", "04:11:18");
    let rows = |text: &str| read(text).unwrap().rows;
    assert_eq!(rows(&pid), rows(&without));
    assert_eq!(rows(&clock), rows(&without));
    let untimed: String = without.lines().map(|line| line.split_once(' ').unwrap().1.to_owned() + "\n").collect();
    assert_eq!(rows(&untimed), rows(&without));
    assert_eq!(read(&untimed).unwrap().times[0], None);
    let since: String = untimed.lines().map(|line| format!("     0.000250 {line}\n")).collect();
    let since = read(&since).unwrap();
    assert_eq!(since.rows, rows(&without));
    assert!(since.times.iter().flatten().is_sorted() && since.times[0] != since.times[1], "{:?}", since.times);
}
