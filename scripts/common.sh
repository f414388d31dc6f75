# Sourced by the scripts beside it: the project's root as the working directory, and a few words.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

root=$PWD
tools=$root/.tools
target=${CARGO_TARGET_DIR:-$root/target}

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# The paths install-tools found or made: LLM_COUNCIL_PG_BIN, CHROMIUM_PATH, TMUX_PATH, PGBOUNCER_PATH,
# HAPROXY_PATH, PROMTOOL_PATH, ETCD_PATH, PATRONI_PATH, CADDY_PATH.
use_tools() {
  # shellcheck source=/dev/null
  . "$tools/env"
}
