//! References to records: a select, a search, and the fragment with the results of a search.
