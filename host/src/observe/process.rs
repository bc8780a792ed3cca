//! The host's own process, as Linux describes it. Elsewhere nothing is known.

use std::fs;

/// Ticks of a second in `/proc/self/stat`: the same on every machine that Linux runs on.
const TICKS: u64 = 100;

/// Use of the machine by this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessUse {
    pub cpu_seconds: u64,
    pub resident_bytes: u64,
    pub threads: u64,
    pub open_fds: u64,
}

/// Reads the figures of now.
pub fn read() -> Option<ProcessUse> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let open_fds = fs::read_dir("/proc/self/fd").ok()?.count();
    parse(&stat, &status, u64::try_from(open_fds).unwrap_or(u64::MAX))
}

fn parse(stat: &str, status: &str, open_fds: u64) -> Option<ProcessUse> {
    // The program's name may hold blanks and brackets: fields are counted behind its last bracket.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let line = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
    Some(ProcessUse {
        cpu_seconds: (ticks(11)? + ticks(12)?) / TICKS,
        resident_bytes: line("VmRSS:")?.parse::<u64>().ok()?.saturating_mul(1024),
        threads: line("Threads:")?.parse().ok()?,
        open_fds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_behind_any_program_s_name() {
        let stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 9 0 0 0 250 151 0 0 20 0 7 0 100 1000 200";
        let status = "Name:\ta) b (c\nVmRSS:\t    2048 kB\nThreads:\t7\n";
        let expected = ProcessUse { cpu_seconds: 4, resident_bytes: 2 << 20, threads: 7, open_fds: 12 };
        assert_eq!(parse(stat, status, 12), Some(expected));
        assert_eq!(parse("", status, 12), None);
    }
}
