# What the batch scripts of this folder share: modules, how ranks are started, which results are there already. Sourced by
# them; what they may be told by the environment stands in docs/slurm.md.
set -uo pipefail

: "${FABRICBENCH_MODULES:=}" "${FABRICBENCH_MPI:=openmpi}" "${FABRICBENCH_LAUNCHER:=srun}" "${FABRICBENCH_CPU_BIND:=cores}"
: "${FABRICBENCH_SIZES:=}" "${FABRICBENCH_ITERATIONS:=}"
# The folder of a job's results is the same after it was requeued. Give one of an earlier job, and this one goes on there.
: "${FABRICBENCH_RESULTS:=${SLURM_SUBMIT_DIR:-$PWD}/${SLURM_JOB_NAME:-fabricbench-acceptance}-${SLURM_ARRAY_JOB_ID:-${SLURM_JOB_ID:-$(date +%Y%m%dT%H%M%S)}}}"
export FABRICBENCH_MPI
# With these srun would tell the steps of a job what was meant for the job.
unset SLURM_CPU_BIND SLURM_NTASKS SLURM_NPROCS SLURM_HINT

child='' failed=() done_before=0 measured=0

say() { echo "fabricbench: $1" >&2; }

stop_with() {
  say "$1"
  exit "${2:-1}"
}

# A batch script is no login shell, which alone knows `module` on some sites.
load_modules() {
  local file
  for file in "${BASH_ENV:-}" /etc/profile.d/lmod.sh /etc/profile.d/modules.sh /usr/share/lmod/lmod/init/bash /usr/share/modules/init/bash; do
    type module >/dev/null 2>&1 && break
    [[ -r $file ]] && . "$file"
  done
  if type module >/dev/null 2>&1; then
    module load $FABRICBENCH_MODULES || stop_with "module load $FABRICBENCH_MODULES failed: see above" 77
  else
    say "there is no module command here, so $FABRICBENCH_MODULES can't be loaded: going on without"
  fi
}

# How ranks of an MPI meet under srun.
meeting() { [[ $FABRICBENCH_MPI == mpich ]] && echo pmi2 || echo pmix; }

choose_launcher() {
  [[ $FABRICBENCH_MPI == openmpi || $FABRICBENCH_MPI == mpich ]] || stop_with "FABRICBENCH_MPI is openmpi or mpich, and not $FABRICBENCH_MPI" 2
  case $FABRICBENCH_LAUNCHER in
    mpirun) ;;
    srun)
      srun --mpi=list 2>&1 | grep -qw "$(meeting)" && return
      say "srun has no --mpi=$(meeting) here, which $FABRICBENCH_MPI needs: starting ranks by mpirun"
      FABRICBENCH_LAUNCHER=mpirun
      ;;
    *) stop_with "FABRICBENCH_LAUNCHER is srun or mpirun, and not $FABRICBENCH_LAUNCHER" 2 ;;
  esac
}

# UCX where this Open MPI has it, for one-sided calls too, unless the user has chosen. It takes itself out where there is no
# InfiniBand, unless it may use any transport.
prefer_ucx() {
  [[ -z ${OMPI_MCA_pml:-} ]] && ompi_info --parsable 2>/dev/null | grep -q '^mca:pml:ucx:' || return 0
  export OMPI_MCA_pml=ucx OMPI_MCA_osc=${OMPI_MCA_osc:-ucx}
  export OMPI_MCA_pml_ucx_tls=${OMPI_MCA_pml_ucx_tls:-any} OMPI_MCA_pml_ucx_devices=${OMPI_MCA_pml_ucx_devices:-any}
}

# start EACH COMMAND...: so many ranks on each node of the job, in the place of this shell.
start() {
  local each=$1 ranks=$(($1 * ${SLURM_JOB_NUM_NODES:-1}))
  shift
  case $FABRICBENCH_LAUNCHER-$FABRICBENCH_MPI in
    srun-*)
      exec srun --mpi="$(meeting)" --ntasks="$ranks" --ntasks-per-node="$each" --cpu-bind="$FABRICBENCH_CPU_BIND" --kill-on-bad-exit=1 "$@"
      ;;
    *-openmpi) exec "$(first_of mpirun.openmpi mpirun)" -np "$ranks" --map-by "ppr:$each:node" --bind-to "$(bound_by_mpirun)" "$@" ;;
    *) exec "$(first_of mpiexec.hydra mpiexec.mpich mpiexec)" -n "$ranks" -ppn "$each" -bind-to "$(bound_by_mpirun)" "$@" ;;
  esac
}

# Where several MPIs are installed, mpirun may be any of theirs.
first_of() {
  local program
  for program in "$@"; do command -v "$program" && return; done
  stop_with "there is no ${*: -1} on PATH: load the module of the MPI by FABRICBENCH_MODULES" 77
}

