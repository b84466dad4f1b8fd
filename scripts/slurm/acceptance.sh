# How acceptance.sbatch tests a list of nodes as a job array. Sourced by it after common.sh.
#
# Slurm gives the tasks of an array any nodes. So the array is submitted on hold by `conduct`, on a login node or in a job
# of its own; each task is given its nodes, and then they are released. A last job, after all of them, holds the results
# against each other.

: "${FABRICBENCH_NODES:=}" "${FABRICBENCH_NODES_PER_TEST:=2}" "${FABRICBENCH_EXPECT:=}"

# The nodes to test, one in a line: those asked for, or all of the partition that are in use or could be.
nodes_to_test() {
  if [[ -n $FABRICBENCH_NODES ]]; then
    scontrol show hostnames "$FABRICBENCH_NODES"
  else
    sinfo --noheader --Node --format=%N --states=idle,alloc,mix,comp ${SLURM_JOB_PARTITION:+--partition="$SLURM_JOB_PARTITION"} | sort -u
  fi
}

# Sets tests to the nodes of each, with commas between. Pairs go round the list, so that each node is in two of them: where
# one pair is slow it is the path between the two, where both are it is the node.
make_tests() {
  local -a names
  local each=$FABRICBENCH_NODES_PER_TEST first k
  mapfile -t names < <(nodes_to_test)
  ((${#names[@]} >= each)) || stop_with "a test takes $each nodes, and there are ${#names[@]}: set FABRICBENCH_NODES or FABRICBENCH_NODES_PER_TEST" 2
  tests=()
  for ((first = 0; first < ${#names[@]}; first++)); do
    local -a members=()
    for ((k = 0; k < each; k++)); do members+=("${names[(first + k) % ${#names[@]}]}"); done
    tests+=("$(IFS=,; echo "${members[*]}")")
    ((${#names[@]} > each)) || break
  done
}

conduct() {
  local array k problem more=()
  [[ $FABRICBENCH_NODES_PER_TEST =~ ^[1-9][0-9]*$ ]] || stop_with "FABRICBENCH_NODES_PER_TEST is a number of nodes, and not $FABRICBENCH_NODES_PER_TEST" 2
  make_tests
  [[ -z ${SLURM_JOB_PARTITION:-} ]] || more+=(--partition="$SLURM_JOB_PARTITION")
  [[ -z ${SLURM_JOB_ACCOUNT:-} ]] || more+=(--account="$SLURM_JOB_ACCOUNT")
  export FABRICBENCH_RESULTS
  array=$(sbatch --parsable --hold --array="0-$((${#tests[@]} - 1))" --nodes="$FABRICBENCH_NODES_PER_TEST" --output=%x-%A_%a.out "${more[@]}" "$0" "$@") ||
    stop_with 'the job array was not taken: see above'
  array=${array%%;*}
  for k in "${!tests[@]}"; do
    # It remarks on stderr that the job is pending, which it is to be.
    problem=$(scontrol update JobId="${array}_$k" ReqNodeList="${tests[k]}" 2>&1) && continue
    scancel "$array"
    stop_with "job ${array}_$k can't be given ${tests[k]}: $(tail -n 1 <<<"$problem")"
  done
  FABRICBENCH_VERDICT=yes sbatch --parsable --dependency="afterany:$array" --nodes=1 --ntasks=1 --job-name="${SLURM_JOB_NAME:-fabricbench-acceptance}-verdict" \
    --output=%x-%j.out "${more[@]}" "$0" "$@" >/dev/null || say 'the job of the verdict was not taken: see above'
  scontrol release "$array"
  echo "# job array $array tests $(printf '%s\n' "${tests[@]}" | tr ',' '\n' | sort -u | wc -l) nodes in ${#tests[@]} tests: $FABRICBENCH_RESULTS"
}

# One test: its records are called by the nodes that it ran on.
test_nodes() {
  local nodes program each=$((${SLURM_JOB_NUM_NODES:-1} == 1 ? 2 : 1))
  nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | paste -sd +)
  for program in "$@"; do measure "$nodes.$program" "$each" "$program"; done
  [[ -z $FABRICBENCH_EXPECT ]] || hold_against_reference "$nodes" "$@"
}

# All records of a test at once: the file may expect something of each program.
hold_against_reference() {
  local nodes=$1 program file files=''
  for program in "${@:2}"; do
    is_done "$FABRICBENCH_RESULTS/$nodes.$program.json" || continue
    for file in "$FABRICBENCH_RESULTS/$nodes.$program".{,part*.}json; do [[ ! -e $file ]] || files+=${files:+,}$file; done
  done
  [[ -n $files ]] || return
  node "$FABRICBENCH_HOME/dist/fabricbench.js" compare --brief --expect "$FABRICBENCH_EXPECT" "$nodes=$files" >/dev/null ||
    failed+=("$nodes against $FABRICBENCH_EXPECT")
}

tell_verdict() { exec node "$FABRICBENCH_HOME/dist/fabricbench.js" slurm verdict "$FABRICBENCH_RESULTS" --nodelist "$(nodes_to_test | paste -sd,)"; }
