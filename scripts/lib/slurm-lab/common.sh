# What all actions of scripts/slurm-lab need: where things are, who runs, how a command gets to a node.

# Daemons stand where only root's PATH leads.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
daemons=(munged slurmctld slurmd sinfo)

has() { command -v "$1" >/dev/null 2>&1; }

# Ends with exit code 77 and one sentence.
cannot() {
  echo "slurm-lab: Slurm can't be had here: $1" >&2
  exit 77
}

require() {
  local program
  for program in "${daemons[@]}"; do
    has "$program" || cannot "there is no $program: apt-get install --no-install-recommends slurm-wlm munge"
  done
}

fail() {
  echo "slurm-lab: $1" >&2
  exit 1
}

# Numbers of the daemons that run, whose pid files are in the state folder. A number may have gone to another process
# since: a daemon's own command line names the folder.
running() {
  local file pid
  for file in "$state"/run/*.pid; do
    [[ -s $file ]] || continue
    pid=$(<"$file")
    is_ours "$pid" && echo "$pid"
  done
}

is_ours() { [[ -r /proc/$1/cmdline ]] && tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF "$state/"; }

is_up() { [[ -s $state/nodes ]] && (($(running | wc -l) == $(wc -l <"$state/nodes") + 2)); }

# Runs a command on a node: `on NODE COMMAND...`. Virtual nodes are all this machine.
on() {
  local node=$1
  shift
  if [[ -s $state/hosts ]]; then
    "$scripts/hosts" --state "$(<"$state/hosts")" run --on "$node" -- "$@"
  else
    "$@"
  fi
}

# Names of the hosts of scripts/hosts, and the address of one.
names_of_hosts() { awk '{ print $1 }' "$hosts/hostfile"; }

address_of() { awk -v name="$1" '$2 == name { print $1 }' "$hosts/hosts"; }

first_node() { head -n 1 "$state/nodes"; }

# Clients know their Slurm by this alone; what another Slurm has told this shell would confuse them.
with_slurm() {
  local name
  for name in $(compgen -v | grep -E '^(SLURM|SBATCH|SALLOC|SRUN)_'); do unset "$name"; done
  SLURM_CONF=$state/slurm.conf "$@"
}

run_command() {
  ((${#command[@]} > 0)) || wrong 'no command given'
  require
  is_up || fail "no Slurm is up in $state: scripts/slurm-lab up"
  with_slurm on "$(first_node)" "${command[@]}"
}

tell_status() {
  if ! is_up; then
    echo "no Slurm is up in $state"
    return 1
  fi
  echo "Slurm is up in $state"
  with_slurm on "$(first_node)" sinfo --noheader --Node --format='%N %P %T %c processors'
}