bound_by_mpirun() { [[ $FABRICBENCH_CPU_BIND == none ]] && echo none || echo core; }

# Whether a record says that its run came to an end: then a job that was restarted leaves it out.
is_done() { grep -qs '^,"status":{"state":"done"' "$1"; }

# measure NAME EACH PROGRAM [OPTION...]: runs a benchmark, unless the record NAME is complete.
measure() {
  local name=$1 each=$2 program=$3 code sizes
  local record=$FABRICBENCH_RESULTS/$name.json
  shift 3
  if is_done "$record"; then
    echo "# $name is complete: left out"
    done_before=$((done_before + 1))
    return
  fi
  printf '\n# %s, %s %s on each of %s\n' "$name" "$each" "$([[ $each == 1 ]] && echo rank || echo ranks)" "${SLURM_JOB_NODELIST:-this host}"
  sizes=$(rest_of "$record")
  [[ -z $sizes ]] || echo "# going on at $sizes bytes"
  start "$each" node "$FABRICBENCH_HOME/dist/$program.js" $(options_of "$program" "${sizes:-$FABRICBENCH_SIZES}") "$@" --json "$record" &
  child=$!
  wait "$child"
  code=$?
  child=''
  if ((code == 0)); then
    measured=$((measured + 1))
  else
    say "$name failed with exit code $code"
    failed+=("$name")
  fi
}

# The sizes that an interrupted run has left, whose record becomes a part; nothing where there was none, or where it has to
# begin again.
rest_of() {
  local sizes part=1
  [[ -s $1 ]] && sizes=$(node "$FABRICBENCH_HOME/dist/fabricbench.js" slurm rest "$1" 2>/dev/null) && [[ -n $sizes ]] || return 0
  while [[ -e ${1%.json}.part$part.json ]]; do part=$((part + 1)); done
  mv "$1" "${1%.json}.part$part.json" && echo "$sizes"
}

# Those that have no sizes would refuse them; fabricbench's own commands have other words for them.
options_of() {
  [[ $1 != fabricbench && $1 != osu_init && $1 != osu_hello ]] || return
  [[ -z $FABRICBENCH_ITERATIONS ]] || echo "-i $FABRICBENCH_ITERATIONS"
  [[ -z $2 || $1 == *barrier ]] || echo "-m $2"
}

# The first network device here that is on a bus: InfiniBand's come first.
device_to_be_near() {
  local device
  for device in "$FABRICBENCH_DEVICE" /sys/class/infiniband/* /sys/class/net/*; do
    [[ -n $device && $device != /* || -e $device/device ]] && basename "$device" && return
  done
  return 1
}

# Two records against each other, in words.
hold_against() {
  is_done "$FABRICBENCH_RESULTS/$1.json" && is_done "$FABRICBENCH_RESULTS/$2.json" || return 0
  node "$FABRICBENCH_HOME/dist/fabricbench.js" compare --brief "$1=$FABRICBENCH_RESULTS/$1.json" "$2=$FABRICBENCH_RESULTS/$2.json"
}

# Slurm's TERM, before the time limit (--signal), at pre-emption or from scancel: ranks are ended, and what is measured stays.
on_term() {
  trap '' TERM
  if [[ -n $child ]]; then
    kill -TERM "$child" 2>/dev/null
    wait "$child"
  fi
  stop_with "ended by SIGTERM; $FABRICBENCH_RESULTS has what was measured, and a restart goes on there" 143
}

# The end of a batch script: what came of it, and the exit code.
finish() {
  printf '\n# %d measured, %d complete before, %d failed: %s\n' "$measured" "$done_before" "${#failed[@]}" "$FABRICBENCH_RESULTS"
  ((${#failed[@]} == 0)) || stop_with "these failed: ${failed[*]}"
  exit 0
}

trap on_term TERM
[[ -z $FABRICBENCH_MODULES ]] || load_modules
command -v node >/dev/null || stop_with 'there is no node on PATH: load its module by FABRICBENCH_MODULES, or install Node.js' 77
choose_launcher
[[ $FABRICBENCH_MPI == mpich ]] || prefer_ucx
mkdir -p "$FABRICBENCH_RESULTS" || stop_with "$FABRICBENCH_RESULTS can't be made: set FABRICBENCH_RESULTS to a folder that all nodes see"
echo "# job ${SLURM_JOB_ID:-none} on ${SLURM_JOB_NODELIST:-this host}, partition ${SLURM_JOB_PARTITION:-none}, restart ${SLURM_RESTART_COUNT:-0}, $(date -u +%Y-%m-%dT%H:%M:%SZ)"
