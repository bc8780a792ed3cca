//! `stoa tenant`: what operators do to companies, on the database itself, also while hosts run.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::tenant_move;
use crate::database::Database;
use crate::deployment::{Edition, first};
use crate::gate::tables;
use crate::platform::founding::CreatedCompany;
use crate::platform::onboarding::{CREATE_COMPANY, NewCompany};
use crate::platform::operators::{self, CompanyChange, ENTITLEMENTS, NewFounding, Owner, explain};
use crate::platform::oversight;
use crate::problem::Problem;
use crate::settings::Settings;

#[derive(Args, Serialize)]
pub struct Flags {
    #[command(subcommand)]
    #[serde(skip)]
    verb: Verb,
    /// Database of the hosts: `sqlite:PATH` or `postgres://...`.
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    database_url: Option<String>,
    /// Data folder of the hosts.
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    data_dir: Option<PathBuf>,
    /// Folder of the modules of the hosts.
    #[arg(long, global = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    modules_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    #[serde(skip)]
    json: bool,
}

#[derive(Subcommand)]
enum Verb {
    /// Create a company with every module's defaults, for a user who has signed in before.
    #[command(
        after_help = "Example: stoa tenant create --name 'North Shop' --currency EUR --owner-email alice@example.com"
    )]
    Create(Create),
    /// List every company.
    #[command(after_help = "Example: stoa tenant list --json")]
    List,
    /// Reject all requests of a company until you resume it.
    #[command(after_help = "Example: stoa tenant suspend COMPANY")]
    Suspend {
        /// Id of the company, as `stoa tenant list` prints it.
        tenant: Uuid,
    },
    /// Accept requests of a suspended company again.
    #[command(after_help = "Example: stoa tenant resume COMPANY")]
    Resume {
        /// Id of the company, as `stoa tenant list` prints it.
        tenant: Uuid,
    },
    /// Grant an entitlement to a company; new companies have none.
    #[command(after_help = "Example: stoa tenant entitle COMPANY PUBLIC_API")]
    Entitle {
        /// Id of the company, as `stoa tenant list` prints it.
        tenant: Uuid,
        /// Name of the entitlement.
        #[arg(value_parser = ENTITLEMENTS)]
        entitlement: String,
    },
    /// Move a company to another PostgreSQL server while it is used. Run it again to continue an interrupted move.
    #[command(after_help = "Example: stoa tenant move COMPANY --to place-2 --dry-run")]
    Move(tenant_move::MoveFlags),
    /// Take an entitlement away from a company.
    #[command(after_help = "Example: stoa tenant revoke COMPANY PUBLIC_API")]
    Revoke {
        /// Id of the company, as `stoa tenant list` prints it.
        tenant: Uuid,
        /// Name of the entitlement.
        #[arg(value_parser = ENTITLEMENTS)]
        entitlement: String,
    },
}

#[derive(Args)]
struct Create {
    /// Name of the company.
    #[arg(long)]
    name: String,
    /// Default currency, an ISO 4217 code such as EUR.
    #[arg(long)]
    currency: String,
    /// Country, an ISO 3166-1 alpha-2 code such as NL.
    #[arg(long)]
    country: Option<String>,
    /// Id of the user who becomes OWNER.
    #[arg(long, conflicts_with = "owner_email", required_unless_present = "owner_email")]
    owner: Option<Uuid>,
    /// Email address of that user, instead of the id.
    #[arg(long)]
    owner_email: Option<String>,
    /// Place of the company, as `[[places]]` in `stoa.toml` names it. Default: the place with the most room.
    #[arg(long)]
    place: Option<String>,
    /// Do not create the modules' default records.
    #[arg(long)]
    no_defaults: bool,
    /// Onboarding members of the modules, as a JSON object.
    #[arg(long, default_value = "{}", value_parser = object)]
    members: Map<String, Json>,
}

fn object(text: &str) -> Result<Map<String, Json>, String> {
    serde_json::from_str(text).map_err(|_| "not a JSON object".into())
}

pub fn run(flags: Flags) -> anyhow::Result<()> {
    let settings = super::logging::load_settings(&flags)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        if let Verb::Move(wanted) = flags.verb {
            println!("{}", tenant_move::run(&settings, wanted, flags.json).await?);
            return Ok(());
        }
        let database = open(&settings).await?;
        let done = perform(&settings, &database, flags.verb, flags.json).await;
        database.close();
        println!("{}", done?);
        Ok(())
    })
}

