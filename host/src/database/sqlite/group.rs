//! A group of writes on SQLite: requests that are committed together, with one flush.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::super::Error;
use super::{File, Job, Reply, Writes, execute, refuse};

/// Requests of one commit, and the longest that a group gathers them.
pub(super) const MOST: usize = 64;
pub(super) const TIME: Duration = Duration::from_millis(2);

/// One commit. Answers every request of it; gives the connection back unless it was lost, and a large write that came
/// meanwhile: those of the group do not wait for it.
pub(super) fn write(
    file: &File,
    connection: Connection,
    first: Job,
    writes: &Writes,
) -> (Option<Connection>, Option<Job>) {
    let began = Instant::now();
    let mut answers = Vec::new();
    let mut next = Some(first);
    let mut connection = connection;
    let (mut kept, mut put_off) = (Vec::new(), None);
    while let Some(job) = next {
        if let Err(error) = execute(&connection, begin_request(!kept.is_empty())) {
            refuse(job, error.clone());
            if !kept.is_empty() {
                return (lose(answers, &error), None);
            }
            break;
        }
        let (key, job_began) = (job.key, Instant::now());
        let ran = (job.run)(Ok(connection));
        writes.charge(key, job_began);
        answers.push(ran.answer);
        let Some(back) = ran.connection else {
            return (lose(answers, &Error::Unavailable("the database connection was lost".into())), None);
        };
        connection = back;
        if let Err(error) = end_request(&connection, !kept.is_empty(), ran.keep) {
            return (lose(answers, &error), None);
        }
        kept.extend(ran.keep.then_some(key));
        let has_time = answers.len() < MOST && began.elapsed() < writes.gather;
        (next, put_off) = match has_time.then(|| writes.try_pop()).flatten() {
            Some(large) if large.heavy => (None, Some(large)),
            other => (other, None),
        };
    }
    let committed = if kept.is_empty() { Ok(()) } else { execute(&connection, "commit") };
    metrics::histogram!("stoa_commit_group_size").record(answers.len() as f64);
    if !kept.is_empty() {
        file.full.store(matches!(&committed, Err(Error::Full(_))), Relaxed);
    }
    let connection = match committed {
        Ok(()) => {
            kept.into_iter().for_each(|key| writes.watches.note(key));
            for answer in answers {
                answer(Ok(()));
            }
            Some(connection)
        }
        // A failed flush may have lied before: this connection is not used again.
        Err(error) => lose(answers, &Error::Unavailable(format!("the commit failed: {error}"))),
    };
    (connection, put_off)
}

/// The statement that begins a request. The first that may be kept has the transaction to itself: in a savepoint SQLite would
/// copy each page before it changes, which is a sixth of a large write's time.
fn begin_request(others_kept: bool) -> &'static str {
    if others_kept { "savepoint request" } else { "begin immediate" }
}

/// Ends a request so that it leaves its rows to the commit, or none.
fn end_request(connection: &Connection, others_kept: bool, keep: bool) -> Result<(), Error> {
    match (others_kept, keep) {
        (false, true) => Ok(()),
        (true, true) => execute(connection, "release request"),
        (true, false) => {
            execute(connection, "rollback to request")?;
            execute(connection, "release request")
        }
        // SQLite has rolled back where it interrupted a write.
        (false, false) if connection.is_autocommit() => Ok(()),
        (false, false) => execute(connection, "rollback"),
    }
}

