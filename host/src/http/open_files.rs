//! File descriptors: as many as the system lets the process have, and how many of them connections may take. The rest is for what
//! answers them: the database, files, webhooks, operators.

/// Connections at once, where the settings do not say and there are descriptors for more.
const USUAL: usize = 16_384;
/// Descriptors that are kept back besides the database's connections: listeners, the log, files, the private listener, webhooks,
/// the compiler's pipes.
const KEPT: usize = 256;

/// Raises the process's limit to what it may be; answers it.
pub fn raise_limit() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    #[allow(unsafe_code, reason = "no library of the workspace reads limits")]
    // SAFETY: getrlimit writes the struct that it is given and keeps nothing of it.
    let read = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if read != 0 {
        return 1_024;
    }
    let raised = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
    #[allow(unsafe_code, reason = "no library of the workspace sets limits")]
    // SAFETY: setrlimit reads the struct that it is given and keeps nothing of it.
    let set = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const raised) };
    let limit = if set == 0 { raised.rlim_cur } else { limit.rlim_cur };
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Connections that the public listener takes at once. Where descriptors are few, half of them are kept back.
pub fn count_connections(descriptors: usize, wanted: Option<usize>, database: usize) -> usize {
    let kept = (KEPT + 2 * database).min(descriptors / 2);
    wanted.unwrap_or(USUAL).min(descriptors - kept).max(1)
}

#[cfg(test)]
mod tests {
    use super::count_connections;

    #[test]
    fn connections_leave_descriptors_for_what_answers_them() {
        for (descriptors, wanted, expected) in [
            (1_048_576, None, 16_384),
            (1_048_576, Some(50_000), 50_000),
            (1_024, None, 1_024 - 288),
            (1_024, Some(100), 100),
            (64, None, 32),
            (0, None, 1),
        ] {
            assert_eq!(count_connections(descriptors, wanted, 16), expected, "{descriptors} {wanted:?}");
        }
    }
}
