//! The frame of a target: libFuzzer where it is linked, and otherwise a program that tries the files it is given, so
//! that any compiler checks a target, and runs it on what a fuzzer found.

#[cfg(feature = "linked")]
#[doc(hidden)]
pub use libfuzzer_sys;

/// The main function of a target that checks a property of any bytes.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(feature = "linked")]
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $check(bytes));

        #[cfg(not(feature = "linked"))]
        fn main() -> std::io::Result<()> {
            $crate::try_files($check)
        }
    };
}

/// Checks each file that the command line names, of a directory each file in it.
///
/// # Errors
/// One cannot be read.
pub fn try_files(check: fn(&[u8])) -> std::io::Result<()> {
    for path in std::env::args_os().skip(1).map(std::path::PathBuf::from) {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                check(&std::fs::read(entry?.path())?);
            }
        } else {
            check(&std::fs::read(&path)?);
        }
    }
    Ok(())
}
