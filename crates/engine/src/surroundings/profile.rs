//! `--profile`: a flame graph for each cell's round. A driver that can profile itself does. `perf` samples the CPU time
//! of every other one from outside. A run without this option has no profiling at all.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Error, Result, bail};
use bakeoff_files::{open_regular, open_without_links};
use bakeoff_flame::{FlameUnit, draw_flame_graph, fold_perf_script, folded_weight};
use bakeoff_protocol::{Profile, ProfileOutcome, ProfileRequest};
use bakeoff_results::record::ProfileRecord;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Signal, set_parent_process_death_signal};

use crate::explain::explained;
use crate::programs::{Missing, is_on_path, need};

/// The sampler and Debian's package of it.
const SAMPLER: (&str, &str) = ("perf", "linux-perf");

/// Samples of a second of CPU time: prime, so as not to keep in step with what goes on in a rhythm.
const SAMPLES_PER_SECOND: &str = "499";

/// Each sample takes so much of the stack along, from which callers are found without frame pointers, which most libraries lack.
/// With half of it RocksDB could not be followed down to who calls it.
const STACK: &str = "dwarf,16384";

/// Where samples end: some four minutes of CPU time.
const SAMPLES_BYTES_MAX: u64 = 2 << 30;

/// The longest profile that a driver may leave, and the longest reason for having none.
const FOLDED_BYTES_MAX: u64 = 1 << 30;
const TROUBLE_BYTES_MAX: u64 = 64 << 10;

/// What says who may sample what: above 2 only root, above 1 only root the kernel.
const PARANOID: &str = "kernel.perf_event_paranoid";

/// The facts about the profiling of a run that is about to begin; `outside`: some driver does not profile itself.
pub(crate) fn facts(kind: Profile, outside: bool) -> ProfileRecord {
    let sampler = if outside { version() } else { None };
    // The kernel demands the same of drivers that sample themselves; allocations are not in it.
    let kernel_frames = (kind == Profile::Cpu).then(sees_kernel);
    ProfileRecord { kind, sampler, kernel_frames }
}

/// Sees to it that the sampler is there and may be used, if some driver of the plan does not profile itself.
pub(crate) fn check(outside: bool, missing: Missing) -> Result<()> {
    if !outside {
        return Ok(());
    }
    let (program, package) = SAMPLER;
    need(program, package, "--profile cpu", missing)?;
    try_out()
}

/// Whether profiling is possible here, in words.
pub fn profiling_possibility() -> String {
    let (program, package) = SAMPLER;
    if !is_on_path(program) {
        return format!(
            "--profile cpu needs {program}, which ./bakeoff installs then (apt-get install -y {package}); stores on the JVM profile \
             themselves"
        );
    }
    match try_out() {
        Err(why) => format!("not possible for native stores: {}", explained(&why)),
        Ok(()) if sees_kernel() => "possible, the kernel's part included".to_owned(),
        Ok(()) => format!("possible; the kernel's part only as root, or after: sudo sysctl {PARANOID}=1"),
    }
}

/// Samples a program that does nothing.
fn try_out() -> Result<()> {
    let mut command = Command::new(SAMPLER.0);
    command.args(options(Path::new("/dev/null"))).args(["--", "true"]).stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot start {}", SAMPLER.0))?;
    if output.status.success() {
        return Ok(());
    }
    match paranoid() {
        Some(level) if level > 2 && !is_root() => bail!(
            "only root may sample programs here ({PARANOID} is {level}): run as root, or allow it until the next start with: sudo sysctl \
             {PARANOID}=1"
        ),
        _ => bail!("{} does not work here: {}", SAMPLER.0, describe_failure(&output.stderr)),
    }
}

/// Only events that need no counters of the processor, which virtual machines seldom have; and no copies of programs are kept.
fn options(samples: &Path) -> Vec<String> {
    let words = ["record", "--quiet", "--event", "cpu-clock", "--freq", SAMPLES_PER_SECOND, "--call-graph", STACK];
    let words = words.into_iter().chain(["--no-buildid", "--no-buildid-cache"]).map(str::to_owned);
    let rest = [format!("--max-size={SAMPLES_BYTES_MAX}B"), format!("--output={}", samples.display())];
    words.chain(rest).collect()
}

