//! One operation: what the contract says of it, and the function that runs it. A module is tables of these, one in each file
//! of its folder `operations`.

use stoa_descriptor::{Audience, Route, Schemas, operation};

use crate::bindings::exports::commerce::platform::module::Call;
use crate::reply::Answer;

/// Prefix of the paths of people's operations.
const COMPANY: &str = "/tenants/{tenantId}";
/// Prefix of the paths of API clients' operations.
const CLIENT: &str = "/api-client";

/// A row of a module's table. Paths are below the company, or below the root of API clients.
pub type Operation = operation::Operation<fn(&Call) -> Answer>;

/// An operation's differences for API clients. The row's function, which asks the request's facts who calls, runs it
/// unless it states another.
pub type Client = operation::Client<fn(&Call) -> Answer>;

/// The route of an operation, below the root of its callers.
pub(crate) fn route(operation: &Operation, schemas: &mut Schemas) -> Route {
    let route = operation.route(schemas);
    let root = match route.audience {
        Audience::User => COMPANY,
        Audience::ApiClient => CLIENT,
    };
    Route { path: format!("{root}{}", route.path), ..route }
}

#[cfg(test)]
mod tests {
    use stoa_descriptor::{Access, Idempotency};

    use super::*;
    use crate::Reply;

    fn people(_: &Call) -> Answer {
        Ok(Reply::json(&"people"))
    }

    fn machine(_: &Call) -> Answer {
        Ok(Reply::json(&"machine"))
    }

    const ROW: Operation = Operation::create("/things", "createThing", people)
        .summary("Create a thing")
        .needs(&["things.write"])
        .problems(&["DUPLICATE"])
        .reaches(&["commerce:extension/numbering"])
        .or_csv()
        .and_client(Client::new(&["things.sync"]).run(machine).summary("Create a thing by machine"));

    #[test]
    fn a_row_and_its_twin_are_two_routes() {
        let routes: Vec<Route> = ROW.sides().map(|side| route(&side, &mut Schemas::default())).collect();
        let [people, machine] = routes.as_slice() else { panic!("two sides") };
        assert_eq!((people.path.as_str(), people.operation.as_str()), ("/tenants/{tenantId}/things", "createThing"));
        assert_eq!((machine.path.as_str(), machine.operation.as_str()), ("/api-client/things", "apiCreateThing"));
        assert_eq!(machine.summary, "Create a thing by machine");
        assert_eq!((machine.status, machine.idempotency), (201, Idempotency::Required));
        assert_eq!(machine.access, Access::All(vec!["things.sync".to_owned()]));
        assert_eq!(machine.problems, people.problems);
        assert_eq!(people.reaches, ["commerce:extension/numbering"]);
        assert_eq!(machine.reaches, people.reaches);
        assert_eq!((people.csv, machine.csv), (true, false));
    }

    #[test]
    fn a_twin_without_a_function_is_run_by_the_rows() {
        let row = Operation::read("/things", "listThings", people).and_client(Client::new(&["things.sync"]));
        assert_eq!(row.run_of("apiListThings").map(|run| run as usize), Some(people as fn(&Call) -> Answer as usize));
    }

    #[test]
    fn a_call_finds_its_side_by_name() {
        let found = |name: &str| ROW.run_of(name).map(|run| run as usize);
        assert_eq!(found("createThing"), Some(people as fn(&Call) -> Answer as usize));
        assert_eq!(found("apiCreateThing"), Some(machine as fn(&Call) -> Answer as usize));
        for other in ["CreateThing", "apicreateThing", "apiCreateThings", "api", "apiCreateThin", "createThings"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
