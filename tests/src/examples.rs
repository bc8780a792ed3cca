//! Examples of the contract with the ids of real records in their place.
