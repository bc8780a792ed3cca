//! Every code of an item has a sentence in the contract and the guide.
