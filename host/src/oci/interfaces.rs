//! The interfaces of a component, by name, as the configuration of its image lists them: read without compiling it.

use wasmparser::{Parser, Payload};

/// Names of what a component imports and exports.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Interfaces {
    pub imports: Vec<String>,
    pub exports: Vec<String>,
}

impl Interfaces {
    pub fn read(component: &[u8]) -> anyhow::Result<Interfaces> {
        let (mut interfaces, mut depth) = (Interfaces::default(), 0_usize);
        for payload in Parser::new(0).parse_all(component) {
            match payload? {
                Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
                Payload::End(_) => depth = depth.saturating_sub(1),
                Payload::ComponentImportSection(section) if depth == 0 => {
                    for import in section {
                        interfaces.imports.push(import?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 0 => {
                    for export in section {
                        interfaces.exports.push(export?.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(interfaces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_of_inner_components_are_not_listed() {
        let text = r#"(component
            (core module (memory 1))
            (component (import "inner" (func)))
            (import "commerce:platform/log@0.1.0" (instance $log))
            (export "out" (instance $log)))"#;
        let read = Interfaces::read(&wat::parse_str(text).expect("a component")).expect("interfaces");
        let named = |name: &str| vec![name.to_owned()];
        assert_eq!(read, Interfaces { imports: named("commerce:platform/log@0.1.0"), exports: named("out") });
        assert!(Interfaces::read(b"garbage").is_err());
    }
}
