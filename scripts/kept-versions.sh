# Sourced after common.sh by drills that run older versions: the list in scripts/kept-versions, and their programs.
# shellcheck shell=bash disable=SC2154

kept_versions() { grep -o '^[0-9a-f]\{40\}' scripts/kept-versions; }
why_kept() { sed -n "s/^$1 //p" scripts/kept-versions; }

# build_kept COMMIT: builds its program, once, and sets $kept_program. What all of them need is built only once as well.
build_kept() {
  local work=$target/drill-versions source
  kept_program=$work/$1/llm-council
  [ ! -x "$kept_program" ] || return 0
  say "Building $1 (once; some minutes)"
  source=$(mktemp -d)
  git archive "$1" | tar -x -C "$source"
  # The web app is built in, and not what this is about.
  mkdir -p "$source/static/dist"
  (cd "$source" && CARGO_TARGET_DIR="$work/target" cargo build --quiet --locked --bin llm-council) || { rm -rf "$source"; die "$1 cannot be built"; }
  mkdir -p "$work/$1"
  mv "$work/target/debug/llm-council" "$kept_program"
  rm -rf "$source"
}
