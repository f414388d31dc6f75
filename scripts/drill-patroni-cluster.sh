# Sourced by drill-patroni: a Postgres of three members with the configuration of deploy/patroni, on 127.0.0.1.
# shellcheck shell=bash disable=SC2154

members=(pg1 pg2 pg3)
primary_port=$(free_port) pool_port=$(free_port) etcd_port=$(free_port) etcd_peer=$(free_port)
declare -A postgres_port rest_port patroni_pid
for name in "${members[@]}"; do postgres_port[$name]=$(free_port) rest_port[$name]=$(free_port); done
password=a-password-for-this-drill
council_url=postgres://llm_council:$password@127.0.0.1:$primary_port/council
pooled_url=postgres://llm_council:$password@127.0.0.1:$pool_port/council

# fill FILE VARIABLE=VALUE...: a template of deploy/patroni, as envsubst fills it in.
fill() { local file=$1; shift; env "$@" envsubst <"deploy/patroni/$file.template"; }

# psql_plain ARGUMENT...: over TCP, as its password is in PGPASSWORD.
psql_plain() { PGCONNECT_TIMEOUT=2 "$LLM_COUNCIL_PG_BIN/psql" -h 127.0.0.1 -XAtq -v ON_ERROR_STOP=1 "$@"; }
# sql STATEMENT [ARGUMENT...]: on whichever member is the primary.
sql() { local statement=$1; shift; PGPASSWORD=$password psql_plain -p "$primary_port" -U postgres -d council "$@" -c "$statement"; }
# psql_on MEMBER DATABASE ARGUMENT...
psql_on() { local name=$1 database=$2; shift 2; PGPASSWORD=$password psql_plain -p "${postgres_port[$name]}" -U postgres -d "$database" "$@"; }
ctl() { timeout 60 "${PATRONI_PATH}ctl" -c "$home/pg1.yml" "$@"; }

# member NAME: starts its Patroni, which starts its Postgres.
member() {
  "${as_nobody[@]}" "$PATRONI_PATH" "$home/$1.yml" >>"$home/$1.patroni.log" 2>&1 &
  patroni_pid[$1]=$!
  pids+=($!)
}
# destroy NAME: what a loss of power does to it: nobody has time for a word.
destroy() {
  local postmaster backends
  postmaster=$(head -n 1 "$home/$1/postmaster.pid")
  backends=$(ps -o pid= --ppid "$postmaster")
  { kill -KILL "${patroni_pid[$1]}" "$postmaster" $backends; } 2>/dev/null || true
  wait "${patroni_pid[$1]}" 2>/dev/null || true
}