fn version() -> Option<String> {
    let output = Command::new(SAMPLER.0).arg("--version").stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn paranoid() -> Option<i32> {
    std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").ok()?.trim().parse().ok()
}

/// Whether samples in the kernel are taken, and its functions have names.
pub(crate) fn sees_kernel() -> bool {
    let mut first = String::new();
    let _ = File::open("/proc/kallsyms").map(|symbols| BufReader::new(symbols).read_line(&mut first));
    // Addresses are zeros for users who may not know them.
    let named = first.split(' ').next().is_some_and(|address| address.contains(|digit| digit != '0'));
    named && (is_root() || paranoid().is_some_and(|level| level <= 1))
}

/// Why the sampler failed: the line below `Error:`, where advice of a dozen lines follows it, else the last one.
fn describe_failure(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let below = said.lines().skip_while(|line| line.trim() != "Error:").nth(1);
    bakeoff_text::printable(below.or(said.trim().lines().last()).unwrap_or("it said nothing").trim())
}

/// The profiling of one round of a cell.
pub(crate) struct Profiling {
    kind: Profile,
    /// The request to the driver, if it profiles itself.
    request: Option<ProfileRequest>,
    /// A directory of the cell's for samples.
    directory: PathBuf,
    /// The file of the flame graph, and its name in results.
    graph: (PathBuf, String),
    title: (String, String),
    sampler: Option<Result<Sampler>>,
}

impl Profiling {
    /// Nothing is started yet. `directory` is the cell's own, for files that are gone with the cell; `title` is above
    /// the graph.
    pub(crate) fn new(
        (kind, by_driver): (Profile, bool),
        directory: PathBuf,
        graph: (PathBuf, String),
        title: (String, String),
    ) -> Self {
        let request = by_driver.then(|| ProfileRequest { kind, file: directory.join("profile.folded") });
        Self { kind, request, directory, graph, title, sampler: None }
    }

    /// The request to the driver, if it profiles itself.
    pub(crate) fn request(&self) -> Option<ProfileRequest> {
        self.request.clone()
    }

    /// Takes up the driver's process, which has been started and has not been asked for anything yet. The number of the sampler's process, if
    /// there is one.
    pub(crate) fn attach(&mut self, process: u32) -> Option<u32> {
        if self.request.is_none() {
            self.sampler = Some(Sampler::attach(process, &self.directory));
        }
        Some(self.sampler.as_ref()?.as_ref().ok()?.process.id())
    }

    /// Draws the samples, after the driver has ended in any way.
    pub(crate) fn end(mut self, finished: bool) -> ProfileOutcome {
        match self.draw() {
            Err(_) if !finished => {
                ProfileOutcome { trouble: Some("the cell failed".to_owned()), ..ProfileOutcome::default() }
            }
            Ok(samples) => ProfileOutcome {
                flame_graph: Some(self.graph.1),
                samples: Some(samples),
                trouble: self.sampler.and_then(Result::ok).and_then(|sampler| sampler.cut_short()),
            },
            Err(why) => ProfileOutcome { trouble: Some(explained(&why)), ..ProfileOutcome::default() },
        }
    }

    /// The weight of all that is in the flame graph.
    fn draw(&mut self) -> Result<u64> {
        let folded = match (&self.request, &mut self.sampler) {
            (Some(request), _) => read_of_driver(&request.file, FOLDED_BYTES_MAX)
                .map_err(|error| {
                    let trouble = read_of_driver(&request.trouble(), TROUBLE_BYTES_MAX);
                    trouble.map_or(error, |trouble| Error::msg(String::from_utf8_lossy(&trouble).into_owned()))
                })
                .context("the driver left no profile")?,
            (None, Some(Ok(sampler))) => sampler.folded()?,
            (None, Some(Err(why))) => bail!("{}", explained(why)),
            (None, None) => bail!("the driver was not started"),
        };
        let folded = String::from_utf8_lossy(&folded);
        let weight = folded_weight(&folded);
        if weight == 0 {
            bail!("no sample was taken: the cell was too short. Give more --records, or more operations");
        }
        let (path, (title, subtitle)) = (&self.graph.0, &self.title);
        let unit = if self.kind == Profile::Alloc { FlameUnit::Bytes } else { FlameUnit::Samples };
        let file = open_without_links(path, File::options().write(true).create(true).truncate(true))
            .with_context(|| format!("cannot make {}", path.display()))?;
        draw_flame_graph(&folded, (title, subtitle), unit, file).context("cannot draw the flame graph")?;
        Ok(weight)
    }
}

/// Reads a file that a driver has left, if it is one and not too long.
fn read_of_driver(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    let file = open_regular(path, File::options().read(true)).with_context(|| path.display().to_string())?;
    let mut content = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut content).with_context(|| format!("cannot read {}", path.display()))?;
    if content.len() as u64 > bytes_max {
        bail!("{} is longer than {}", path.display(), bakeoff_text::format_size(bytes_max));
    }
    Ok(content)
}

