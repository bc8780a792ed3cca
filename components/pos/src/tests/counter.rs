//! A counter at which everything is there and usable: what stands in for the other modules, and rows.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::Value as Json;
use stoa_sdk::scripted::{self, Log, NOW, ask, rows, whole};
use stoa_sdk::store::Reply;
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::Status;
use stoa_trade::clients::Key;
use stoa_trade::clients::directory::service::stand_in as directory;
use stoa_trade::clients::money::{self, Account};
use stoa_trade::clients::prices::{self, PriceList, Visibility};
use stoa_trade::clients::sales::{self, Item, Order, Status as OrderStatus, Tracking};
use stoa_trade::clients::tills::{self, Closed, Collected, Opened, Payment, State, Tally};
use stoa_trade::clients::warehouses::{self, Warehouse, WarehouseKind};

use crate::Pos;
use crate::records::register::RegisterRow;
use crate::records::session::{OPEN_SLOT, SessionRow, SessionStatus};

pub const ENTITY: Id = Id(3, 1);
pub const WAREHOUSE: Id = Id(3, 2);
pub const LIST: Id = Id(3, 3);
pub const TILL: Id = Id(3, 5);
/// A money account that is no till.
pub const SAFE: Id = Id(3, 6);
pub const REGISTER: Id = Id(4, 1);
pub const SESSION: Id = Id(4, 2);
pub const ORDER: Id = Id(4, 3);

/// Differences from a counter where all is well.
#[derive(Clone)]
pub struct Counter {
    pub warehouse_is_active: bool,
    pub warehouse_is_normal: bool,
    pub list_is_active: bool,
    pub order: Option<Order>,
    /// Finance's refusal before goods are touched.
    pub refused: Option<Problem>,
}

impl Default for Counter {
    fn default() -> Counter {
        let order = Some(order("10.000000000000"));
        let usable = true;
        Counter {
            warehouse_is_active: usable,
            warehouse_is_normal: usable,
            list_is_active: usable,
            order,
            refused: None,
        }
    }
}

/// Calls of the services that write, in the order in which they were called.
pub type Acts = Rc<RefCell<Vec<String>>>;

impl Counter {
    /// Opens the counter, with these replies of the store.
    pub fn open(self, replies: Vec<Vec<Reply>>) -> (Rc<RefCell<Log>>, Acts) {
        let acts = Acts::default();
        self.stand_in_for_places();
        directory::hold(|kind, _, _, _, _| {
            assert_eq!(kind, "REGISTER");
            Ok(())
        });
        directory::release(|_, _| Ok(()));
        money::service::stand_in::resolve(|_, uses| Ok(uses.iter().map(|usage| usage.stated.map(account)).collect()));
        self.stand_in_for_sales(&acts);
        self.stand_in_for_tills(&acts);
        (scripted::script(replies), acts)
    }

    fn stand_in_for_places(&self) {
        let (active, normal) = (self.warehouse_is_active, self.warehouse_is_normal);
        let warehouse = move |id: Key| Warehouse {
            id,
            code: "MAIN".to_owned(),
            name: "Main".to_owned(),
            kind: WarehouseKind::Physical,
            legal_entity_id: ENTITY.into(),
            branch_id: None,
            active,
            normal: active && normal,
        };
        warehouses::service::stand_in::get_many(move |ids| {
            ids.iter().filter(|id| Id::from(**id) == WAREHOUSE).map(|id| warehouse(*id)).collect()
        });
        let active = self.list_is_active;
        prices::service::stand_in::get_list(move |id| {
            (Id::from(id) == LIST).then(|| PriceList {
                id,
                code: "BASE".to_owned(),
                currency_code: "EUR".to_owned(),
                visibility: Visibility::Internal,
                active,
            })
        });
    }

    fn stand_in_for_sales(&self, acts: &Acts) {
        let order = self.order.clone();
        sales::service::stand_in::items(move |ids, _, for_update| {
            assert!(for_update, "the order is held");
            Ok(order.clone().filter(|order| ids.contains(&order.id)).into_iter().collect())
        });
        let (acts, delivered) = (acts.clone(), self.order.clone());
        sales::service::stand_in::deliver(move |_, version, receipt| {
            acts.borrow_mut().push(format!("deliver {version} {}", receipt.is_some()));
            let order = delivered.clone().ok_or_else(Problem::not_found)?;
            Ok(Order { status: OrderStatus::Completed, version: version + 1, receipt_id: receipt, ..order })
        });
    }

    fn stand_in_for_tills(&self, acts: &Acts) {
        tills::service::stand_in::open(|session| {
            let account = session.money_account_id.or(Some(TILL.into()));
            Ok(Opened { money_account_id: account, expected: session.opening.clone() })
        });
        let (log, refused) = (acts.clone(), self.refused.clone());
        tills::service::stand_in::prepare(move |_, _, components| {
            log.borrow_mut().push(format!("prepare {}", components.len()));
            match &refused {
                Some(problem) => Err(problem.clone()),
                None => Ok(vec![None; components.len()]),
            }
        });
        let log = acts.clone();
        tills::service::stand_in::collect(move |collection| {
            log.borrow_mut().push(format!("collect {}", collection.total));
            let payment = |component: &tills::Component| Payment {
                line_no: component.line_no,
                id: (20, component.line_no.into()),
                money_account_id: component.account_id.or(Some(TILL.into())),
            };
            let payments = collection.components.iter().map(payment).collect();
            Ok(Collected { payments, cash: "0.000000".to_owned(), expected: "0.000000".to_owned() })
        });
        let log = acts.clone();
        tills::service::stand_in::move_(move |_, _, _, amount, _, _| {
            log.borrow_mut().push(format!("move {amount}"));
            Ok("0.000000".to_owned())
        });
        tills::service::stand_in::close(|_, _| {
            Ok(Closed { expected: "100.000000".to_owned(), variance: "-1.000000".to_owned() })
        });
        tills::service::stand_in::read(|sessions| sessions.iter().map(|id| drawer(*id)).collect());
    }
}

