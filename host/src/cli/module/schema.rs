//! `stoa module schema`: the shape of the document by which a module describes itself, for authors who write it by hand.

pub fn print() -> anyhow::Result<()> {
    println!("{}", serde_json::to_string_pretty(&stoa_descriptor::json_schema())?);
    Ok(())
}
