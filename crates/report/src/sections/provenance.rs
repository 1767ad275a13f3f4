//! Where figures come from: machine, media, values, versions, command line.

use std::collections::BTreeSet;

use bakeoff_measure::{Machine, Medium};
use bakeoff_results::citation::{CITE, citation};
use bakeoff_results::record::{PhaseRoles, PoolRecord, known};
use bakeoff_results::run::Run;
use bakeoff_text::{bytes, percent, printable};

use crate::document::{Block, Fact, Part, Section, SectionId};

/// The line to cite the run by.
pub(crate) fn cited(run: &Run) -> Option<Section> {
    Section::untitled(SectionId::Cited, vec![Block::Fact(CITE, citation(run).as_str().into())])
}

/// The section: machine, media, values, versions, command line. `None` if nothing of it is known.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let mut all: Vec<Fact> = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            all.push(Fact::new(name, value));
        }
    };
    fact("machine", run.record.machine.as_ref().map_or_else(String::new, describe_machine));
    for (name, medium) in &run.record.media {
        let image = medium.image_on.as_deref();
        let image = image.map_or_else(String::new, |on| format!("; in an image on {}", listed(disk(on))));
        let free = medium.free_bytes.map(|free| format!("{} free", bytes(free as f64)));
        let directory = known(&medium.directory.display().to_string()).map(str::to_owned);
        let facts = [directory].into_iter().chain(disk(medium)).chain([free]);
        fact("medium", format!("{name}: {}{image}", listed(facts)));
    }
    // Pools of several lengths mostly read the same.
    for pool in run.record.pools.iter().map(describe_pool).collect::<BTreeSet<_>>() {
        fact("values", pool);
    }
    for of in &run.record.suite.roles {
        fact("roles", describe_roles(of));
    }
    let versions: Vec<String> = run.stores().iter().map(|store| format!("{} {}", store.title, store.version)).collect();
    fact("stores", versions.join(", "));
    for (runtime, stores) in run.runtimes() {
        fact("runtime", format!("{runtime}: {}", Vec::from_iter(stores).join(", ")));
    }
    fact("seed", run.record.seed.map_or_else(String::new, |seed| seed.to_string()));
    let command = printable(&run.record.command_line.command());
    if !command.is_empty() {
        all.push(Fact { name: "command".to_owned(), value: Part::Command("", command) });
    }
    if !all.is_empty() {
        all.push(Fact::new("cite", citation(run)));
    }
    let blocks = if all.is_empty() { Vec::new() } else { vec![Block::Facts(all)] };
    Section::titled(SectionId::Provenance, "Where this comes from", blocks)
}

/// `mixed: 3 of 4 threads get (75.0 % of the operations); 1 of 4 threads update (25.0 %)`.
fn describe_roles(PhaseRoles { variant, phase, roles }: &PhaseRoles) -> String {
    let shares: f64 = roles.iter().map(|role| role.share).sum();
    let threads: u32 = roles.iter().map(|role| role.threads).sum();
    let each = roles.iter().enumerate().map(|(number, role)| {
        let kinds: Vec<&str> = role.mix.keys().map(|kind| kind.name()).collect();
        let of = if number == 0 { " of the operations" } else { "" };
        let (own, part) = (role.threads, percent(role.share / shares));
        format!("{own} of {threads} threads {} ({part}{of})", kinds.join(", "))
    });
    let variant = variant.as_ref().map_or_else(String::new, |name| format!(" in {name}"));
    format!("{phase}{variant}: {}", each.collect::<Vec<_>>().join("; "))
}

/// The facts that are known.
fn listed(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn describe_machine(of: &Machine) -> String {
    listed([
        of.cpu_model.clone(),
        of.cpus_usable.map(|cpus| format!("{cpus} CPUs")),
        of.memory_bytes.map(|memory| format!("{} memory", bytes(memory as f64))),
        of.os.clone(),
        of.kernel.as_ref().map(|kernel| format!("kernel {kernel}")),
        of.hypervisor.clone(),
    ])
}

/// The facts about a disk.
fn disk(of: &Medium) -> [Option<String>; 6] {
    let mounted = (!of.mount_options.is_empty()).then(|| format!("mounted {}", of.mount_options.join(" ")));
    let rotational =
        of.rotational.map(|rotational| if rotational { "rotational" } else { "not rotational" }.to_owned());
    let scheduler = of.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}"));
    [of.file_system.clone(), mounted, of.device_name.clone(), of.device_model.clone(), rotational, scheduler]
}

fn describe_pool(pool: &PoolRecord) -> String {
    let data = known(&pool.data).unwrap_or("?");
    let data = pool.values.as_ref().map_or_else(|| data.to_owned(), |values| format!("{data} ({values})"));
    let ratios = [("snappy", pool.snappy_ratio), ("lz4", pool.lz4_ratio), ("zstd", pool.zstd_ratio)];
    let ratios = listed(ratios.map(|(name, ratio)| ratio.map(|ratio| format!("{name} {ratio:.2}"))));
    if ratios.is_empty() { data } else { format!("{data}, compressible by {ratios}") }
}
