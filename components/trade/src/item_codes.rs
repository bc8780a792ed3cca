//! Codes of items that several modules answer, and the sentence of each: a module names those that it answers in its `ITEM_CODES`.
