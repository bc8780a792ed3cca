//! The descriptor of a component as a custom section of its file, so that who signs or sends the file need not compile
//! it. The host compares the section with the component's own description.

use anyhow::{Context as _, Result, ensure};
use wasmparser::{Parser, Payload};

/// The section's name.
const NAME: &str = "stoa:descriptor";

/// The component with this descriptor in a section at its end.
///
/// # Errors
/// The bytes are not a component, or they have the section already.
pub fn append(component: &[u8], descriptor: &str) -> Result<Vec<u8>> {
    ensure!(read(component)?.is_none(), "it has a section {NAME} already");
    let mut content = leb128(NAME.len());
    content.extend_from_slice(NAME.as_bytes());
    content.extend_from_slice(descriptor.as_bytes());
    let mut whole = component.to_vec();
    // 0: a custom section.
    whole.push(0);
    whole.extend(leb128(content.len()));
    whole.extend(content);
    Ok(whole)
}

/// The descriptor in a component's section; None where it has no such section.
///
/// # Errors
/// The bytes are not a component, they have the section twice, or it is not text.
pub fn read(component: &[u8]) -> Result<Option<String>> {
    let mut found = None;
    // Sections of the modules and components within are theirs.
    let mut depth = 0_usize;
    for payload in Parser::new(0).parse_all(component) {
        match payload.context("it is no WebAssembly")? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::CustomSection(section) if depth == 0 && section.name() == NAME => {
                ensure!(found.is_none(), "it has the section {NAME} twice");
                let text = std::str::from_utf8(section.data());
                found = Some(text.with_context(|| format!("its section {NAME} is no text"))?.to_owned());
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A length as WebAssembly writes it: seven bits a byte, the lowest first.
fn leb128(mut length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(length & 0x7f).unwrap_or_default();
        length >>= 7;
        if length == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    #[test]
    fn a_descriptor_is_read_as_it_was_written() {
        assert_eq!(read(EMPTY).expect("a component"), None);
        // Lengths of one byte and of several.
        for descriptor in ["{}".to_owned(), format!("{{\"name\":\"{}\"}}", "a".repeat(70_000))] {
            let whole = append(EMPTY, &descriptor).expect("a component");
            assert_eq!(read(&whole).expect("a component"), Some(descriptor));
            assert!(append(&whole, "{}").is_err(), "a second section");
        }
        assert!(read(b"no component").is_err());
    }

    #[test]
    fn the_section_of_a_component_within_is_not_its_own() {
        let within = append(EMPTY, "{}").expect("a component");
        let mut whole = EMPTY.to_vec();
        // 4: a component.
        whole.push(4);
        whole.extend(leb128(within.len()));
        whole.extend(within);
        assert_eq!(read(&whole).expect("a component"), None);
        let whole = append(&whole, "[]").expect("a component");
        assert_eq!(read(&whole).expect("a component"), Some("[]".to_owned()));
    }
}
