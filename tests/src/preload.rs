//! A library between a program and its C library: the test controls its clock and its disk, while it runs.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::Command;

use crate::folder::Folder;

/// The fields of the page that program and test share, in its order.
#[derive(Clone, Copy)]
enum Field {
    /// Seconds that the clock is ahead.
    Shift,
    /// Not zero: no file takes a byte more, but for the standard streams, and no disk says that it has room.
    Full,
    /// Not zero: nothing that is written is ever safe.
    Unsafe,
    /// Not zero: no file that is a standard stream takes a byte more.
    FullStreams,
}

const FIELDS: usize = 4;

const SOURCE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile long nothing[4];
static volatile long *page = nothing;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("PRELOAD_PAGE");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *shared = mmap(0, sizeof nothing, PROT_READ, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) page = shared;
    close(file);
}

#define NEXT(type, name, ...) static type (*real)(__VA_ARGS__); if (!real) real = dlsym(RTLD_NEXT, name)

int clock_gettime(clockid_t id, struct timespec *now) {
    NEXT(int, "clock_gettime", clockid_t, struct timespec *);
    int done = real(id, now);
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) now->tv_sec += page[0];
    return done;
}
int gettimeofday(struct timeval *now, void *zone) {
    NEXT(int, "gettimeofday", struct timeval *, void *);
    int done = real(now, zone);
    now->tv_sec += page[0];
    return done;
}

static int is_regular(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}
/* The standard streams have a disk of their own: a test reads what a program logs of its trouble. */
static int is_file(int file) { return file > 2 && is_regular(file); }
static int is_full(int file) { return file > 2 ? page[1] && is_file(file) : page[3] && is_regular(file); }
#define WRITER(type, name, parameters, arguments) \
    type name parameters { \
        static type (*real) parameters; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        if (is_full(file)) { errno = ENOSPC; return -1; } \
        return real arguments; \
    }
WRITER(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
WRITER(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at), (file, bytes, size, at))
WRITER(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at))
WRITER(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count))
WRITER(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
WRITER(ssize_t, pwritev64, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at))
int posix_fallocate(int file, off_t at, off_t size) {
    NEXT(int, "posix_fallocate", int, off_t, off_t);
    return is_full(file) ? ENOSPC : real(file, at, size);
}

#define ROOM(name, type) \
    int name(const char *path, struct type *room) { \
        static int (*real)(const char *, struct type *); \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        int done = real(path, room); \
        if (page[1]) room->f_bavail = 0; \
        return done; \
    }
ROOM(statvfs, statvfs)
ROOM(statvfs64, statvfs64)

#define SYNC(name) \
    int name(int file) { \
        static int (*real)(int); \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        if (page[2] && is_file(file)) { errno = EIO; return -1; } \
        return real(file); \
    }
SYNC(fsync)
SYNC(fdatasync)
"#;

/// The library, built, and the page by which programs that run with it receive commands.
pub struct Preload {
    folder: Folder,
    page: File,
}

impl Preload {
    pub fn build() -> Preload {
        let folder = Folder::new("preload");
        let source = folder.path().join("preload.c");
        std::fs::write(&source, SOURCE).expect("cannot write the library's source");
        let page = File::create(folder.path().join("page")).expect("cannot make the page");
        page.set_len((FIELDS * size_of::<i64>()) as u64).expect("the page has a size");
        let preload = Preload { folder, page };
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(preload.library()).arg(&source).arg("-ldl");
        let built = compile.output().expect("no C compiler here");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        preload
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("preload.so")
    }

    /// Variables that a program needs to run with it.
    pub fn variables(&self) -> Vec<(String, String)> {
        let page = self.folder.path().join("page");
        vec![
            ("LD_PRELOAD".into(), self.library().display().to_string()),
            ("PRELOAD_PAGE".into(), page.display().to_string()),
        ]
    }

    /// From now on the clock is so many seconds ahead of the true one.
    pub fn shift_clock(&self, seconds: i64) {
        self.set(Field::Shift, seconds);
    }

    /// From now on the disk is full, or is not.
    pub fn fill_disk(&self, full: bool) {
        self.set(Field::Full, i64::from(full));
    }

    /// From now on the disk of the standard streams is full, or is not: a log that is a file takes no line.
    pub fn fill_streams(&self, full: bool) {
        self.set(Field::FullStreams, i64::from(full));
    }

    /// From now on nothing can be made safe on the disk, or can again.
    pub fn break_sync(&self, broken: bool) {
        self.set(Field::Unsafe, i64::from(broken));
    }

    fn set(&self, field: Field, value: i64) {
        let offset = field as u64 * size_of::<i64>() as u64;
        self.page.write_all_at(&value.to_ne_bytes(), offset).expect("the page is written");
    }
}
