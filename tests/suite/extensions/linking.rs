//! Extensions that a host does not link: circles, other types and versions, descriptors that differ from the component.
