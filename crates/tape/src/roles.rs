//! Threads of a phase that do different things, such as readers next to a writer.

use crate::{OpenLoop, PhaseSpec, Role};

impl PhaseSpec {
    /// The same in roles whose mixes together are the mix of the phase.
    pub fn in_roles(mut self, roles: Vec<Role>) -> Self {
        self.mix.clear();
        for role in &roles {
            let weight: f64 = role.mix.values().sum();
            for (kind, of_kind) in &role.mix {
                *self.mix.entry(*kind).or_default() += role.share * of_kind / weight;
            }
        }
        self.roles = roles;
        self
    }

    /// The threads of all roles together: the number of lanes is a multiple of it. 1 without roles.
    pub fn threads_of_roles(&self) -> u32 {
        self.roles.iter().map(|role| role.threads).fold(0, u32::saturating_add).max(1)
    }

    /// What one of `lanes` lanes does, with `records` records loaded: the phase with the mix, the operations and the
    /// rate of that lane alone. Lanes have roles in their order.
    pub fn of_lane(&self, lane: u32, lanes: u32, records: u64) -> Self {
        let (total, [lane_number, all]) = (self.operations.unwrap_or(records), [lane, lanes].map(u64::from));
        let each = |operations: u64, at: u64, of: u64| operations / of + u64::from(at < operations % of);
        let times = u64::from(lanes / self.threads_of_roles());
        let shares: f64 = self.roles.iter().map(|role| role.share).sum();
        let (mut first, mut before) = (0, 0.0);
        for role in &self.roles {
            let threads = u64::from(role.threads) * times;
            let [begin, end] =
                [before, before + role.share].map(|share| (total as f64 * share / shares).round() as u64);
            if lane_number < first + threads {
                let own = each(end - begin, lane_number - first, threads);
                let part = if total == 0 { 0.0 } else { own as f64 / total as f64 };
                return Self {
                    mix: role.mix.clone(),
                    operations: Some(own),
                    open_loop: self.open_loop.map(|due| due.at_rate_of(part * f64::from(lanes))),
                    roles: Vec::new(),
                    ..self.clone()
                };
            }
            (first, before) = (first + threads, before + role.share);
        }
        Self { operations: Some(each(total, lane_number, all)), ..self.clone() }
    }

    /// A lane of each role: the one with the most operations, or with the fewest.
    pub fn lane_of_each_role(&self, lanes: u32, with_most: bool) -> Vec<u32> {
        let times = lanes / self.threads_of_roles();
        let threads = |role: &Role| role.threads * times;
        let each = if self.roles.is_empty() { vec![lanes] } else { self.roles.iter().map(threads).collect() };
        let mut first = 0;
        let lane = |threads: u32| {
            first += threads;
            if with_most { first - threads } else { first.saturating_sub(1) }
        };
        each.into_iter().map(lane).collect()
    }
}

impl OpenLoop {
    /// The same at `times` times the rate.
    fn at_rate_of(self, times: f64) -> Self {
        match self {
            Self::Poisson { per_second } => Self::Poisson { per_second: per_second * times },
            Self::Fixed { per_second } => Self::Fixed { per_second: per_second * times },
            Self::Recorded { .. } => self,
        }
    }
}
