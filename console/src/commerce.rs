//! The pages of commerce that are more than tables: their addresses, and the operations that each needs.

use crate::call::Context;
use crate::site::Site;
use crate::site::operation::Operation;

/// The site, and the address of a company below which its pages are.
type Place<'a> = (&'a Site, &'a str);

/// An entry of the navigation, or a link of a record.
pub struct Link {
    pub group: &'static str,
    pub label: &'static str,
    pub address: String,
}

struct ShopPage {
    /// Below `/-/`.
    name: &'static str,
    /// In the navigation; "": only a record leads to it.
    label: &'static str,
    group: &'static str,
    /// The read of the record that leads to it, and the label there.
    record: (&'static str, &'static str),
    /// Operations whose permissions are those of the page.
    needs: &'static [&'static str],
}

#[rustfmt::skip]
const PAGES: [ShopPage; 4] = [
    ShopPage { name: "till", label: "Sell at a till", group: "Till", record: ("getPosSession", "Sell at the till"),
        needs: &["checkoutPosSession", "getPosReceipt", "confirmSalesOrder", "listCustomers", "listVariants"] },
    ShopPage { name: "receive", label: "Receive goods", group: "Purchases", record: ("getPurchaseOrder", "Receive goods"),
        needs: &["getPurchaseOrder", "createGoodsReceipt", "listVariants"] },
    ShopPage { name: "prices", label: "Price grid", group: "Goods", record: ("", ""),
        needs: &["resolvePrices", "schedulePrices", "listVariants"] },
    ShopPage { name: "orders", label: "", group: "", record: ("getSalesOrder", "Timeline"), needs: &["getSalesOrder"] },
];

impl ShopPage {
    /// None: the user may not do all that the page does.
    fn link(&self, (site, base): Place<'_>, context: &Context, label: &'static str, rest: &str) -> Option<Link> {
        let address = format!("{base}/-/{}{rest}", self.name);
        let is_offered = self.needs.iter().all(|id| is_permitted(site, context, id));
        is_offered.then_some(Link { group: self.group, label, address })
    }
}

/// The pages that a user of this company is offered in the navigation. The layout itself has the start.
pub fn offer(place: Place<'_>, context: &Context) -> Vec<Link> {
    let pages = PAGES.iter().filter(|page| !page.label.is_empty());
    pages.filter_map(|page| page.link(place, context, page.label, "")).collect()
}

/// The page of commerce of a record.
pub fn find_link(place: Place<'_>, context: &Context, operation: &Operation, id: &str) -> Option<Link> {
    let page = PAGES.iter().find(|page| page.record.0 == operation.id)?;
    page.link(place, context, page.record.1, &format!("/{id}"))
}

/// True if the contract has the operation and the user may send it. The host decides anyway.
pub fn is_permitted(site: &Site, context: &Context, id: &str) -> bool {
    site.operation(id).is_some_and(|operation| operation.access.permits(&context.permissions))
}