/// The database of the hosts: a mistyped path makes no new one.
async fn open(settings: &Settings) -> anyhow::Result<Arc<Database>> {
    let database = settings.database();
    database.existing_location()?;
    Ok(Arc::new(Database::open(&database, false).await?))
}

/// Performs a verb and returns the text to print.
async fn perform(settings: &Settings, database: &Arc<Database>, verb: Verb, as_json: bool) -> anyhow::Result<String> {
    let (tenant, change) = match verb {
        Verb::Move(_) => anyhow::bail!("a move opens its own connections"),
        Verb::Create(asked) => {
            let made = create(settings, database, asked).await?;
            return Ok(if as_json { json!(made).to_string() } else { format!("{} created", made.tenant_id) });
        }
        Verb::List => {
            let all = oversight::list_all_companies(database).await?;
            return Ok(if as_json { json!(all).to_string() } else { table(&all) });
        }
        Verb::Suspend { tenant } => (tenant, CompanyChange::Suspend),
        Verb::Resume { tenant } => (tenant, CompanyChange::Resume),
        Verb::Entitle { tenant, entitlement } => (tenant, CompanyChange::Entitle(entitlement)),
        Verb::Revoke { tenant, entitlement } => (tenant, CompanyChange::Revoke(entitlement)),
    };
    let (company, changed) = operators::change(database, tenant, change).await??;
    Ok(match as_json {
        true => company.to_string(),
        false => format!("{}{}", line(&company), if changed { "" } else { " (as it was)" }),
    })
}

async fn create(settings: &Settings, database: &Arc<Database>, asked: Create) -> anyhow::Result<CreatedCompany> {
    let gate = Arc::new(super::gate_of_hosts(settings)?);
    let edition = first::read_active_edition(database, &gate, &settings.modules_dir()).await?;
    tables::bring_up_to_date(database, &edition.modules).await?;
    let owner = match (asked.owner, asked.owner_email) {
        (Some(id), _) => Owner::Id(id),
        (None, email) => Owner::Email(email.unwrap_or_default()),
    };
    let mut body = asked.members;
    body.insert("name".into(), asked.name.into());
    body.insert("currencyCode".into(), asked.currency.into());
    body.insert("withDefaults".into(), (!asked.no_defaults).into());
    if let Some(country) = asked.country {
        body.insert("countryCode".into(), country.into());
    }
    let company = read_company(&edition, body)?;
    let place = match &asked.place {
        Some(name) => database.find_place(name).ok_or_else(|| anyhow::anyhow!("the settings name no place {name}"))?,
        None => database.choose_place().await?,
    };
    let (generation, limits) = (edition.generation.clone(), settings.limits());
    let founding = NewFounding { generation, limits, owner, company: Arc::new(company), place };
    Ok(operators::create(database, founding).await??)
}

/// The company, if the body is as the operation's own schema takes it.
fn read_company(edition: &Edition, body: Map<String, Json>) -> anyhow::Result<NewCompany> {
    let create = edition.operations.by_id(CREATE_COMPANY);
    let schema = create.and_then(|callable| callable.operation.body.as_ref());
    let schema = schema.ok_or_else(|| anyhow::anyhow!("no such operation"))?;
    let mut body = Json::Object(body);
    let faults = schema.check(&mut body);
    anyhow::ensure!(faults.is_empty(), explain(&Problem::new("VALIDATION_FAILED").with(faults)));
    Ok(serde_json::from_value(body)?)
}

fn table(companies: &[Json]) -> String {
    companies.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A company in a line: id, status, entitlements, place where there are several, and name. Names were typed by others: they command no terminal.
fn line(company: &Json) -> String {
    let text = |name: &str| company[name].as_str().unwrap_or_default().to_string();
    let held: Vec<&str> = company["entitlements"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let held = if held.is_empty() { "-".to_string() } else { held.join(",") };
    let name: String =
        text("name").chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
    let place = company["place"].as_str().map(|place| format!("{place:12} ")).unwrap_or_default();
    format!("{} {:9} {held:10} {place}{name}", text("id"), text("status"))
}
