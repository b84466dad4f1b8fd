# scripts/slurm-lab up

readonly start_seconds=30

bring_up() {
  require
  if is_up; then
    echo "Slurm is up already in $state"
    return
  fi
  [[ -z $hosts ]] || "$scripts/hosts" --state "$hosts" status >/dev/null 2>&1 || fail "no hosts are up in $hosts: scripts/hosts --state $hosts up 2"
  # Remains of one that has died, or was started halfway.
  [[ ! -e $state ]] || { is_lab && take_down >/dev/null; } || fail "$state is there and is no folder of slurm-lab: give another one by --state"
  make_folder
  trap 'give_up "was interrupted"' INT TERM HUP
  start_daemons && await_nodes || give_up "$(reason)"
  trap - INT TERM HUP
  echo "Slurm is up in $state, with $(wc -l <"$state/nodes") nodes: scripts/slurm-lab run COMMAND, or export SLURM_CONF=$state/slurm.conf"
}

is_lab() { [[ -f $state/nodes ]]; }

make_folder() {
  local folders=(run log spool tmp controller) node
  mkdir -p "$state" && chmod 755 "$state" || fail "$state can't be made"
  name_nodes >"$state/nodes" || exit
  [[ -z $hosts ]] || echo "$hosts" >"$state/hosts"
  (cd "$state" && mkdir -p "${folders[@]}" && chmod 755 run)
  while read -r node; do mkdir -p "$state/spool/$node" "$state/tmp/$node"; done <"$state/nodes"
  (umask 077 && head -c 128 /dev/urandom >"$state/munge.key")
  write_configuration
}

name_nodes() {
  if [[ -n $hosts ]]; then names_of_hosts; else seq --format='node%g' "${nodes:-2}"; fi
}

start_daemons() {
  local node k=0
  # Munge refuses sockets in folders that others may write to, such as the temporary folder, unless it is forced.
  quietly munged --force --socket="$state/run/munge.socket" --key-file="$state/munge.key" --pid-file="$state/run/munged.pid" \
    --log-file="$state/log/munged.log" --seed-file="$state/munge.seed" || return
  quietly with_slurm on "$(first_node)" slurmctld -f "$state/slurm.conf" -c || return
  while read -r node; do
    quietly with_slurm on "$node" $(share_of "$k") slurmd -f "$state/slurm.conf" -N "$node" -c || return
    k=$((k + 1))
  done <"$state/nodes"
}

# Words that give a virtual node its part of the processors, else several of them would poll on one and leave others idle.
# Nothing for hosts, which `scripts/hosts up --own-cpus` takes care of.
share_of() {
  local count first last all
  [[ -z $hosts ]] || return
  mapfile -t all < <(processors)
  count=$(wc -l <"$state/nodes")
  ((count > 1)) || return
  first=$(($1 * ${#all[@]} / count % ${#all[@]})) last=$((($1 + 1) * ${#all[@]} / count - 1))
  ((last >= first)) || last=$first
  echo "taskset -c $(IFS=,; echo "${all[*]:first:last - first + 1}")"
}

# Those that this shell may use, one in a line.
processors() {
  local part
  for part in $(taskset -cp "$BASHPID" | sed 's/.*: //; s/,/ /g'); do seq "${part%-*}" "${part#*-}"; done
}

# Daemons keep what they inherit: a pipe that someone reads to its end would never end.
quietly() { "$@" </dev/null >>"$state/log/start.log" 2>&1; }

await_nodes() {
  local wanted deadline=$((SECONDS + start_seconds))
  wanted=$(wc -l <"$state/nodes")
  while ((SECONDS < deadline)); do
    (($(with_slurm on "$(first_node)" sinfo --noheader --states=idle --format=%N --Node 2>/dev/null | sort -u | wc -l) == wanted)) && return
    sleep 0.05
  done
  return 1
}

reason() {
  local line
  line=$(grep -hE 'error|fatal|rror:' "$state"/log/*.log 2>/dev/null | tail -n 1)
  echo "did not come up within $start_seconds s${line:+: $line}"
}

give_up() {
  take_down >/dev/null
  fail "$1"
}
