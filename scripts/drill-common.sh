# Sourced after common.sh by drills that need a Postgres of their own: a folder that is thrown away, a cluster in it
# that listens on a socket, and words to wait for things. The drill's name is in $drill.
# shellcheck shell=bash disable=SC2154

home=$(mktemp -d)
pids=()
askers=() # shells that end what they have started when they are asked to

# Postgres does not run as root.
as_nobody=()
if [ "$(id -u)" = 0 ]; then
  chown nobody "$home"
  as_nobody=(setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups)
fi
as_user() { "${as_nobody[@]}" "$@"; }

finish() {
  local code=$? pid
  trap - EXIT
  for pid in "${askers[@]}"; do { kill -TERM "$pid" && wait "$pid"; } 2>/dev/null || true; done
  for pid in "${pids[@]}"; do { kill -KILL "$pid" && wait "$pid"; } 2>/dev/null || true; done
  for pid in "$home"/*/postmaster.pid; do
    [ ! -e "$pid" ] || as_user "$LLM_COUNCIL_PG_BIN/pg_ctl" -D "${pid%/*}" -m immediate stop >/dev/null 2>&1 || true
  done
  if [ "$code" = 0 ]; then rm -rf "$home"; echo "$drill: everything as it should be"
  else echo "$drill: FAILED; logs are in $home" >&2; fi
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# until_true SECONDS WHAT COMMAND...: waits for it.
until_true() {
  local limit=$1 what=$2 end=$((SECONDS + $1)); shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || die "not within $limit s: $what"
    sleep 0.1
  done
}
has() { grep -q -- "$2" "$1" 2>/dev/null; }
# A free port. Somebody else may take it meanwhile; a drill then fails at once and says so.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# cluster NAME PORT [OPTION...]: a new Postgres in $home/NAME; the port only tells the sockets in $home apart.
cluster() {
  local name=$1 port=$2; shift 2
  as_user "$LLM_COUNCIL_PG_BIN/initdb" -D "$home/$name" -U council -A trust -E UTF8 --no-sync >"$home/$name.initdb.log"
  as_user "$LLM_COUNCIL_PG_BIN/pg_ctl" -D "$home/$name" -l "$home/$name.log" -w \
    -o "-k $home -p $port -c listen_addresses= -c max_connections=100 $*" start >/dev/null
}
# psql_at PORT ARGUMENT...
psql_at() { local port=$1; shift; as_user "$LLM_COUNCIL_PG_BIN/psql" -h "$home" -p "$port" -U council -XAtq -v ON_ERROR_STOP=1 "$@"; }
# url PORT [USER]: the database council on that cluster, as a URL.
url() { echo "postgres://${2:-council}@localhost:$1/council?host=${home//\//%2F}"; }
# hashes COMMAND...: a hash of every row of every table, whatever order they are in; COMMAND is psql with everything but -c.
hashes() {
  local table
  for table in $("$@" -c "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"); do
    echo "$table $("$@" -c "SELECT count(*), coalesce(md5(string_agg(h, '' ORDER BY h)), '-') FROM (SELECT md5(t::text) AS h FROM \"$table\" t) AS rows")"
  done
}
