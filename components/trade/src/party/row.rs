//! Rows of parties: a new one, one that is replaced, and the profile in its columns.

/// Declares so much of a row whose columns have the names of [`PartyInput`](crate::party::PartyInput)'s members and of
/// its profile's, with `code_key`, `has_profile` and `profile_kind` next to them; the last are those that the kind of
/// party adds.
#[macro_export]
macro_rules! party_row {
    ($row:ident with $terms:ident { $($term:ident),+ $(,)? }) => {
        impl $row {
            /// A new party, as a body states it.
            pub fn new(input: $crate::party::PartyInput<$terms>) -> $row {
                let row = $crate::new_record!($row {
                    id: ::stoa_sdk::new_id(),
                    code: input.code.clone(),
                    code_key: $crate::text::key(&input.code),
                    name: String::new(),
                    email: None,
                    phone: None,
                    notes: None,
                    status: $crate::Status::Active,
                    archived_at: None,
                    has_profile: false,
                    profile_kind: None,
                    legal_name: None,
                    tax_id_type: None,
                    tax_id: None,
                    language: None,
                    payment_term_days: None,
                    contacts: Default::default(),
                    addresses: Default::default(),
                    tags: Default::default(),
                    $($term: None,)+
                });
                row.restate(input)
            }

            /// The party as a replacement states it; its code keeps the spelling of its creation.
            pub fn restate(self, input: $crate::party::PartyInput<$terms>) -> $row {
                let profile = input.profile.map($crate::party::Profile::from).replace(self.profile());
                let row = $row {
                    code: $crate::text::restate_code(&self.code, Some(input.code)),
                    name: input.name.into(),
                    email: input.email.map(|email| email.0),
                    phone: input.phone.map(String::from),
                    notes: input.notes.map(String::from),
                    ..self
                };
                row.with_profile(profile)
            }

            /// The profile; none if the party has none.
            #[allow(clippy::clone_on_copy, reason = "some of the columns are texts")]
            pub fn profile(&self) -> Option<$crate::party::Profile<$terms>> {
                self.has_profile.then(|| $crate::party::Profile {
                    kind: self.profile_kind,
                    legal_name: self.legal_name.clone(),
                    tax_id_type: self.tax_id_type.clone(),
                    tax_id: self.tax_id.clone(),
                    language: self.language.clone(),
                    payment_term_days: self.payment_term_days,
                    contacts: self.contacts.clone(),
                    addresses: self.addresses.clone(),
                    tags: self.tags.clone(),
                    terms: $terms { $($term: self.$term.clone()),+ },
                })
            }

            /// The row with this profile in place of its own.
            pub fn with_profile(self, profile: Option<$crate::party::Profile<$terms>>) -> $row {
                let has_profile = profile.is_some();
                let profile = profile.unwrap_or_default();
                $row {
                    has_profile,
                    profile_kind: profile.kind,
                    legal_name: profile.legal_name,
                    tax_id_type: profile.tax_id_type,
                    tax_id: profile.tax_id,
                    language: profile.language,
                    payment_term_days: profile.payment_term_days,
                    contacts: profile.contacts,
                    addresses: profile.addresses,
                    tags: profile.tags,
                    $($term: profile.terms.$term,)+
                    ..self
                }
            }

            /// The members of the party that every reader sees.
            fn party_head(&self) -> $crate::party::PartyHead {
                $crate::party::PartyHead::new(&self.code, &self.name, self.email.as_deref(), self.phone.as_deref())
            }
        }
    };
}
