//! The migrations and the web app are built into the binary.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
