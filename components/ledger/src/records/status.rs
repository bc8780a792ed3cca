//! Whether a record is in use.

use stoa_sdk::text_enum;

text_enum! {
    /// ARCHIVED records are immutable and keep their codes.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}