/// A drawer that should hold 100 and gave one refund of 10.
fn drawer(session: Key) -> State {
    State {
        session_id: session,
        is_open: true,
        expected: "100.000000".to_owned(),
        refunds: Tally { count: 1, amount: "10.000000".to_owned() },
        voided_refunds: Tally { count: 0, amount: "0.000000".to_owned() },
    }
}

fn account(id: Key) -> Account {
    Account {
        id,
        entity_id: ENTITY.into(),
        kind: "CASH".to_owned(),
        till: Id::from(id) != SAFE,
        active: true,
        name: "Till".to_owned(),
    }
}

pub fn register() -> RegisterRow {
    RegisterRow {
        id: REGISTER,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "POS-1".to_owned(),
        code_key: "pos-1".to_owned(),
        name: "Register 1".to_owned(),
        legal_entity_id: ENTITY,
        branch_id: None,
        warehouse_id: WAREHOUSE,
        price_list_id: LIST,
        currency_code: "EUR".to_owned(),
        cash_account_id: None,
        status: Status::Active,
        archived_at: None,
        open_session_id: None,
        last_session_no: 6,
        smallest_coin: None,
    }
}

/// An open session of the caller's.
pub fn session() -> SessionRow {
    SessionRow {
        id: SESSION,
        version: 3,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        register_id: REGISTER,
        session_no: 7,
        open_slot: Some(OPEN_SLOT),
        legal_entity_id: ENTITY,
        branch_id: None,
        warehouse_id: WAREHOUSE,
        price_list_id: LIST,
        currency_code: "EUR".to_owned(),
        cash_account_id: Some(TILL),
        operator_id: "alice".to_owned(),
        status: SessionStatus::Open,
        opening_amount: "100".parse().unwrap(),
        expected_at_close: None,
        counted_amount: None,
        variance: None,
        notes: None,
        opened_at: Instant(NOW),
        closed_at: None,
        closed_by: None,
        smallest_coin: None,
    }
}

/// A session that was closed at 100, counted 99.
pub fn closed_session() -> SessionRow {
    SessionRow {
        version: 4,
        open_slot: None,
        status: SessionStatus::Closed,
        expected_at_close: Some("100".parse().unwrap()),
        counted_amount: Some("99".parse().unwrap()),
        variance: Some("-1".parse().unwrap()),
        closed_at: Some(Instant(NOW)),
        closed_by: Some("alice".to_owned()),
        ..session()
    }
}

/// A confirmed order of one line.
pub fn order(total: &str) -> Order {
    let line = Item {
        id: (7, 1),
        order_id: ORDER.into(),
        line_no: 1,
        variant_id: (5, 1),
        product_id: (9, 9),
        sku: "A-1".to_owned(),
        description: "Phone".to_owned(),
        tracking: Tracking::Quantity,
        quantity: "1.000000".to_owned(),
        price_id: (6, 1),
        unit_price: "10.000000".to_owned(),
        line_total: total.to_owned(),
        list_unit_price: None,
        negotiated: false,
        discount_percent: None,
        discount_amount: None,
        reason: None,
        origin: None,
        billed: "0.000000".to_owned(),
        allocations: Vec::new(),
        units: Vec::new(),
    };
    Order {
        id: ORDER.into(),
        number: "SO-000001".to_owned(),
        status: OrderStatus::Confirmed,
        version: 2,
        customer_id: (3, 4),
        legal_entity_id: ENTITY.into(),
        branch_id: None,
        warehouse_id: WAREHOUSE.into(),
        price_list_id: LIST.into(),
        currency_code: "EUR".to_owned(),
        total: total.to_owned(),
        collectable: true,
        receipt_id: None,
        completed_at: None,
        items: vec![line],
    }
}

/// The reply to reading a session.
pub fn session_reply(session: &SessionRow) -> Reply {
    rows([whole(session, session.version)])
}

/// Calls an operation; `id` is the one in the path.
pub fn call(operation: &str, id: Id, body: Json) -> Result<Json, Problem> {
    ask::<Pos>(operation, &[("id", id.to_string().as_str())], &[], Some(body))
}

/// A refusal as its code and its items.
pub fn refusal<T: std::fmt::Debug>(answer: Result<T, Problem>) -> (String, Vec<String>) {
    let problem = answer.unwrap_err();
    let items = problem.errors.into_iter().map(|error| format!("{} {}", error.pointer, error.code));
    (problem.code, items.collect())
}

/// The refusal that is expected.
pub fn a_refusal(code: &str, items: &[&str]) -> (String, Vec<String>) {
    (code.to_owned(), items.iter().map(|&item| item.to_owned()).collect())
}

/// The kinds of the events that were told.
pub fn kinds(log: &Rc<RefCell<Log>>) -> Vec<String> {
    log.borrow().events.iter().map(|event| event.kind.clone()).collect()
}
