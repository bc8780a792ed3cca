//! Units of work: what runs in a transaction, again on a fresh one after a conflict, and how each try ends.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Database, Destination, Error, Session};

/// How a transaction ends.
pub enum Verdict<T> {
    /// Commit, then answer.
    Commit(T),
    /// Undo, then answer: a refusal.
    RollBack(T),
    /// Undo; the work could not be done.
    Fail(Error),
}

/// One unit of work. It gives the session back, or `None` where it was lost with a panic. It may be called again, on a fresh
/// transaction, after a conflict with another one.
pub type Work<T> = Arc<dyn Fn(Session) -> BoxFuture<'static, (Option<Session>, Verdict<T>)> + Send + Sync>;

/// Work of the host on its own rows, for no tenant, on a transaction that is open. `S`: what its tries share.
pub type Plain<S, T> = for<'a> fn(&'a mut Session, &'a S) -> BoxFuture<'a, Result<T, Error>>;

/// Work out of a function and what its tries share.
pub fn work<S, T, F>(shared: S, run: impl Fn(Session, Arc<S>) -> F + Send + Sync + 'static) -> Work<T>
where
    S: Send + Sync + 'static,
    F: Future<Output = (Option<Session>, Verdict<T>)> + Send + 'static,
{
    let shared = Arc::new(shared);
    Arc::new(move |session| Box::pin(run(session, shared.clone())))
}

impl Database {
    /// A read of the host's own rows.
    pub async fn read_plain<S, T>(
        &self,
        destination: impl Into<Destination>,
        shared: S,
        read: Plain<S, T>,
    ) -> Result<T, Error>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.read(destination, plain_read(shared, read)).await
    }

    /// A write of the host's own rows: committed where it answers.
    pub async fn write_plain<S, T>(
        &self,
        destination: impl Into<Destination>,
        shared: S,
        write: Plain<S, T>,
    ) -> Result<T, Error>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
    {
        self.write(destination, plain_write(shared, write)).await
    }

    /// As `write_plain`, undone where it refuses.
    pub async fn write_unless_refused<S, T, R>(
        &self,
        destination: impl Into<Destination>,
        shared: S,
        write: Plain<S, Result<T, R>>,
    ) -> Result<Result<T, R>, Error>
    where
        S: Send + Sync + 'static,
        T: Send + 'static,
        R: Send + 'static,
    {
        self.write(destination, unless_refused(shared, write)).await
    }
}

/// A read of the host's own rows as a unit of work.
pub(super) fn plain_read<S, T>(shared: S, read: Plain<S, T>) -> Work<T>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
{
    plain(shared, true, read, Verdict::RollBack)
}

/// A write of the host's own rows as a unit of work: committed where it answers.
pub(super) fn plain_write<S, T>(shared: S, write: Plain<S, T>) -> Work<T>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
{
    plain(shared, false, write, Verdict::Commit)
}

/// The same, undone where it refuses.
pub(super) fn unless_refused<S, T, R>(shared: S, write: Plain<S, Result<T, R>>) -> Work<Result<T, R>>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
    R: Send + 'static,
{
    let verdict =
        |answer: Result<T, R>| if answer.is_ok() { Verdict::Commit(answer) } else { Verdict::RollBack(answer) };
    plain(shared, false, write, verdict)
}

fn plain<S, T>(shared: S, read_only: bool, run: Plain<S, T>, verdict: fn(T) -> Verdict<T>) -> Work<T>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
{
    work(shared, move |mut session, shared| async move {
        let answer = match session.begin_plain(read_only).await {
            Ok(()) => run(&mut session, &shared).await,
            Err(error) => Err(error),
        };
        (Some(session), answer.map_or_else(Verdict::Fail, verdict))
    })
}
