//! Writes of the point of sale that touch goods.

use serde_json::json;

use super::acts::{Act, Touch};

pub const ACTS: &[(&str, Act)] = &[("checkoutPosSession", |by| {
    let shop = &by.stage.shop;
    let ((one, first), (two, second)) = (by.stage.price_goods(), by.stage.price_goods());
    let order = shop.post("sales/orders", by.stage.sale(&[first, second])).is(201).id();
    shop.post(&format!("sales/orders/{order}/confirm"), json!({ "expectedVersion": 1 })).is(200);
    let word = stoa_tests::company::fresh("TILL-");
    let register = json!({ "code": word, "name": word, "warehouseId": by.stage.main, "priceListId": by.stage.list });
    let register = shop.post("pos/registers", register).is(201).id();
    let opened = shop.post("pos/sessions", json!({ "registerId": register, "openingAmount": "0" })).is(201);
    let body = json!({
        "orderId": order, "expectedOrderVersion": 2, "expectedSessionVersion": 1, "tenderedAmount": "100",
    });
    let answer = by.send("POST", &format!("pos/sessions/{}/checkout", opened.id()), body);
    Touch { answer, products: vec![one, two] }
})];
