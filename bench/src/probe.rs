//! Components that do nothing but one call of the host: its cost without anything of a module.
//!
//! Written as core WebAssembly, so that neither SDK nor allocator is measured. One gets one row of the catalog's product, all
//! columns, as often as it is ordered, and drops the reply. The other asks how many modules extend a point.

use uuid::Uuid;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};

const WORLD: &str = "package stoa:bench;
world probe {
  import commerce:platform/store@0.1.0;
  export run: func(count: u32);
}";

/// Where the call lies in memory, and what it points to.
const CALL: u32 = 1024;
const NAME: u32 = 1152;
const ID: u32 = 1184;
const REPLY: u32 = 1280;
/// Replies are written from here on, over the ones before.
const HEAP: u32 = 4096;

pub fn component(product: Uuid) -> anyhow::Result<Vec<u8>> {
    let mut core = wat::parse_str(core(product))?;
    let mut resolve = wit_parser::Resolve::default();
    resolve.push_str("platform.wit", include_str!("../../wit/platform/platform.wit"))?;
    let package = resolve.push_str("probe.wit", WORLD)?;
    let world = resolve.select_world(&[package], Some("probe"))?;
    embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8)?;
    ComponentEncoder::default().validate(true).module(&core)?.encode()
}

const POINTS_WORLD: &str = "package stoa:bench;
world asking-probe {
  import commerce:extension/points@0.1.0;
  export run: func(count: u32);
}";

/// The component that asks for the extensions of a point.
pub fn points_component(interface: &str) -> anyhow::Result<Vec<u8>> {
    let mut core = wat::parse_str(format!(
        r#"(module
  (import "commerce:extension/points@0.1.0" "count-extensions" (func $count (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const {NAME}) "{interface}")
  (func (export "run") (param $times i32)
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $times)))
        (drop (call $count (i32.const {NAME}) (i32.const {length})))
        (local.set $times (i32.sub (local.get $times) (i32.const 1)))
        (br $again)))))"#,
        length = interface.len(),
    ))?;
    let mut resolve = wit_parser::Resolve::default();
    resolve.push_str("points.wit", include_str!("../../wit/extension/points.wit"))?;
    let package = resolve.push_str("probe.wit", POINTS_WORLD)?;
    let world = resolve.select_world(&[package], Some("asking-probe"))?;
    embed_component_metadata(&mut core, &resolve, world, StringEncoding::UTF8)?;
    ComponentEncoder::default().validate(true).module(&core)?.encode()
}

fn core(product: Uuid) -> String {
    let (high, low) = product.as_u64_pair();
    format!(
        r#"(module
  (import "commerce:platform/store@0.1.0" "run" (func $run (param i32 i32 i32)))
  (memory (export "memory") 4)
  (global $free (mut i32) (i32.const {HEAP}))
  (data (i32.const {CALL}) "{call}")
  (data (i32.const {NAME}) "product")
  (data (i32.const {ID}) "{id}")
  (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
                            (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $at) (local.get $size)))
    (local.get $at))
  (func (export "run") (param $count i32)
    (block $done
      (loop $again
        (br_if $done (i32.eqz (local.get $count)))
        (global.set $free (i32.const {HEAP}))
        (call $run (i32.const {CALL}) (i32.const 1) (i32.const {REPLY}))
        ;; The reply's first byte shows a failure.
        (if (i32.load8_u (i32.const {REPLY})) (then unreachable))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $again)))))"#,
        call = escape(&call()),
        id = escape(&id(high, low)),
    )
}

/// `call::get(get-call)` in the canonical ABI: the variant's case in the first byte, its payload from the eighth.
fn call() -> Vec<u8> {
    let mut bytes = vec![0; 8];
    let words = [NAME, 7, 0, 0, 0, ID, 1];
    words.iter().for_each(|word: &u32| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes
}

/// `value::id`: the case in the first byte, two halves from the eighth.
fn id(high: u64, low: u64) -> Vec<u8> {
    let mut bytes = vec![1, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend_from_slice(&high.to_le_bytes());
    bytes.extend_from_slice(&low.to_le_bytes());
    bytes
}

fn escape(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:02x}")).collect()
}
