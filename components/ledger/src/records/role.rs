//! Names that postings use instead of account numbers: types of accounts and posting roles.

use stoa_sdk::text_enum;

text_enum! {
    /// Type of a ledger account.
    pub enum AccountType {
        Asset => "ASSET", Liability => "LIABILITY", Equity => "EQUITY", Income => "INCOME", Expense => "EXPENSE",
    }
}

text_enum! {
    /// Purpose of one side of a posting. The mapping set of the legal entity assigns an account to it.
    pub enum Role {
        Receivable => "RECEIVABLE",
        SupplierCredit => "SUPPLIER_CREDIT",
        SalesClearing => "SALES_CLEARING",
        Inventory => "INVENTORY",
        Payable => "PAYABLE",
        CustomerCredit => "CUSTOMER_CREDIT",
        GoodsReceivedNotInvoiced => "GOODS_RECEIVED_NOT_INVOICED",
        ImportCharges => "IMPORT_CHARGES",
        OpeningBalance => "OPENING_BALANCE",
        Revenue => "REVENUE",
        SalesCredits => "SALES_CREDITS",
        CostOfGoodsSold => "COST_OF_GOODS_SOLD",
        PurchaseExpense => "PURCHASE_EXPENSE",
        PurchaseVariance => "PURCHASE_VARIANCE",
        PurchaseCredits => "PURCHASE_CREDITS",
        SupplierReturns => "SUPPLIER_RETURNS",
        InventoryAdjustment => "INVENTORY_ADJUSTMENT",
        InventoryDamage => "INVENTORY_DAMAGE",
        InventoryLoss => "INVENTORY_LOSS",
        CashOverShort => "CASH_OVER_SHORT",
        CashMovement => "CASH_MOVEMENT",
    }
}
