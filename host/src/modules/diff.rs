//! stub
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    pub code: &'static str,
    pub item: String,
    pub detail: String,
    pub breaking: bool,
}
pub fn diff(_: Option<&super::surface::Surface>, _: &super::surface::Surface) -> Vec<Change> {
    Vec::new()
}
pub fn text(_: &[Change]) -> String {
    String::new()
}
