//! An instance keeps the host's answers. It lives for one request; a native program has many requests in one thread and
//! asks again.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use crate::bindings::commerce::platform::context::{self, Facts};

/// Ids asked for at first, and at most: a request that makes one record makes few.
const FEW: u32 = 8;
const MANY: u32 = 512;

#[derive(Default)]
struct Ids {
    asked: u32,
    left: std::vec::IntoIter<(u64, u64)>,
}

thread_local! {
    static FACTS: OnceCell<Rc<Facts>> = const { OnceCell::new() };
    static IDS: RefCell<Ids> = RefCell::default();
}

pub(super) fn facts() -> Rc<Facts> {
    FACTS.with(|facts| facts.get_or_init(|| Rc::new(context::current())).clone())
}

pub(super) fn new_id() -> Option<(u64, u64)> {
    IDS.with_borrow_mut(|ids| {
        if ids.left.len() == 0 {
            ids.asked = (ids.asked * 8).clamp(FEW, MANY);
            ids.left = context::new_ids(ids.asked).into_iter();
        }
        ids.left.next()
    })
}
