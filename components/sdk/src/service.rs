//! Services of other modules, in native builds. A component calls the generated import; where the same code runs natively, the
//! program installs a function in its place:
//!
//! ```text
//! // in the module
//! #[cfg(not(target_arch = "wasm32"))]
//! thread_local! { pub static ARTICLES: NativeService<[Id], Vec<Article>> = const { NativeService::new() }; }
//! // in the test or the benchmark
//! pricing::articles::ARTICLES.with(|service| service.install(|ids| ids.iter().map(article).collect()));
//! ```

use std::cell::RefCell;
use std::sync::Arc;

type Function<Request, Answer> = Arc<dyn Fn(&Request) -> Answer>;

/// A place for the native stand-in of one imported function.
pub struct NativeService<Request: ?Sized, Answer> {
    function: RefCell<Option<Function<Request, Answer>>>,
}

impl<Request: ?Sized, Answer> NativeService<Request, Answer> {
    /// With nothing installed.
    pub const fn new() -> Self {
        NativeService { function: RefCell::new(None) }
    }

    /// Puts a function in the place of the service, on this thread.
    pub fn install(&self, function: impl Fn(&Request) -> Answer + 'static) {
        *self.function.borrow_mut() = Some(Arc::new(function));
    }

    /// Calls what is installed.
    ///
    /// # Panics
    /// Where nothing is installed.
    #[allow(clippy::panic, reason = "a test or benchmark that forgot to install the service")]
    pub fn call(&self, request: &Request) -> Answer {
        // Taken out first: a function that suspends its caller may be called again before it returns.
        let function = self.function.borrow().clone();
        match function {
            Some(function) => function(request),
            None => panic!("no native function is installed for this service"),
        }
    }
}

impl<Request: ?Sized, Answer> Default for NativeService<Request, Answer> {
    fn default() -> Self {
        Self::new()
    }
}
