//! A trap in words: the sentence that the module logged before it, and the functions of its author's crate that led
//! there.

use std::sync::Arc;

use wasmtime::{Trap, WasmBacktrace};

use super::journal::flatten_text;
use super::state::State;

/// Functions that are named, the innermost first, and the longest name.
const MOST_FRAMES: usize = 8;
const LONGEST_NAME: usize = 200;

/// A trap, as its author reads it: `panicked at src/card.rs:50:27: index out of bounds [cards::card::read <-
/// cards::handle]`.
pub fn describe_trap(state: &State, error: &wasmtime::Error) -> String {
    // A panic ends in this trap. Its message is the last line that the module logged as an error; another trap has
    // none.
    let is_panic = matches!(error.downcast_ref::<Trap>(), Some(Trap::UnreachableCodeReached));
    let message = state.last_error.as_ref().filter(|(module, _)| is_panic && Arc::ptr_eq(module, &state.running));
    let why = message.map_or_else(|| error.root_cause().to_string(), |(_, line)| line.clone());
    let trace = error.downcast_ref::<WasmBacktrace>();
    let names = trace.into_iter().flat_map(WasmBacktrace::frames).filter_map(|frame| frame.func_name());
    let frames = list_own_frames(&state.running.name, names);
    if frames.is_empty() { why } else { format!("{why} [{}]", frames.join(" <- ")) }
}

/// The functions of the module's own crate, which the module's name identifies. If no other function is left, the list has the
/// functions that the bindings generated: the compiler inlined the module's code into them.
fn list_own_frames<'a>(module: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let word = module.replace('-', "_");
    let demangled = names.map(|name| format!("{:#}", rustc_demangle::demangle(name)));
    let functions = demangled.filter(|function| is_of_crate(function, &word));
    let (generated, written): (Vec<String>, Vec<String>) = functions.partition(|function| function.contains("_cabi"));
    let shown = if written.is_empty() { generated } else { written };
    shown.iter().map(|function| flatten_text(function, LONGEST_NAME)).take(MOST_FRAMES).collect()
}

/// Returns whether a function is of a crate of this name, or of one whose name ends so.
fn is_of_crate(function: &str, word: &str) -> bool {
    let path = function.trim_start_matches(['<', '&']);
    let Some((first, _)) = path.split_once("::") else { return false };
    first.strip_suffix(word).is_some_and(|before| before.is_empty() || before.ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_authors_crate_are_named_and_no_others() {
        let names = [
            "_ZN4core9panicking9panic_fmt17h0123456789abcdefE",
            "_ZN7loyalty4card4read17h0123456789abcdefE",
            "_ZN53_$LT$loyalty..Loyalty$u20$as$u20$stoa_sdk..Module$GT$6handle17h0123456789abcdefE",
            "_ZN7loyalty7exports8commerce19_export_handle_cabi17h0123456789abcdefE",
            "_ZN8stoa_sdk6module6handle17h0123456789abcdefE",
            "commerce:platform/module@0.1.0#handle",
            "wasm function 12602",
        ];
        let expected = ["loyalty::card::read", "<loyalty::Loyalty as stoa_sdk::Module>::handle"];
        assert_eq!(list_own_frames("loyalty", names.into_iter()), expected);
        let generated = list_own_frames("loyalty", names[3..].iter().copied());
        assert_eq!(generated, ["loyalty::exports::commerce::_export_handle_cabi"]);
    }

    #[test]
    fn a_crate_is_known_by_the_modules_name() {
        for (function, is_own) in [
            ("gift_cards::read", true),
            ("acme_gift_cards::read", true),
            ("<gift_cards::Card as core::fmt::Debug>::fmt", true),
            ("other_cards::read", false),
            ("core::gift_cards::read", false),
            ("gift_cards", false),
        ] {
            assert_eq!(is_of_crate(function, "gift_cards"), is_own, "{function}");
        }
    }
}
