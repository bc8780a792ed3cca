//! Making a price list: for a person's request, and for a new company.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, insert, run};
use stoa_sdk::{Field, Problem, Text, emit, new_id, text};
use stoa_trade::taken::show_readable;
use stoa_trade::{Status, new_record};

use crate::records::permission::READ;
use crate::records::price_list::{CREATED, ListId, ListRow, PriceListEvent, Visibility};

/// A price list in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PriceListInput {
    /// Converted to upper case. Unique for ever, archived lists included. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64), extend("x-normalize" = ["upper"]))]
    pub code: String,
    pub name: Text<1, 200>,
    pub description: Option<Text<0, 2000>>,
    /// Active ISO 4217 code. Immutable.
    #[schemars(with = "text::CurrencyCode")]
    pub currency_code: String,
    /// Omitted: INTERNAL, in a replacement too.
    #[serde(default)]
    pub visibility: Visibility,
}

/// Inserts a list of a currency that the schema or the caller checked, and emits its event.
pub fn insert_list(input: PriceListInput) -> Result<ListRow, Problem> {
    let row = new_record!(ListRow {
        id: new_id(),
        code: input.code,
        name: input.name.into(),
        description: input.description.map(String::from),
        currency_code: input.currency_code,
        visibility: input.visibility,
        status: Status::Active,
        archived_at: None,
    });
    if run(insert([&row]).unless_taken())? != [true] {
        let named = run(find::<ListId>("code", [vec![row.code.put()]]))?;
        return Err(Problem::conflict(
            "DUPLICATE",
            "/code",
            named.first().and_then(|other| show_readable(other.id, READ)),
        ));
    }
    emit([CREATED.of(row.id, None, &PriceListEvent::from_row(&row))]);
    Ok(row)
}
