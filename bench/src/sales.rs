//! The goods on sale: a hundred variants at a price, of which there is enough for every load, and the orders of them.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::capture::pgbench::Picks;
use crate::company::{Client, Company, id};

/// As many variants as a product may have, and an order lines.
pub const VARIANTS: usize = 100;
/// Lines of the usual order.
pub const LINES: usize = 10;

const PRICE: &str = "129.95";
/// The amount of an invoice of `LINES` lines.
const INVOICED: &str = "1299.5";

#[derive(Debug)]
pub struct Sales {
    /// Ascending: orders that follow one another take other variants, and take them in the same order.
    pub variants: Vec<Uuid>,
    pub entity: Uuid,
    pub warehouse: Uuid,
    customer: Uuid,
    pub list: Uuid,
    next: AtomicUsize,
}

impl Sales {
    /// For a script that orders ten of them at a time.
    pub fn picks(&self) -> Picks<'_> {
        Picks { variants: &self.variants, ordered: LINES, ..Picks::default() }
    }

    /// The variants of the nth order of ten lines.
    pub fn lines_of(&self, nth: usize) -> &[Uuid] {
        self.group(nth, LINES)
    }

    fn group(&self, nth: usize, lines: usize) -> &[Uuid] {
        let from = nth % (self.variants.len() / lines) * lines;
        &self.variants[from..from + lines]
    }

    /// The body of an order of ten lines: those that the order before it did not take.
    pub fn next(&self) -> Json {
        self.next_of(LINES)
    }

    /// The same of so many lines, a hundred at most.
    pub fn next_of(&self, lines: usize) -> Json {
        self.order(self.group(self.next.fetch_add(1, Relaxed), lines))
    }

    /// The body of an invoice without an order: of the same variants, at the price of the list.
    pub fn next_invoice(&self) -> Json {
        let nth = self.next.fetch_add(1, Relaxed);
        let lines = self.lines_of(nth);
        let line = |id: &Uuid| json!({ "variantId": id, "quantity": "1", "unitPrice": PRICE });
        json!({
            "number": format!("I-{}-{nth}", letters(self.customer)), "legalEntityId": self.entity, "partyId": self.customer,
            "currencyCode": "EUR", "lines": lines.iter().map(line).collect::<Vec<_>>(),
        })
    }

    /// The body of a payment of the whole of such an invoice.
    pub fn payment(&self, invoice: Uuid, paid_on: &str) -> Json {
        json!({
            "number": format!("P-{}", letters(invoice)), "legalEntityId": self.entity, "partyId": self.customer,
            "currencyCode": "EUR", "amount": INVOICED, "method": "TRANSFER", "paidOn": paid_on,
            "applications": [{ "invoiceId": invoice, "amount": INVOICED }],
        })
    }

    /// The body of an order of a piece of each.
    pub fn order(&self, variants: &[Uuid]) -> Json {
        let items: Vec<Json> = variants.iter().map(|id| json!({ "variantId": id, "quantity": "1" })).collect();
        json!({
            "legalEntityId": self.entity, "warehouseId": self.warehouse, "customerId": self.customer,
            "priceListId": self.list, "items": items,
        })
    }
}

impl Company {
    /// A customer, and goods at a price in a list of their own.
    pub async fn sales(&self, address: SocketAddr) -> anyhow::Result<Sales> {
        let goods = self.goods(address, VARIANTS).await?;
        let mut client = Client::new(address, &self.token).await?;
        for variant in &goods.variants {
            let (path, mut body) = self.adjustment_request(&goods, *variant);
            body["quantity"] = "100000000".into();
            client.post(&path, &body).await?;
        }
        let mut variants = goods.variants.clone();
        variants.sort_unstable();
        let list = self.price(&mut client, address, &variants).await?;
        let code = format!("C{}", Uuid::new_v4().simple());
        let customer = client.post(&self.path("sales/customers"), &json!({ "code": code, "name": "Buyer" })).await?;
        let warehouse = client.get(&self.path(&format!("inventory/warehouses/{}", goods.warehouse))).await?;
        Ok(Sales {
            variants,
            entity: id(&warehouse["legalEntityId"])?,
            warehouse: goods.warehouse,
            customer: id(&customer["id"])?,
            list,
            next: AtomicUsize::new(0),
        })
    }

    /// A new list in which each of these variants, at most 500, has a price.
    pub async fn price(&self, client: &mut Client, address: SocketAddr, variants: &[Uuid]) -> anyhow::Result<Uuid> {
        let list = self.prices(address).await?.lists[0];
        let prices: Vec<Json> = variants
            .iter()
            .map(|variant| json!({ "variantId": variant, "currencyCode": "EUR", "amount": PRICE }))
            .collect();
        client
            .post(&self.path(&format!("pricing/price-lists/{list}/prices/batch")), &json!({ "prices": prices }))
            .await?;
        Ok(list)
    }

    /// Drafts an order, confirms it and delivers it.
    pub async fn deliver(&self, client: &mut Client, order: &Json) -> anyhow::Result<()> {
        let order = self.place(client, order).await?;
        let path = self.path(&format!("sales/orders/{order}/complete"));
        client.post(&path, &json!({ "expectedVersion": 2 })).await.map(drop)
    }

    /// Drafts an order and confirms it: its number.
    pub async fn sell(&self, client: &mut Client, order: &Json) -> anyhow::Result<String> {
        let draft = self.draft_and_confirm(client, order).await?;
        Ok(draft["number"].as_str().unwrap_or_default().to_owned())
    }

    /// Drafts an order and confirms it: its id.
    pub async fn place(&self, client: &mut Client, order: &Json) -> anyhow::Result<Uuid> {
        id(&self.draft_and_confirm(client, order).await?["id"])
    }

    /// Drafts an order and confirms it: the draft.
    pub async fn draft_and_confirm(&self, client: &mut Client, order: &Json) -> anyhow::Result<Json> {
        let draft = client.post(&self.path("sales/orders"), order).await?;
        let path = self.path(&format!("sales/orders/{}/confirm", id(&draft["id"])?));
        client.post(&path, &json!({ "expectedVersion": 1 })).await?;
        Ok(draft)
    }
}

/// An id without digits, in letters from a to p: random digits may look like a card number, which the host rejects.
fn letters(id: Uuid) -> String {
    let letter = |digit: u32| char::from_u32(u32::from('a') + digit);
    id.simple().to_string().chars().filter_map(|digit| digit.to_digit(16).and_then(letter)).collect()
}
