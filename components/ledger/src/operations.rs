//! The table of operations.

use stoa_sdk::{Operation, Page};

use crate::account::{Account, ListAccounts};
use crate::account_change::{AccountChange, AccountInput};
use crate::branch::{Branch, BranchChange, BranchInput, ListBranches};
use crate::entity::{LegalEntity, ListLegalEntities};
use crate::entity_change::{LegalEntityChange, LegalEntityInput};
use crate::entry::{EntryReceipt, JournalEntry, JournalEntrySummary, ListJournalEntries};
use crate::financial::{AskBalanceSheet, AskIncomeStatement, BalanceSheet, IncomeStatement};
use crate::install::{ChartInput, InstalledChart};
use crate::manual::{ManualEntry, Reversal};
use crate::mapping::MappingSet;
use crate::mapping_change::MappingInput;
use crate::money_account::{ListMoneyAccounts, MoneyAccount};
use crate::money_account_change::{MoneyAccountChange, MoneyAccountInput};
use crate::period::{ListPeriods, Period, PeriodPath, Periods};
use crate::period_change::{CloseInput, ReopenInput};
use crate::refusal::EmptyBody;
use crate::role::PostingRoles;
use crate::statement::{AskGeneralLedger, AskStatement, LedgerLine, Statement};
use crate::trial_balance::{AskTrialBalance, TrialBalance};
use crate::{
    ACCOUNT, BRANCH, ENTRY, LEGAL_ENTITY, MAPPING, MONEY_ACCOUNT, PERIOD, account, account_change, branch, entity,
    entity_change, entry, financial, install, manual, mapping, mapping_change, money_account, money_account_change,
    period, period_change, role, statement, trial_balance,
};

const ENTITIES_AT: &str = "/tenants/{tenantId}/ledger/legal-entities";
const ENTITY_AT: &str = "/tenants/{tenantId}/ledger/legal-entities/{id}";
const BRANCHES_AT: &str = "/tenants/{tenantId}/ledger/branches";
const BRANCH_AT: &str = "/tenants/{tenantId}/ledger/branches/{id}";
const ACCOUNTS_AT: &str = "/tenants/{tenantId}/ledger/accounts";
const ACCOUNT_AT: &str = "/tenants/{tenantId}/ledger/accounts/{id}";
const MAPPINGS_AT: &str = "/tenants/{tenantId}/ledger/legal-entities/{id}/mappings";
const MONEY_ACCOUNTS_AT: &str = "/tenants/{tenantId}/ledger/money-accounts";
const MONEY_ACCOUNT_AT: &str = "/tenants/{tenantId}/ledger/money-accounts/{id}";
const ENTRIES_AT: &str = "/tenants/{tenantId}/ledger/journal-entries";
const ENTRY_AT: &str = "/tenants/{tenantId}/ledger/journal-entries/{id}";

/// Whoever changes the set-up of the books, and writes in them.
const SETTINGS: &[&str] = &["settings.manage"];
/// The journal shows costs and margins.
const FIGURES: &[&str] = &["reports.cost.read", "reports.margin.read"];

