//! Services of other modules: one declaration gives the call and, in native builds, a place for its stand-in.

/// Declares functions of a service that the module imports, as the generated bindings have them:
///
/// ```text
/// stoa_sdk::service! {
///     pub mod articles = (crate::bindings::commerce::catalog::articles) {
///         fn get_variants(variants: &[Key]) -> Vec<Article>;
///     }
/// }
/// ```
/// A component calls the import. A native build calls what a test or benchmark put in its place on this thread:
///
/// ```
/// # mod bindings { pub mod articles {} }
/// stoa_sdk::service! {
///     pub mod articles = (crate::bindings::articles) {
///         fn count(words: &[&str]) -> usize;
///     }
/// }
/// articles::stand_in::count(|words| words.len());
/// assert_eq!(articles::count(&["a", "b"]), 2);
/// ```
#[macro_export]
macro_rules! service {
    ($(
        $(#[$meta:meta])*
        $vis:vis mod $name:ident = ($($path:tt)+) {
            $($(#[$function_meta:meta])* fn $function:ident($($argument:ident: $type:ty),* $(,)?) $(-> $answer:ty)?;)+
        }
    )+) => {$(
        $(#[$meta])*
        #[allow(missing_docs, reason = "the WIT says what its functions do")]
        $vis mod $name {
            #[allow(unused_imports, reason = "the types of the declaration are named where it is")]
            use super::*;
            #[cfg(target_arch = "wasm32")]
            use $($path)+ as imported;

            $(
                $(#[$function_meta])*
                #[inline]
                pub fn $function($($argument: $type),*) $(-> $answer)? {
                    #[cfg(target_arch = "wasm32")]
                    return imported::$function($($argument),*);
                    #[cfg(not(target_arch = "wasm32"))]
                    {
                        // Taken out first: a function that suspends its caller may be called again before it returns.
                        let function = slots::$function.with_borrow(Clone::clone);
                        match function {
                            Some(function) => function($($argument),*),
                            None => $crate::host::missing_stand_in(concat!(stringify!($name), "::", stringify!($function))),
                        }
                    }
                }
            )+

            #[cfg(not(target_arch = "wasm32"))]
            mod slots {
                #[allow(unused_imports, reason = "as above")]
                use super::*;

                thread_local! {$(
                    #[allow(non_upper_case_globals, clippy::type_complexity, reason = "named as the function")]
                    pub(super) static $function: ::std::cell::RefCell<
                        Option<::std::sync::Arc<dyn Fn($($type),*) $(-> $answer)?>>
                    > = const { ::std::cell::RefCell::new(None) };
                )+}
            }

            /// Puts functions in the place of the service's, on this thread of a native program.
            #[cfg(not(target_arch = "wasm32"))]
            pub mod stand_in {
                #[allow(unused_imports, reason = "as above")]
                use super::*;

                $(
                    $(#[$function_meta])*
                    pub fn $function(function: impl Fn($($type),*) $(-> $answer)? + 'static) {
                        slots::$function.set(Some(::std::sync::Arc::new(function)));
                    }
                )+
            }
        }
    )+};
}
