//! Every example of the contract is sent, and the host answers as the example says.