/// `perf`, running next to a driver.
struct Sampler {
    process: Child,
    /// Takes commands: `stop` ends it.
    control: PipeWriter,
    /// Where it answers: it would die of a closed pipe before it had written everything.
    _answers: PipeReader,
    samples: PathBuf,
}

impl Sampler {
    /// Samples a process and all it will start, from when this returns on.
    fn attach(process: u32, directory: &Path) -> Result<Self> {
        let samples = directory.join("samples");
        let said = File::create(directory.join("sampler.log")).context("cannot make the sampler's log")?;
        let (commands, mut control) = std::io::pipe().context("cannot make a pipe")?;
        let (mut answers, answer) = std::io::pipe().context("cannot make a pipe")?;
        let mut command = Command::new(SAMPLER.0);
        command.args(options(&samples)).args(["--delay", "-1", "--pid", &process.to_string()]);
        command.args(["--control", &format!("fd:{},{}", commands.as_raw_fd(), answer.as_raw_fd())]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).process_group(0);
        let mut child = spawn(command, commands, answer)?;
        let mut said = [0; 16];
        // It answers when it samples, or ends and with it the pipe.
        let begun = control.write_all(b"enable\n").and_then(|()| answers.read(&mut said)).unwrap_or(0);
        if begun == 0 {
            let _ = child.wait();
            let said = std::fs::read(directory.join("sampler.log")).unwrap_or_default();
            bail!("{} could not sample the driver: {}", SAMPLER.0, describe_failure(&said));
        }
        Ok(Self { process: child, control, _answers: answers, samples })
    }

    /// Ends it, and gives the stacks.
    fn folded(&mut self) -> Result<Vec<u8>> {
        // It may have ended with the driver.
        let _ = self.control.write_all(b"stop\n");
        self.process.wait().context("cannot wait for the sampler")?;
        let mut command = Command::new(SAMPLER.0);
        // Without the period, each sample counts as one.
        let fields = "comm,pid,tid,time,event,ip,sym,dso";
        command.args(["script", "--no-inline", "--fields", fields, "--input"]).arg(&self.samples);
        let mut script = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start perf")?;
        let folded = match script.stdout.take() {
            Some(text) => fold_perf_script(BufReader::new(text)).context("cannot read what perf printed"),
            None => Ok(Vec::new()),
        };
        script.wait().context("cannot wait for perf")?;
        folded
    }

    /// That samples ended before the driver did.
    fn cut_short(&self) -> Option<String> {
        let bytes = self.samples.metadata().map_or(0, |facts| facts.len());
        (bytes >= SAMPLES_BYTES_MAX)
            .then(|| "long: what came after the first gibibyte of samples is not in it".to_owned())
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts the sampler with its ends of two pipes, which nobody else gets.
fn spawn(mut command: Command, commands: PipeReader, answer: PipeWriter) -> Result<Child> {
    // SAFETY: only system calls that are safe after fork are made, nothing is allocated.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::TERM))?;
            fcntl_setfd(&commands, FdFlags::empty())?;
            fcntl_setfd(&answer, FdFlags::empty())?;
            Ok(())
        });
    }
    // The ends here are closed with the command, so that the pipes end when the sampler does.
    command.spawn().with_context(|| format!("cannot start {}", SAMPLER.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_leaves_is_read_if_it_is_a_file_and_not_too_long() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("profile.folded");
        assert!(read_of_driver(&path, 9).is_err());
        std::fs::write(&path, "main 9\n").unwrap();
        assert_eq!(read_of_driver(&path, 7).unwrap(), b"main 9\n");
        assert!(read_of_driver(&path, 6).unwrap_err().to_string().contains("longer than 6B"));
        std::fs::remove_file(&path).unwrap();
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success() && format!("{:#}", read_of_driver(&path, 9).unwrap_err()).contains("a FIFO"));
    }
}
