//! Puts the migrations into the crate, and builds it again when one changes.

use std::{env, fmt::Write as _, fs, io, path::Path};

fn main() -> io::Result<()> {
    let migrations = Path::new("../../migrations").canonicalize()?;
    println!("cargo:rerun-if-changed={}", migrations.display());
    let mut code = String::new();
    for engine in ["sqlite", "postgres"] {
        let mut names = Vec::new();
        for file in fs::read_dir(migrations.join(engine))? {
            names.push(file?.file_name().to_string_lossy().into_owned());
        }
        names.retain(|name| name.ends_with(".sql"));
        names.sort();
        let _ = writeln!(code, "const {}_FILES: &[(&str, &str)] = &[", engine.to_uppercase());
        for name in names {
            let path = migrations.join(engine).join(&name);
            let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
        }
        code.push_str("];\n");
    }
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("migrations.rs"), code)
}
