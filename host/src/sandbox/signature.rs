//! The types of a service's function as one line of text, records and variants spelled out: WIT without names of types. Two
//! functions of the same types have the same text.

use std::fmt::{self, Write};

use wasmtime::component::Type;
use wasmtime::component::types::ComponentFunc;

/// Longest text. A type can be small in a file and endless when spelled out.
const LONGEST: usize = 32 << 10;
/// Ends a text that was cut: the rest is unknown.
pub const CUT: char = '…';

/// `func(ids: list<tuple<u64, u64>>) -> list<record { id: tuple<u64, u64>, name: string }>`.
pub fn signature(function: &ComponentFunc) -> String {
    let mut out = Bounded(String::new());
    if write(&mut out, function).is_err() {
        out.0.push(CUT);
    }
    out.0
}

/// Text up to `LONGEST`; more is an error, and ends the writing.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

fn write(out: &mut Bounded, function: &ComponentFunc) -> fmt::Result {
    out.write_str(if function.async_() { "async func(" } else { "func(" })?;
    for (index, (name, type_)) in function.params().enumerate() {
        separate(out, index)?;
        write!(out, "{name}: ")?;
        spell(out, &type_)?;
    }
    out.write_str(")")?;
    for (index, type_) in function.results().enumerate() {
        out.write_str(if index == 0 { " -> " } else { ", " })?;
        spell(out, &type_)?;
    }
    Ok(())
}

fn separate(out: &mut Bounded, index: usize) -> fmt::Result {
    if index > 0 { out.write_str(", ") } else { Ok(()) }
}

fn spell(out: &mut Bounded, type_: &Type) -> fmt::Result {
    match type_ {
        Type::Bool => out.write_str("bool"),
        Type::S8 => out.write_str("s8"),
        Type::U8 => out.write_str("u8"),
        Type::S16 => out.write_str("s16"),
        Type::U16 => out.write_str("u16"),
        Type::S32 => out.write_str("s32"),
        Type::U32 => out.write_str("u32"),
        Type::S64 => out.write_str("s64"),
        Type::U64 => out.write_str("u64"),
        Type::Float32 => out.write_str("f32"),
        Type::Float64 => out.write_str("f64"),
        Type::Char => out.write_str("char"),
        Type::String => out.write_str("string"),
        Type::List(list) => around(out, "list", [list.ty()]),
        Type::FixedLengthList(list) => {
            out.write_str("list<")?;
            spell(out, &list.ty())?;
            write!(out, ", {}>", list.len())
        }
        Type::Map(map) => around(out, "map", [map.key(), map.value()]),
        Type::Tuple(tuple) => around(out, "tuple", tuple.types()),
        Type::Option(option) => around(out, "option", [option.ty()]),
        Type::Record(record) => {
            out.write_str("record { ")?;
            for (index, field) in record.fields().enumerate() {
                separate(out, index)?;
                write!(out, "{}: ", field.name)?;
                spell(out, &field.ty)?;
            }
            out.write_str(" }")
        }
        Type::Variant(variant) => {
            out.write_str("variant { ")?;
            for (index, case) in variant.cases().enumerate() {
                separate(out, index)?;
                out.write_str(case.name)?;
                if let Some(type_) = &case.ty {
                    out.write_str("(")?;
                    spell(out, type_)?;
                    out.write_str(")")?;
                }
            }
            out.write_str(" }")
        }
        Type::Enum(cases) => words(out, "enum", cases.names()),
        Type::Flags(flags) => words(out, "flags", flags.names()),
        Type::Result(result) => match (result.ok(), result.err()) {
            (None, None) => out.write_str("result"),
            (Some(ok), None) => around(out, "result", [ok]),
            (None, Some(err)) => {
                out.write_str("result<_, ")?;
                spell(out, &err)?;
                out.write_str(">")
            }
            (Some(ok), Some(err)) => around(out, "result", [ok, err]),
        },
        // None of these can cross from one module to another: `services.rs` refuses them.
        Type::Own(_) => out.write_str("own<resource>"),
        Type::Borrow(_) => out.write_str("borrow<resource>"),
        Type::Future(_) => out.write_str("future"),
        Type::Stream(_) => out.write_str("stream"),
        Type::ErrorContext => out.write_str("error-context"),
    }
}

fn around(out: &mut Bounded, name: &str, parts: impl IntoIterator<Item = Type>) -> fmt::Result {
    write!(out, "{name}<")?;
    for (index, part) in parts.into_iter().enumerate() {
        separate(out, index)?;
        spell(out, &part)?;
    }
    out.write_str(">")
}

fn words<'a>(out: &mut Bounded, name: &str, words: impl Iterator<Item = &'a str>) -> fmt::Result {
    write!(out, "{name} {{ ")?;
    for (index, word) in words.enumerate() {
        separate(out, index)?;
        out.write_str(word)?;
    }
    out.write_str(" }")
}
