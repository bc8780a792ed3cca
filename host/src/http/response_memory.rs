//! Memory of answers that are not sent yet. An answer's share of the budget is given back when the connection has taken it all.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http::Response;
use hyper::body::{Frame, SizeHint};

use super::budget::BudgetShare;
use crate::problem::Problem;

/// The answer with its share. An error: its caller lets too many answers wait. `must_be_sent`: its effects are there,
/// so that it is sent in any case.
pub fn hold(response: Response<Body>, mut memory: BudgetShare, must_be_sent: bool) -> Result<Response<Body>, Problem> {
    let length = usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX);
    if must_be_sent {
        memory.grow_anyway(length);
    } else if !memory.grow(length) {
        metrics::counter!("stoa_responses_refused_total").increment(1);
        return Err(Problem::new("UNAVAILABLE"));
    }
    Ok(response.map(|body| Body::new(Held { body, _memory: memory })))
}

struct Held {
    body: Body,
    _memory: BudgetShare,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::budget::Budget;
    use super::*;

    #[test]
    fn answers_that_wait_have_a_budget_and_effects_are_always_reported() {
        let budget = Budget::new(100);
        let answer = |must_be_sent| {
            let response = Response::new(Body::from(vec![b' '; 40]));
            hold(response, budget.share(Uuid::nil()), must_be_sent)
        };
        let first = answer(false).unwrap();
        assert_eq!(first.body().size_hint().exact(), Some(40), "its length is in the head");
        assert_eq!(answer(false).unwrap_err().status, 503);
        let written = answer(true).unwrap();
        drop(first);
        assert!(answer(false).is_err(), "answers that are sent in any case count as well");
        drop(written);
        assert!(answer(false).is_ok());
    }
}
