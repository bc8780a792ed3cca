//! The commands of `docs/operate/production.md` are run as they are printed: from nothing to a host that serves users
//! of an identity provider, on PostgreSQL over TLS, with the modules of the release or those of a registry.

use std::fs;
use std::process::Command;

use stoa_tests::folder::Folder;
use stoa_tests::registry::{Habits, Registry};
use stoa_tests::release::{follow_six_commands, page, release};
use stoa_tests::tour::{blocks_of, follow};

// Both compile modules, in processes that give way to every other: next to the suite, each takes six minutes or more.
stoa_tests::tests![timed: six_commands_lead_to_production, a_lock_file_brings_the_modules_of_the_release];

fn six_commands_lead_to_production() {
    let place = Folder::new("production");
    let folder = release().unpack(place.path());
    follow_six_commands(&folder, Command::new("bash").current_dir(&folder), "stoa_production");
}

fn a_lock_file_brings_the_modules_of_the_release() {
    let page = page("production.md");
    let (blocks, publish) = (blocks_of("bash", &page), blocks_of("sh", &page));
    let ([_, pull], [_, publish]) = (&blocks[..], &publish[..]) else { panic!("blocks of another order") };
    assert!(publish.starts_with("cargo xtask release-modules --key deployment.key "), "{publish}");
    let registry = Registry::start(Habits::default());
    let place = Folder::new("lock-file");
    registry.publish_modules(&release().key, &place.path().join("stoa-modules.lock"));
    let programs = release().folder.display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    follow(std::slice::from_ref(pull), place.path(), &[("PATH", &path)]);
    let modules = release().folder.join("modules");
    let mut count = 0;
    for entry in fs::read_dir(&modules).expect("the modules") {
        let name = entry.expect("a file").file_name();
        let pulled = fs::read(place.path().join("modules").join(&name)).expect("a pulled file");
        let released = fs::read(modules.join(&name)).expect("a file of the release");
        if name.to_string_lossy().ends_with(".wasm") {
            assert_eq!(pulled, released, "{}", name.display());
            count += 1;
        }
    }
    assert_eq!(count, 8);
}