# is MEMBER ROLE: what its Patroni says of it: primary, replica, synchronous.
is() { curl -sf -m 2 -o "$home/is" "http://127.0.0.1:${rest_port[$1]}/$2"; }
leads() { is "$1" primary && sql 'CREATE TEMPORARY TABLE takes_writes ()' 2>/dev/null; }
leader() {
  local name
  for name in "${members[@]}"; do if is "$name" primary; then echo "$name"; return; fi; done
  return 1
}
synchronous_standby() {
  local name
  for name in "${members[@]}"; do if is "$name" synchronous; then echo "$name"; return; fi; done
  die "there is no synchronous standby"
}
led_by_another_than() { local name; name=$(leader) && [ "$name" != "$1" ] && leads "$name"; }
# Every member but the primary streams from it.
all_replicate() { [ "$(sql "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'" 2>/dev/null)" = $((${#members[@]} - 1)) ]; }
caught_up() { [ "$(sql "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()")" = $((${#members[@]} - 1)) ]; }
# The processes that receive WAL.
receivers() {
  local name
  for name in "${members[@]}"; do ps -o pid=,args= --ppid "$(head -n 1 "$home/$name/postmaster.pid")" | awk '/walreceiver/ { print $1 }'; done
}
# synchronous true|false: changes synchronous_mode, and waits until the primary waits for somebody, or for nobody.
synchronous() {
  ctl edit-config council --force -s "synchronous_mode=$1" >"$home/edit.log" 2>&1 || die "no change: $(cat "$home/edit.log")"
  until_true 30 "synchronous_mode: $1 is in force" is_synchronous "$1"
}
is_synchronous() { local names; names=$(sql 'SHOW synchronous_standby_names'); if [ "$1" = true ]; then [ -n "$names" ]; else [ -z "$names" ]; fi; }

start_cluster() {
  local name lines=""
  "${as_nobody[@]}" "$ETCD_PATH" --data-dir "$home/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:$etcd_peer" \
    --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer" --initial-cluster "default=http://127.0.0.1:$etcd_peer" \
    >"$home/etcd.log" 2>&1 &
  pids+=($!)
  until_true 20 "etcd answers" curl -sf -o "$home/health" "http://127.0.0.1:$etcd_port/health"
  for name in "${members[@]}"; do
    fill patroni.yml MEMBER="$name" ADDRESS=127.0.0.1 REST_PORT="${rest_port[$name]}" POSTGRES_PORT="${postgres_port[$name]}" \
      ETCD_HOSTS="127.0.0.1:$etcd_port" POSTGRES_BIN="$LLM_COUNCIL_PG_BIN" DATA="$home/$name" SOCKETS="$home" NETWORK=127.0.0.1/32 \
      REST_PASSWORD="$password" SUPERUSER_PASSWORD="$password" REPLICATION_PASSWORD="$password" REWIND_PASSWORD="$password" >"$home/$name.yml"
    lines+="  server $name 127.0.0.1:${postgres_port[$name]} check port ${rest_port[$name]}"$'\n'
    member "$name"
  done
  fill haproxy.cfg ADDRESS=127.0.0.1 PRIMARY_PORT="$primary_port" MEMBERS="$lines" >"$home/haproxy.cfg"
  "$HAPROXY_PATH" -c -f "$home/haproxy.cfg" >"$home/haproxy.check" 2>&1 || die "$(cat "$home/haproxy.check")"
  "$HAPROXY_PATH" -db -f "$home/haproxy.cfg" >"$home/haproxy.log" 2>&1 &
  pids+=($!)
  until_true 90 "there is a primary" leader >"$home/leader"
  name=$(leader)
  until_true 30 "the primary answers" psql_on "$name" postgres -c "SELECT" >"$home/out" 2>&1
  psql_on "$name" postgres -c "CREATE ROLE llm_council LOGIN CREATEROLE PASSWORD '$password'" -c "CREATE DATABASE council OWNER llm_council"
  until_true 30 "HAProxy leads to the primary" leads "$name"
  until_true 90 "every member replicates" all_replicate
  until_true 30 "the primary waits for a standby" is_synchronous true
  sql "CREATE TABLE probe (at timestamptz)"
  # Processes die here and never the machine; three members that wait for one disk would be all that is measured.
  ctl edit-config council --force -p fsync=off >"$home/edit.log" 2>&1 || die "no change: $(cat "$home/edit.log")"
}

start_pgbouncer() {
  printf '"llm_council" "%s"\n' "$password" >"$home/users.txt"
  fill pgbouncer.ini ADDRESS=127.0.0.1 PRIMARY_PORT="$primary_port" POOL_PORT="$pool_port" USERS="$home/users.txt" LOG="$home/pgbouncer.log" >"$home/pgbouncer.ini"
  "${as_nobody[@]}" "$PGBOUNCER_PATH" "$home/pgbouncer.ini" >"$home/pgbouncer.out" 2>&1 &
  pids+=($!)
  until_true 20 "PgBouncer answers" eval 'PGPASSWORD=$password psql_plain -p "$pool_port" -U llm_council -d council -c "SELECT" >"$home/out" 2>&1'
}