fn lose(answers: Vec<Reply>, error: &Error) -> Option<Connection> {
    tracing::error!(%error, requests = answers.len(), "a group of writes was lost");
    for answer in answers {
        answer(Err(Error::Unavailable(error.to_string())));
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::future::BoxFuture;
    use tokio::sync::oneshot::{self, Receiver};

    use super::super::super::{QueueKey, Session, Verdict, Work, work};
    use super::super::job;
    use super::super::queue::Queue;
    use super::*;
    use crate::database::fair_queue::Capacity;

    /// How a request ends that has inserted a row.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum End {
        Kept,
        Refused,
        /// SQLite has rolled back meanwhile, as after an interrupt.
        RolledBack,
    }

    fn insert(end: End, number: i64) -> Work<()> {
        work((), move |mut session: Session, _| -> BoxFuture<'static, _> {
            Box::pin(async move {
                session.query("insert into t values ($1)", &[crate::database::Cell::Integer(number)]).await.unwrap();
                let verdict = match end {
                    End::Kept => Verdict::Commit(()),
                    End::Refused => Verdict::RollBack(()),
                    End::RolledBack => {
                        session.query("rollback", &[]).await.unwrap();
                        Verdict::Fail(Error::Unavailable("interrupted".into()))
                    }
                };
                (Some(session), verdict)
            })
        })
    }

    /// A database with one table, and requests that wait for its writer.
    struct Ground {
        file: File,
        writes: Writes,
        connection: Option<Connection>,
        receivers: Vec<Receiver<Result<(), Error>>>,
    }

    impl Ground {
        /// Each request ends so, and may be large.
        fn new(requests: &[(End, bool)]) -> Ground {
            let folder = std::env::temp_dir().join(format!("stoa-group-{}", uuid::Uuid::new_v4().simple()));
            std::fs::create_dir_all(&folder).unwrap();
            let path = folder.join("stoa.sqlite");
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch("create table t (n integer)").unwrap();
            let queue = Arc::new(Queue::new(Capacity { slots: MOST, queue: MOST }, Job::is_held));
            // Whatever waits is gathered.
            let long = Duration::from_secs(60);
            let writes = Writes { queue, pace: Arc::default(), watches: Arc::default(), gather: long };
            let file = File { path, register: |_| Ok(()), full: false.into() };
            let mut receivers = Vec::new();
            for (number, (end, large)) in (0..).zip(requests) {
                let (send, receive) = oneshot::channel();
                let request = job(insert(*end, number), send, QueueKey::Global, Instant::now() + long, *large);
                writes.queue.push(QueueKey::Global, request).unwrap();
                receivers.push(receive);
            }
            Ground { file, writes, connection: Some(connection), receivers }
        }

        /// Writes the group that begins with this request, or the next one; returns a request that was put off.
        fn write_group(&mut self, first: Option<Job>) -> Option<Job> {
            let first = first.or_else(|| self.writes.try_pop()).unwrap();
            let open = self.connection.take().or_else(|| super::super::reopen(&self.file, false)).unwrap();
            let (connection, put_off) = super::write(&self.file, open, first, &self.writes);
            self.connection = connection;
            put_off
        }

        /// Those of the requests that have an answer by now: whether it is a success.
        fn answers(&mut self) -> Vec<bool> {
            self.receivers
                .iter_mut()
                .filter_map(|receive| receive.try_recv().ok())
                .map(|answer| answer.is_ok())
                .collect()
        }

        fn rows(&self) -> Vec<i64> {
            let reader = Connection::open(&self.file.path).unwrap();
            let mut statement = reader.prepare("select n from t order by n").unwrap();
            statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(self.file.path.parent().unwrap());
        }
    }

    fn small(ends: &[End]) -> Ground {
        Ground::new(&ends.iter().map(|end| (*end, false)).collect::<Vec<_>>())
    }

    #[test]
    fn a_group_leaves_the_rows_of_those_that_are_kept() {
        for kept in 0..16_i64 {
            let ends = [0, 1, 2, 3].map(|nth| if kept & (1 << nth) == 0 { End::Refused } else { End::Kept });
            let mut ground = small(&ends);
            assert!(ground.write_group(None).is_none());
            assert_eq!(ground.answers(), [true; 4], "{ends:?}");
            let expected: Vec<i64> = (0..4).filter(|nth| kept & (1 << nth) != 0).collect();
            assert_eq!(ground.rows(), expected, "{ends:?}");
        }
    }

    #[test]
    fn an_interrupted_write_fails_alone_where_none_was_kept_before() {
        let mut ground = small(&[End::Refused, End::RolledBack, End::Kept]);
        ground.write_group(None);
        assert_eq!((ground.answers(), ground.rows()), (vec![true, false, true], vec![2]));
    }

    #[test]
    fn an_interrupted_write_fails_with_those_that_were_kept_before() {
        let mut ground = small(&[End::Kept, End::RolledBack]);
        ground.write_group(None);
        assert_eq!((ground.answers(), ground.rows()), (vec![false, false], vec![]));
    }

    #[test]
    fn a_group_does_not_wait_for_a_large_write() {
        let mut ground = Ground::new(&[(End::Kept, false), (End::Kept, true), (End::Kept, false)]);
        let large = ground.write_group(None);
        assert_eq!((ground.answers(), ground.rows()), (vec![true], vec![0]));
        assert!(ground.write_group(large).is_none());
        assert_eq!((ground.answers(), ground.rows()), (vec![true, true], vec![0, 1, 2]));
    }
}
