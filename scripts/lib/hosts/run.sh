# Runs commands on hosts. Sourced by scripts/hosts.

# Becomes the command on a host. The shell goes back to the folder, which a change of the mount namespace loses.
become() {
  local pid own=()
  pid=$(pid_of "$1") || fail "$1 has died: take the hosts down, and up again"
  [[ ! -e $state/cpus/$1 ]] || own=(taskset --cpu-list "$(cat "$state/cpus/$1")")
  exec "${own[@]}" nsenter --target "$pid" --net --uts --ipc --mount -- /bin/sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$PWD" "${@:2}"
}

command_run() {
  local node=
  while (($# > 0)); do
    case $1 in
      --on)
        node=${2:-}
        [[ -n $node ]] || refuse '--on needs a host'
        shift 2
        ;;
      --on=*)
        node=${1#--on=}
        shift
        ;;
      --)
        shift
        break
        ;;
      -*) refuse "no option $1" ;;
      *) break ;;
    esac
  done
  (($# > 0)) || refuse 'no command given'
  must_be_up
  [[ -n $node ]] || node=$(nodes | head -n 1)
  must_be_node "$node"
  # The agent is for Open MPI 4 and 5 and for Hydra. All is root's here, which Open MPI wants to be told.
  become "$node" env FABRICBENCH_HOSTS="$state" \
    OMPI_MCA_plm_rsh_agent="$state/rsh" PRTE_MCA_plm_ssh_agent="$state/rsh" HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC="$state/rsh" \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}

# As ssh does it: options are dropped, words are joined for the shell over there, and the environment is that of a login,
# so that what a launcher doesn't hand on is missing, as it would be on a cluster.
command_rsh() {
  local name keep=()
  while [[ ${1:-} == -* ]]; do shift; done
  (($# > 1)) || refuse 'rsh needs a host and a command'
  must_be_up
  local node=${1#*@}
  must_be_node "$node"
  for name in PATH HOME USER LOGNAME SHELL LANG TMPDIR; do
    [[ -z ${!name+set} ]] || keep+=("$name=${!name}")
  done
  cd "${HOME:-/}" 2>/dev/null || cd / || exit
  become "$node" env -i "${keep[@]}" FABRICBENCH_HOSTS="$state" /bin/sh -c "${*:2}"
}
