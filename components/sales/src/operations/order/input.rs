//! Request bodies of a sales order.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::text::CountryCode;
use stoa_sdk::{Date, Id, Item, Problem};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::StatedTotal;
use stoa_trade::refusal::{invalid, refuse_invalid};
use stoa_trade::text::{Line, Prose};

use crate::records::delivery_address::DeliveryAddress;
use crate::records::order::OrderRow;
use crate::rules::line::{Named, SalesOrderItemInput, StatedLine};

/// A sales order in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesOrderInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null on create: `SO-` and the next number.
    pub number: Option<DocumentNumber>,
    /// Legal entity that sells. Immutable.
    pub legal_entity_id: Id,
    /// Active warehouse of the legal entity that the goods leave, of type PHYSICAL, VIRTUAL or THIRD_PARTY.
    pub warehouse_id: Id,
    /// Id of an active customer.
    pub customer_id: Id,
    /// Active price list. Its currency becomes the currency of the order.
    pub price_list_id: Id,
    pub notes: Option<Prose<0, 2000>>,
    /// Address that the goods go to.
    pub delivery_address: Option<DeliveryAddressInput>,
    /// Carrier that brings the goods, as free text.
    pub carrier: Option<Line<0, 120>>,
    /// Day on which the customer needs the goods.
    pub required_on: Option<Date>,
    /// Name of the person who sold the order, as free text. Lists find orders by it.
    pub salesperson: Option<Line<1, 100>>,
    /// At most one line for each variant.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<SalesOrderItemInput>,
}

impl Replaceable for SalesOrderInput {
    const UPDATE: &'static str = "SalesOrderUpdate";
}

impl SalesOrderInput {
    /// The records that it names, with these lines.
    pub fn name_references<'a>(&self, lines: &'a [StatedLine]) -> Named<'a> {
        Named {
            entity: self.legal_entity_id,
            warehouse: Some(self.warehouse_id),
            customer: self.customer_id,
            price_list: self.price_list_id,
            lines,
        }
    }

    /// The order with the members that name no record.
    pub fn fill_in(&self, order: OrderRow) -> OrderRow {
        OrderRow {
            notes: self.notes.clone().map(String::from),
            delivery_address: self.delivery_address.clone().map(DeliveryAddress::from),
            carrier: self.carrier.clone().map(String::from),
            required_on: self.required_on,
            salesperson: self.salesperson.clone().map(String::from),
            ..order
        }
    }
}

/// A postal address that goods go to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeliveryAddressInput {
    /// Name of the recipient or of the place, such as `Reception`.
    pub label: Option<Line<0, 100>>,
    /// Street and number.
    pub line1: Line<1, 200>,
    /// Building, floor or care of.
    pub line2: Option<Line<0, 200>>,
    /// Town.
    pub city: Option<Line<0, 100>>,
    /// State or province.
    pub region: Option<Line<0, 100>>,
    /// Postal code in the format of the country.
    pub postal_code: Option<Line<0, 20>>,
    /// ISO 3166-1 alpha-2, in upper case.
    #[schemars(with = "CountryCode")]
    pub country_code: String,
}

impl From<DeliveryAddressInput> for DeliveryAddress {
    fn from(input: DeliveryAddressInput) -> DeliveryAddress {
        DeliveryAddress {
            label: input.label.map(String::from),
            line1: input.line1.into(),
            line2: input.line2.map(String::from),
            city: input.city.map(String::from),
            region: input.region.map(String::from),
            postal_code: input.postal_code.map(String::from),
            country_code: input.country_code,
        }
    }
}

/// Confirmation by a user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmSalesOrder {
    pub expected_version: ExpectedVersion,
    /// Total that you expect after the prices are refreshed. A different total is rejected.
    pub expected_total: Option<StatedTotal>,
    /// Replaces the units that the draft has for these lines.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::LINES), extend("default" = []))]
    pub units: Vec<ChosenUnits>,
}

/// A confirmation by an API client.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(dead_code, reason = "the contract of API clients; the handler reads ConfirmSalesOrder, which has more members")]
pub struct ConfirmSalesOrderAsClient {
    pub expected_version: ExpectedVersion,
    /// Total that you expect after the prices are refreshed. A different total is rejected.
    pub expected_total: Option<StatedTotal>,
}

/// Units of one line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChosenUnits {
    pub item_id: Id,
    #[schemars(length(min = 1, max = stoa_trade::limits::UNITS), extend("uniqueItems" = true))]
    pub unit_ids: Vec<Id>,
}

impl ConfirmSalesOrder {
    /// Refuses a line or a unit that is stated twice.
    pub fn check(&self) -> Result<(), Problem> {
        let units = Lines::at("/units", &self.units);
        let mut faults: Vec<Item> = units.find_repeats("itemId", |chosen| chosen.item_id);
        faults.extend(units.repeated_ids("unitIds", |chosen| &chosen.unit_ids));
        refuse_invalid(faults)
    }
}

/// Exchange of one unit of a line for another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExchangeUnit {
    pub expected_version: ExpectedVersion,
    pub item_id: Id,
    /// Unit that the line reserves.
    pub release_unit_id: Id,
    /// Unit that is AVAILABLE, of the same variant and in the warehouse of the order.
    pub choose_unit_id: Id,
    /// Reason, for the audit log.
    pub reason: Prose<1, 1000>,
}

impl ExchangeUnit {
    /// Refuses to exchange a unit for itself.
    pub fn check(&self) -> Result<(), Problem> {
        match self.release_unit_id == self.choose_unit_id {
            true => Err(invalid("/chooseUnitId", "REPEATED")),
            false => Ok(()),
        }
    }
}