/// A read that shows amounts: nothing may keep it.
const fn figures(operation: Operation) -> Operation {
    operation.needs(FIGURES).cache_control("no-store")
}

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ENTITIES_AT, "listLegalEntities", entity::list).summary("Legal entities")
        .for_members().query::<ListLegalEntities>().answers::<Page<LegalEntity>>(),
    Operation::create(ENTITIES_AT, "createLegalEntity", entity_change::create).summary("Create a legal entity")
        .description("At most 100. Whether it keeps books, in which currency, since when and how finely cannot be changed later; \
            an entity without books may begin them once.")
        .needs(SETTINGS).body::<LegalEntityInput>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["DUPLICATE", "LIMIT_EXCEEDED"]),
    Operation::read(ENTITY_AT, "getLegalEntity", entity::read).summary("A legal entity")
        .for_members().answers::<LegalEntity>(),
    Operation::replace(ENTITY_AT, "replaceLegalEntity", entity_change::replace).summary("Replace a legal entity")
        .description("Full replacement of what may change: an omitted optional member becomes null.")
        .without_if_match().needs(SETTINGS).body::<LegalEntityChange>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "VERSION_CONFLICT"]),
    Operation::transition("/tenants/{tenantId}/ledger/legal-entities/{id}/archive", "archiveLegalEntity",
        entity_change::archive)
        .summary("Archive a legal entity")
        .description("Not while it has an active branch or money account, is held by a warehouse or register, or a control \
            account has a balance.")
        .without_if_match().needs(SETTINGS).body::<EmptyBody>().answers::<LegalEntity>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),

    Operation::read(BRANCHES_AT, "listBranches", branch::list).summary("Branches")
        .for_members().query::<ListBranches>().answers::<Page<Branch>>(),
    Operation::create(BRANCHES_AT, "createBranch", branch::create).summary("Create a branch")
        .needs(SETTINGS).body::<BranchInput>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(BRANCH_AT, "getBranch", branch::read).summary("A branch").for_members().answers::<Branch>(),
    Operation::replace(BRANCH_AT, "replaceBranch", branch::replace).summary("Replace a branch")
        .needs(SETTINGS).body::<BranchChange>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/ledger/branches/{id}/archive", "archiveBranch", branch::archive)
        .summary("Archive a branch").description("Not while a warehouse or register holds it.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),

    Operation::read(ACCOUNTS_AT, "listAccounts", account::list).summary("Accounts of a legal entity")
        .for_members().query::<ListAccounts>().answers::<Page<Account>>(),
    Operation::create(ACCOUNTS_AT, "createAccount", account_change::create).summary("Create an account")
        .description("At most 2000 in an entity. A chart may be prepared before books are kept.")
        .needs(SETTINGS).body::<AccountInput>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(ACCOUNT_AT, "getAccount", account::read).summary("An account").for_members().answers::<Account>(),
    Operation::replace(ACCOUNT_AT, "replaceAccount", account_change::replace).summary("Replace an account")
        .description("`postable` is fixed once a line stands on the account; AN OMITTED `postable` IS TRUE.")
        .needs(SETTINGS).body::<AccountChange>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"]),
    Operation::transition("/tenants/{tenantId}/ledger/accounts/{id}/archive", "archiveAccount", account_change::archive)
        .summary("Archive an account")
        .description("Not while it is mapped, stands under an active money account, has active accounts below it or a balance.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
    Operation::create("/tenants/{tenantId}/ledger/legal-entities/{id}/chart", "installChart", install::create)
        .summary("Install a chart of accounts")
        .description("Accounts, mappings of every role and method, and money accounts, in an entity that has no account.")
        .needs(SETTINGS).body::<ChartInput>().answers::<InstalledChart>()
        .writes(LEGAL_ENTITY, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),

    Operation::read("/tenants/{tenantId}/ledger/posting-roles", "listPostingRoles", role::list)
        .summary("Posting roles").description("What operations post to, and what each role demands of its account.")
        .for_members().answers::<PostingRoles>(),
    Operation::read(MAPPINGS_AT, "getMappings", mapping::read).summary("The mapping set of a legal entity")
        .for_members().answers::<MappingSet>(),
    Operation::replace(MAPPINGS_AT, "replaceMappings", mapping_change::replace).summary("Replace the mapping set")
        .description("FULL REPLACEMENT: A ROLE OR METHOD LEFT OUT IS UNMAPPED. Later entries use the new accounts. A control \
            role moves only while its old and new account stand at zero.")
        .without_if_match().needs(SETTINGS).body::<MappingInput>().answers::<MappingSet>()
        .writes(MAPPING, &[])
        .problems(&["ARCHIVED", "VERSION_CONFLICT", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),

    Operation::read(MONEY_ACCOUNTS_AT, "listMoneyAccounts", money_account::list).summary("Money accounts")
        .for_members().query::<ListMoneyAccounts>().answers::<Page<MoneyAccount>>(),
    Operation::create(MONEY_ACCOUNTS_AT, "createMoneyAccount", money_account_change::create)
        .summary("Create a money account")
        .needs(SETTINGS).body::<MoneyAccountInput>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(MONEY_ACCOUNT_AT, "getMoneyAccount", money_account::read).summary("A money account")
        .for_members().answers::<MoneyAccount>(),
    Operation::replace(MONEY_ACCOUNT_AT, "replaceMoneyAccount", money_account_change::replace)
        .summary("Replace a money account")
        .needs(SETTINGS).body::<MoneyAccountChange>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"]),
    Operation::transition("/tenants/{tenantId}/ledger/money-accounts/{id}/archive", "archiveMoneyAccount",
        money_account_change::archive)
        .summary("Archive a money account")
        .description("Not while a method is mapped to it, a register holds it, or it has a balance.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),

    Operation::read("/tenants/{tenantId}/ledger/legal-entities/{id}/periods", "listPeriods", period::list)
        .summary("Months of a legal entity's books in a year")
        .description("From the first month of the books to the current one; none without books.")
        .for_members().query::<ListPeriods>().answers::<Periods>(),
    Operation::transition("/tenants/{tenantId}/ledger/legal-entities/{id}/periods/{month}/close", "closePeriod",
        period_change::close)
        .summary("Close a month").description("A month that is over, after every earlier one; its totals are kept.")
        .without_if_match().needs(SETTINGS).path::<PeriodPath>().body::<CloseInput>().answers::<Period>()
        .writes(PERIOD, &[]).problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
    Operation::transition("/tenants/{tenantId}/ledger/legal-entities/{id}/periods/{month}/reopen", "reopenPeriod",
        period_change::reopen)
        .summary("Open a closed month again").description("Only the last closed one.")
        .without_if_match().needs(SETTINGS).path::<PeriodPath>().body::<ReopenInput>().answers::<Period>()
        .writes(PERIOD, &[]).problems(&["VERSION_CONFLICT", "ILLEGAL_STATE"]),

    figures(Operation::read(ENTRIES_AT, "listJournalEntries", entry::list)).summary("Journal entries")
        .description("Without their lines, which a single entry has. Filters on lines must be met by one line together.")
        .query::<ListJournalEntries>().answers::<Page<JournalEntrySummary>>(),
    Operation::create(ENTRIES_AT, "createJournalEntry", manual::create).summary("Write a manual entry")
        .description("What no document posts: bank charges, card settlements, capital. Control accounts take no such line.")
        .needs(SETTINGS).body::<ManualEntry>().answers::<EntryReceipt>().writes(ENTRY, &[])
        .problems(&["REFERENCE_INVALID", "ILLEGAL_STATE", "ACCOUNTING_PERIOD_CLOSED"]),
    figures(Operation::read(ENTRY_AT, "getJournalEntry", entry::read)).summary("A journal entry with its lines")
        .answers::<JournalEntry>(),
    Operation::create("/tenants/{tenantId}/ledger/journal-entries/{id}/reverse", "reverseJournalEntry", manual::reverse)
        .summary("Reverse a manual entry")
        .description("Posts its mirror, once. The entry of a document is undone by voiding the document.")
        .needs(SETTINGS).body::<Reversal>().answers::<EntryReceipt>().writes(ENTRY, &[])
        .problems(&["ARCHIVED", "ILLEGAL_STATE", "ACCOUNTING_PERIOD_CLOSED"]),

    figures(Operation::read("/tenants/{tenantId}/ledger/trial-balance", "getTrialBalance", trial_balance::read))
        .summary("The trial balance of a range").query::<AskTrialBalance>().answers::<TrialBalance>()
        .problems(&["ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    figures(Operation::read("/tenants/{tenantId}/ledger/general-ledger", "getGeneralLedger", statement::general_ledger))
        .summary("Lines of the journal in the order of posting")
        .query::<AskGeneralLedger>().answers::<Page<LedgerLine>>().problems(&["ILLEGAL_STATE", "REFERENCE_INVALID"]),
    figures(Operation::read("/tenants/{tenantId}/ledger/accounts/{id}/statement", "getAccountStatement", statement::statement))
        .summary("The lines of an account by date, with a running balance")
        .query::<AskStatement>().answers::<Statement>().problems(&["REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    figures(Operation::read("/tenants/{tenantId}/ledger/income-statement", "getIncomeStatement", financial::income_statement))
        .summary("Income, expense and result of a range").query::<AskIncomeStatement>().answers::<IncomeStatement>()
        .problems(&["ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    figures(Operation::read("/tenants/{tenantId}/ledger/balance-sheet", "getBalanceSheet", financial::balance_sheet))
        .summary("What an entity owns and owes at the end of a day")
        .description("Results of earlier years and of this one are derived: there is no year-end entry.")
        .query::<AskBalanceSheet>().answers::<BalanceSheet>()
        .problems(&["ILLEGAL_STATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
];
