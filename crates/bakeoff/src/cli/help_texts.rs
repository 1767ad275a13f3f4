//! The texts of help: which options `-h` shows, examples, and what follows them.

use super::FORMS;

/// The help of a command.
pub(super) struct Help {
    /// The words of the command, such as `tape import`; empty for the program.
    pub(super) command: &'static str,
    /// Options that `-h` shows, each with a line of text.
    pub(super) brief: &'static [(&'static str, &'static str)],
    /// Words after the program's name, and what they do. `-h` shows the first ones.
    pub(super) examples: &'static [(&'static str, &'static str)],
    /// What follows the command in the line of usage, where the parser's own is too long; empty for the parser's own.
    pub(super) usage: &'static str,
    /// Paragraphs after the examples, in `--help` alone.
    pub(super) notes: &'static [&'static str],
}

const NONE: Help = Help { command: "", brief: &[], examples: &[], usage: "", notes: &[] };

pub(super) const HELP: &[Help] = &[
    Help {
        examples: &[
            ("pick", "which store for my application? Asks, answers"),
            ("run", "measure twelve stores here, and rank them"),
            ("run --budget 1m --stores sqlite,lmdb", "two stores, one minute"),
            ("run --dir /mnt/ssd --durability power", "on another disk, surviving power cuts"),
            ("run --resume", "finish the newest run that was cut short"),
            ("map", "who is best where: value size by records"),
            ("report", "show the newest result again"),
            ("compare before after", "what a change did to the figures"),
            ("doctor", "what could spoil a measurement here"),
        ],
        notes: &[
            "A clone's script ./bakeoff also has: build DRIVER|STORE, test, bench, fuzz. Each explains itself, such as \
             ./bakeoff build --help.",
            "Shell completions: `bakeoff completions bash`, or another shell. Manual pages: `bakeoff man DIR`.",
            "Exit status: 0 all good, 1 some cell failed, 2 usage or set-up, 130 interrupted. compare: 1 worse, 3 inconclusive.",
        ],
        ..NONE
    },
    Help {
        command: "run",
        brief: &[
            ("suite", "A suite by name, or a suite file"),
            ("stores", "Stores to compare; `all` for every one"),
            ("value-size", "Sizes of values, e.g. 100B,1KiB..10KiB"),
            ("records", "Numbers of records, e.g. 1000,10k"),
            ("durability", "none, process, consistent or power"),
            ("dir", "Directory on the disk to measure"),
            ("budget", "Fit the run into this time, e.g. 3m"),
            ("tape", "Replay a tape instead of a suite"),
            ("resume", "Finish a run that was cut short"),
            ("full", "Show everything at the end"),
        ],
        examples: &[
            ("run", "the default suite, a few minutes"),
            ("run --stores sqlite,lmdb", "two stores"),
            ("run my-suite.toml", "your own suite (docs/SUITES.md)"),
            ("run --value-size 2KiB..20KiB --records 10k --stores sqlite,lmdb", "your sizes"),
            ("run --medium ssd=/mnt/a --medium hdd=/mnt/b", "on two disks"),
            ("run --medium xfs=new:xfs:8GiB --medium ntfs=new:ntfs", "on file systems made for the run"),
            ("run --disturbance none,video", "as usual, and while a video plays"),
            ("run --tape app.tape", "what an application did (`tape import`)"),
            ("run --tape app.tape --speed 2", "the same when it was due, twice as fast"),
            ("run open-loop --find-rate 'p99<2ms'", "each store's highest rate that keeps it"),
            ("run --stores sqlite,leveldb --profile cpu", "where each store spends its time"),
            ("run --resume bakeoff-results/20260102-030405-quick", ""),
        ],
        ..NONE
    },
    Help {
        command: "pick",
        brief: &[
            ("language", "Language of your program, e.g. python"),
            ("value-size", "How large a record is, e.g. 1KiB..10KiB"),
            ("records", "How many there are, e.g. 100k"),
            ("mix", "Operations by weight, e.g. get=95,update=5"),
            ("durability", "none, process, consistent or power"),
            ("dir", "Directory on the disk to measure"),
            ("stores", "Candidates; `all` for every one"),
            ("budget", "Time for measuring, e.g. 5m"),
            ("optimize", "Measure to be best at, e.g. p99"),
            ("trace", "Take the need from a trace"),
            ("tape", "Replay a tape (`tape import`)"),
            ("full", "Show everything at the end"),
        ],
        examples: &[
            ("pick", "asks for your need, with defaults"),
            ("pick --records 10k --value-size 2KiB..20KiB --mix get=80,update=20", ""),
            ("pick --tape app.tape", "what an application did"),
            ("pick --records 1M --mix insert=95,get=5 --durability power", ""),
            ("pick --must ordered,transactions --license permissive --optimize p99", ""),
            ("pick --trace app.csv", "a need similar to that of an application"),
            ("pick --need need.toml", "the same names as keys: records = \"10k\""),
        ],
        notes: &[
            "Stores that cannot do what is needed are left out, with the reason. The others race until they separate or the \
             time ends. Then the leaders get the same need with other values, records, writes and durability.",
            "Exit status: 0 with an answer, which a tie is too; 1 without: no store can do it, or the time was too short to \
             tell; 2 usage or set-up; 130 interrupted.",
        ],
        ..NONE
    },
    Help {
        command: "map",
        brief: &[
            ("x", "Horizontal axis"),
            ("y", "Vertical axis"),
            ("value-size", "How large a record is, e.g. 1KiB..10KiB"),
            ("records", "How many there are, e.g. 100k"),
            ("mix", "Operations by weight, e.g. get=95,update=5"),
            ("durability", "none, process, consistent or power"),
            ("stores", "Candidates; `all` for every one"),
            ("budget", "Time for measuring, e.g. 10m"),
            ("resume", "Go on with a map"),
        ],
        examples: &[
            ("map", "value size by records, in five minutes"),
            ("map --x value-size=16B..64KiB --y reads=0..100 --records 100k", ""),
            ("map --resume", "go on with the newest one, or give it more time"),
            ("map --x records=1k..1M --y memory=16MiB..1GiB --budget 10m", ""),
            ("map --y skew=0..1.4 --mix get=90,update=10 --stores sqlite,lmdb", ""),
            ("map --trace app.csv --y threads=1..8", "the rest as an application does it"),
            ("report MAP --samples map.csv", "its samples for other programs"),
        ],
        notes: &[
            "Quantities: value-size, records, reads (percent of the operations), threads, memory, skew (the exponent of the \
             popularity of records; 0 is uniform). Stores are raced at places of the plane, most of them where the winner \
             changes. What lies between two samples is drawn as such.",
            "Exit status: 0 with a map, 1 if nothing was measured, 2 usage or set-up, 130 interrupted.",
        ],
        ..NONE
    },
    Help {
        command: "report",
        brief: &[
            ("runs", "Directories or names of runs, or published:NAME"),
            ("full", "Everything, with each store's figures"),
            ("notes", "Warnings, notes, failures and skips"),
            ("against", "Compare with a paper, e.g. hines-2023"),
            ("html", "Write a page; `-` is standard output"),
            ("csv", "Write every round's figures as CSV"),
            ("json", "Write everything as JSON"),
            ("xlsx", "Write a workbook with charts"),
            ("markdown", "Write answer and matrices as Markdown"),
        ],
        examples: &[
            ("report", "the newest run"),
            ("report --notes", "its warnings, and what was skipped"),
            ("report --full", "everything, with each store's figures"),
            ("report --csv figures.csv --json all.json", "for other programs"),
            ("report laptop/ server/ --html both.html", "several runs in one page"),
            ("report RUN --against hines-2023", "next to a paper's figures (docs/PUBLISHED.md)"),
            ("report published:hines-2023", "the paper's own figures in our matrix"),
        ],
        ..NONE
    },
    Help {
        command: "compare",
        brief: &[
            ("a", "The run to compare with: directory or name"),
            ("b", "The run that is compared with it"),
            ("run", "Measure both now, in turn"),
            ("budget", "With --run: end after this time, e.g. 3m"),
            ("fail_on", "Fail only beyond this, e.g. worse=5%"),
            ("full", "Everything"),
            ("notes", "Warnings, failures and differences"),
            ("html", "Write a page"),
            ("markdown", "Write Markdown"),
        ],
        examples: &[
            ("compare before after", "two runs, as `run --name` called them"),
            ("compare old/ new/ --fail-on worse=5%", "two runs, or directories with one each"),
            ("compare --run old/driver new/driver", "two builds of a driver, in turn"),
            ("compare laptop/ server/ --html both.html", "the same as a page"),
            ("compare --run old.toml new.toml", "two suite files: other settings of a store"),
            ("compare --run /mnt/a /mnt/b --stores lmdb", "two directories"),
        ],
        notes: &[
            "Two finished runs differ by the hour too. With --run both sides are measured in turn, each cell right before or \
             after its twin, and compared round by round. Cells that may still be worse by more than --fail-on says (5 % \
             without it) have further rounds, up to four times those of the suite, or 16. Ratios are costs of B by costs of A, so \
             that above 1 is always worse.",
            "Exit status: 0 the same or better; 1 something is worse beyond doubt, or a cell failed in B only; 3 \
             inconclusive: B lacks figures of A, a figure has too few rounds, or all that a store does took longer and may \
             do so by more than --fail-on says (without it 25 %, of two finished runs 60 %); 2 usage or set-up; 130 \
             interrupted. --fail-on also says by how much a figure may be worse.",
        ],
        ..NONE
    },
    Help {
        command: "stores",
        brief: &[("name", "Explain this store")],
        examples: &[("stores", "all stores, in tables"), ("stores sqlite", "one store, with its settings")],
        ..NONE
    },
    Help {
        command: "suites",
        brief: &[("name", "Print this suite's file")],
        examples: &[("suites", "all suites"), ("suites quick", "a suite's file, to begin one of your own with")],
        ..NONE
    },
    Help {
        command: "doctor",
        brief: &[("dir", "The directory that would be measured"), ("aa", "Measure which differences show here now")],
        examples: &[("doctor --dir /mnt/ssd", "another disk"), ("doctor --aa", "takes half a minute")],
        ..NONE
    },
    Help {
        command: "tape summary",
        brief: &[
            ("file", "A trace, or an imported tape; - is standard input"),
            ("form", "The form of the trace, e.g. redis"),
        ],
        examples: &[("tape summary app.csv", "mix, sizes, popularity, arrival")],
        notes: &[FORMS],
        ..NONE
    },
    Help {
        command: "tape import",
        brief: &[
            ("file", "A trace; - is standard input"),
            ("out", "The directory to make, e.g. app.tape"),
            ("form", "The form of the trace, e.g. redis"),
            ("anonymize", "Make keys unreadable"),
            ("value_size", "Length of values that have none in the trace"),
            ("threads", "Deal keys to this many threads"),
            ("data", "What values are made of, e.g. json"),
        ],
        examples: &[
            ("tape import app.csv", "makes app.tape, a directory"),
            ("tape import app.parquet --out shop.tape --anonymize", ""),
            ("tape import ycsb.log --value-size 1000B", "YCSB does not log sizes of reads"),
            ("tape import -", "from a pipe, makes trace.tape"),
            ("tape show app.tape", "its operations, with the right answers"),
            ("run --tape app.tape", "replay it on every store"),
            ("pick --tape app.tape", "which store is best at it"),
        ],
        notes: &["What a trace reads, replaces or removes before it wrote it is loaded beforehand.", FORMS],
        ..NONE
    },
    Help {
        command: "tape export",
        brief: &[
            ("file", "A trace, or an imported tape"),
            ("out", "FILE.csv, FILE.parquet, - or a tape"),
            ("value_size", "Length of values that have none"),
        ],
        examples: &[
            ("tape export app.tape --out app.parquet", "a tape, for other programs"),
            ("tape export redis.log --value-size 1KiB --out redis.csv", ""),
        ],
        notes: &[
            "Each row has the right answer, and `load` rows have the records that were there before. So `bakeoff tape \
                  import` makes a tape with the same operations of it again.",
        ],
        ..NONE
    },
    Help {
        command: "tape anonymize",
        brief: &[
            ("file", "A trace, or an imported tape"),
            ("out", "FILE.csv, FILE.parquet, - or a tape"),
            ("salt", "The secret; a random one without it"),
        ],
        examples: &[
            ("tape anonymize app.csv --out public.csv", ""),
            ("tape anonymize monday.csv --salt \"$SECRET\" --out 1.csv", ""),
            ("tape anonymize tuesday.csv --salt \"$SECRET\" --out 2.csv", "a key becomes the same in both"),
        ],
        notes: &[
            "Letters and digits of keys become others, by a secret. Signs such as : and / stay where they are, and so do the \
             length of a key and the length of a beginning that keys share. Sizes, order and times of operations stay. \
             Threads become numbers.",
            "Not hidden: how often and when each key is used, which keys share a beginning, how long keys and values are, and \
             whether a part of a key is a number. Short parts can be guessed from that. The order of keys is lost, so scans \
             over ranges are not like those of the application.",
        ],
        ..NONE
    },
    Help {
        command: "tape cut",
        usage: "--out <OUT> <--first|--last|--from|--to> <FILE>",
        brief: &[
            ("file", "A trace, or an imported tape"),
            ("out", "FILE.csv, FILE.parquet, - or a tape"),
            ("first", "Keep this number of operations at the beginning"),
            ("last", "Keep this number at the end"),
            ("from", "Keep what comes at this time or later"),
            ("to", "Keep what comes before this time"),
        ],
        examples: &[
            ("tape cut app.csv --first 1M --out morning.csv", ""),
            ("tape cut app.tape --last 1M --out evening.tape", ""),
            ("tape cut app.csv --from 1h --to 90m --out peak.csv", "from the first operation"),
        ],
        notes: &["Records that were there when the part begins are loaded beforehand, with the lengths that they had."],
    },
    Help {
        command: "tape merge",
        brief: &[
            ("files", "Traces or imported tapes; one may be -"),
            ("out", "FILE.csv, FILE.parquet, - or a tape"),
            ("by", "By `time`, or in `turns`"),
            ("apart", "Keys of different traces differ"),
        ],
        examples: &[
            ("tape merge server-1.log server-2.log --out both.csv", "by their times"),
            ("tape merge web.tape batch.tape --by turns --out both.tape", "a thread of each"),
            ("tape merge eu.csv us.csv --apart --out both.csv", "key a of the first is 1:a"),
        ],
        notes: &["With --by turns times are left out."],
        ..NONE
    },
    Help {
        command: "request",
        brief: &[
            ("cell", "The cell, by id or the beginning of it"),
            ("suite", "A suite by name, or a suite file"),
            ("run", "The run that the cell belongs to"),
            ("dir", "Where tapes and the store are made"),
        ],
        examples: &[("request 7ead --run bakeoff-results/20260102-030405-quick", "")],
        ..NONE
    },
    Help {
        command: "check-driver",
        brief: &[
            ("program", "The driver's executable"),
            ("store", "The store to check [default: all]"),
            ("list", "Print each rule, and stop"),
            ("rule", "Check this rule alone; may be repeated"),
            ("keep", "Keep requests, tapes and logs here"),
            ("dir", "Where stores are made"),
        ],
        examples: &[
            ("check-driver ./my-driver", "every store of it"),
            ("check-driver ./my-driver mystore", "one store"),
            ("check-driver --list", "the rules, each in a sentence"),
            ("check-driver ./my-driver mystore --rule tape-flags --keep kept", ""),
        ],
        notes: &[
            "Exit status: 0 every rule is kept, 1 some are not, 2 usage or set-up, 130 interrupted. docs/WRITE-A-DRIVER.md \
             walks through a driver in Python.",
        ],
        ..NONE
    },
    Help {
        command: "cut",
        brief: &[
            ("again", "The cut, as the report lists bad cuts"),
            ("explain", "Print what was acknowledged and pending"),
            ("run", "The run [default: the newest]"),
            ("dir", "Where tapes are made"),
        ],
        examples: &[
            ("cut --again 7ead7901843d039d:2:57", "what the store was like then"),
            ("cut --again 7ead7901843d039d:2:57 --explain", "and what was pending, with its files"),
        ],
        notes: &["Exit status: 0 if every acknowledged write was there, 1 if not, 2 usage or set-up."],
        ..NONE
    },
    Help {
        command: "clean",
        brief: &[
            ("directories", "Directories to look in"),
            ("results", "Remove results too"),
            ("dry_run", "Only show what would be removed"),
        ],
        examples: &[("clean --dry-run", "what would be removed"), ("clean --results", "results too")],
        notes: &["Only what carries bakeoff's marker is removed."],
        ..NONE
    },
];
