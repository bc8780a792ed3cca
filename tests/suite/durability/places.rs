//! Every table on PostgreSQL has a statement of where its rows are, so that companies can live on several servers:
//! by the step that makes it, and by the activation that makes a module's.

use stoa_tests::{Database, host};

stoa_tests::tests![
    every_table_has_a_place,
    unique_keys_of_a_company_begin_with_the_company,
    a_wait_for_a_lock_ends_by_the_role_too,
];

fn every_table_has_a_place() {
    let database = Database::Postgres;
    let tables = host::shared(database).rows(
        "select c.relname::text, coalesce(obj_description(c.oid, 'pg_class'), 'none') from pg_class c
         where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> '_sqlx_migrations'",
    );
    assert!(tables.len() > 40, "{tables:?}");
    for table in &tables {
        let (name, place) = (table[0].as_str(), table[1].as_str());
        let of_module = !name.starts_with("stoa_");
        let places =
            if of_module { &["place: company"][..] } else { &["place: company", "place: everywhere", "place: home"] };
        assert!(places.contains(&place), "{name}: {place}");
    }
}

fn unique_keys_of_a_company_begin_with_the_company() {
    let database = Database::Postgres;
    let keys = host::shared(database).rows(
        "select i.indexrelid::regclass::text, a.attname::text from pg_index i
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indisunique and obj_description(i.indrelid, 'pg_class') = 'place: company'",
    );
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        let first = if key[0] == "stoa_tenant_pkey" { "id" } else { "tenant_id" };
        assert_eq!(key[1], first, "{}", key[0]);
    }
}

fn a_wait_for_a_lock_ends_by_the_role_too() {
    let database = Database::Postgres;
    let settings = host::shared(database).rows(
        "select unnest(s.setconfig) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
         join pg_roles r on r.oid = s.setrole where d.datname = current_database() and r.rolname = current_user",
    );
    assert_eq!(settings, [["lock_timeout=3s"]]);
}
