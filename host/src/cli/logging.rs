//! The log on stderr. A line that cannot be written is lost and counted: neither a full disk nor a closed pipe behind stderr may end
//! the thread that logs.

use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use crate::settings::LogFormat;

/// Counts the lines that could not be written.
const LOST: &str = "stoa_log_lines_lost_total";

/// Logs to stderr what the filter lets through.
pub fn start(filter: &str, format: LogFormat) {
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    // The subscriber reports its own errors by `eprintln!`, which panics where stderr fails.
    let log = tracing_subscriber::fmt()
        .with_writer(Mutex::new(Lines::new(io::stderr())))
        .log_internal_errors(false)
        .with_env_filter(filter);
    match format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => log.json().init(),
    }
}

/// Writes lines and never fails. Each line is a new try, so that the log continues once there is room.
struct Lines<W> {
    output: W,
    lost: u64,
    /// The last line was written in part: the next one begins after a line break.
    is_cut: bool,
}

impl<W: Write> Lines<W> {
    fn new(output: W) -> Lines<W> {
        Lines { output, lost: 0, is_cut: false }
    }

    fn try_write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_cut {
            self.output.write_all(b"\n")?;
            self.is_cut = false;
        }
        let mut rest = line;
        while !rest.is_empty() {
            match self.output.write(rest) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    self.is_cut = !rest.is_empty();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Lines<W> {
    /// The subscriber passes a whole line at once.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.try_write(line).is_err() {
            self.lost += 1;
            // The total: lines may have been lost before the recorder of metrics was there.
            metrics::counter!(LOST).absolute(self.lost);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for so many bytes.
    #[derive(Default)]
    struct Disk {
        written: Vec<u8>,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let fitting = bytes.len().min(self.room);
            if fitting == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.room -= fitting;
            self.written.extend_from_slice(&bytes[..fitting]);
            Ok(fitting)
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_line_without_room_is_lost_and_the_next_one_is_whole() {
        let mut lines = Lines::new(Disk { room: 10, ..Disk::default() });
        for line in ["one\n", "second\n"] {
            lines.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!((lines.output.written.as_slice(), lines.lost), (b"one\nsecond".as_slice(), 1));
        lines.write_all(b"third\n").unwrap();
        lines.flush().unwrap();
        assert_eq!(lines.lost, 2);
        lines.output.room = 100;
        lines.write_all(b"fourth\n").unwrap();
        lines.write_all(b"fifth\n").unwrap();
        assert_eq!(String::from_utf8_lossy(&lines.output.written), "one\nsecond\nfourth\nfifth\n");
        assert_eq!(lines.lost, 2);
    }
}
