//! The log's way to stderr. One thread writes, and only that thread waits where stderr takes nothing: a pipe whose reader does
//! not read. Lines wait for it in a bounded queue; one that finds no room, or cannot be written, is lost and counted.
//! So neither a full disk nor a pipe that is closed or not read may end or hold up a thread that logs.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::panic::PanicHookInfo;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Counts the lines that were lost.
const LOST: &str = "stoa_log_lines_lost_total";
/// Bytes of lines that wait.
const ROOM: usize = 1 << 20;
/// The end of a process waits for its last lines as long as this.
const MOMENT: Duration = Duration::from_millis(500);

static QUEUE: LogQueue = LogQueue::new();

/// Starts the thread that writes to stderr, and has panics write there as the log does.
///
/// # Errors
/// The system has no thread left for it.
pub fn start() -> io::Result<()> {
    thread::Builder::new().name("stoa-log".into()).spawn(|| QUEUE.write_to(io::stderr()))?;
    // The usual hook waits for stderr.
    std::panic::set_hook(Box::new(|panic| QUEUE.push(describe_panic(panic))));
    Ok(())
}

/// Waits until what was logged is written, for a moment at most. `false`: stderr takes nothing.
pub fn finish() -> bool {
    QUEUE.wait_for_the_end(MOMENT)
}

/// Where a line is logged; the subscriber passes a whole one at once.
pub struct LogLine;

impl Write for LogLine {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        QUEUE.push(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn describe_panic(panic: &PanicHookInfo<'_>) -> Vec<u8> {
    let thread = thread::current();
    let name = thread.name().unwrap_or("unnamed");
    let backtrace = Backtrace::capture();
    let backtrace = match backtrace.status() {
        BacktraceStatus::Captured => format!("{backtrace}\n"),
        _ => String::new(),
    };
    format!("thread '{name}' {panic}\n{backtrace}").into_bytes()
}

struct LogQueue {
    waiting: Mutex<WaitingLines>,
    changed: Condvar,
}

struct WaitingLines {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    is_writing: bool,
    lost: u64,
}

impl LogQueue {
    const fn new() -> LogQueue {
        let waiting = WaitingLines { lines: VecDeque::new(), bytes: 0, is_writing: false, lost: 0 };
        LogQueue { waiting: Mutex::new(waiting), changed: Condvar::new() }
    }

    fn push(&self, line: Vec<u8>) {
        let mut waiting = self.lock();
        if waiting.bytes + line.len() <= ROOM {
            waiting.bytes += line.len();
            waiting.lines.push_back(line);
            self.changed.notify_all();
        } else {
            drop(waiting);
            self.count_lost_line();
        }
    }

    fn count_lost_line(&self) {
        let lost = {
            let mut waiting = self.lock();
            waiting.lost += 1;
            waiting.lost
        };
        // The total: lines may have been lost before the recorder of metrics was there.
        metrics::counter!(LOST).absolute(lost);
    }

    /// Writes the lines as they come, for ever.
    fn write_to(&self, output: impl Write) {
        let mut lines = Lines::new(output);
        loop {
            let line = self.take();
            if lines.write(&line).is_err() {
                self.count_lost_line();
            }
            self.lock().is_writing = false;
            self.changed.notify_all();
        }
    }

    /// Waits for the next line.
    fn take(&self) -> Vec<u8> {
        let mut waiting = self.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.bytes -= line.len();
                waiting.is_writing = true;
                return line;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wait_for_the_end(&self, time: Duration) -> bool {
        let is_busy = |waiting: &mut WaitingLines| waiting.is_writing || !waiting.lines.is_empty();
        let waited = self.changed.wait_timeout_while(self.lock(), time, is_busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    fn lock(&self) -> MutexGuard<'_, WaitingLines> {
        // Plain bookkeeping: a panic elsewhere leaves it whole.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines. Each is a new try, so that the log continues once there is room.
struct Lines<W> {
    output: W,
    /// The last line was written in part: the next one begins after a line break.
    is_cut: bool,
}

impl<W: Write> Lines<W> {
    fn new(output: W) -> Lines<W> {
        Lines { output, is_cut: false }
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};

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
        lines.write(b"one\n").unwrap();
        assert!(lines.write(b"second\n").is_err());
        assert_eq!(lines.output.written, b"one\nsecond");
        assert!(lines.write(b"third\n").is_err());
        lines.output.room = 100;
        lines.write(b"fourth\n").unwrap();
        lines.write(b"fifth\n").unwrap();
        assert_eq!(String::from_utf8_lossy(&lines.output.written), "one\nsecond\nfourth\nfifth\n");
    }

    /// A pipe that takes a line whenever its reader has read.
    struct Pipe {
        has_read: Receiver<()>,
        lines: Sender<usize>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.has_read.recv().map_err(|_| ErrorKind::BrokenPipe)?;
            let _ = self.lines.send(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_does_not_read_holds_up_nobody() {
        let ((read, has_read), (lines, written)) = (channel(), channel());
        let queue = Arc::new(LogQueue::new());
        let writing = queue.clone();
        thread::spawn(move || writing.write_to(Pipe { has_read, lines }));
        assert!(queue.wait_for_the_end(Duration::ZERO), "there is nothing to write");
        // One is being written, as many wait as have room, and no thread waits for that.
        let line = vec![b' '; ROOM / 4];
        queue.push(line.clone());
        while queue.lock().bytes > 0 {
            thread::yield_now();
        }
        (0..7).for_each(|_| queue.push(line.clone()));
        let count = |waiting: &WaitingLines| (waiting.lines.len(), waiting.lost);
        assert_eq!(count(&queue.lock()), (4, 3));
        assert!(!queue.wait_for_the_end(Duration::from_millis(1)), "the end comes without them");
        (0..5).for_each(|_| read.send(()).unwrap());
        assert!(queue.wait_for_the_end(Duration::from_secs(30)));
        assert_eq!(written.try_iter().collect::<Vec<_>>(), [ROOM / 4; 5]);
        // A pipe that is closed loses its lines, and they make room.
        drop(read);
        (0..9).for_each(|_| queue.push(vec![b' '; ROOM / 16]));
        assert!(queue.wait_for_the_end(Duration::from_secs(30)));
        assert_eq!(queue.lock().lost, 3 + 9);
    }
}
