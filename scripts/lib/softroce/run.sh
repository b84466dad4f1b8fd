# Starts the Soft-RoCE machine for one command. Sourced by scripts/softroce.

# Writes what the machine reads: settings, the command with its folder and environment, the script that runs them.
write_orders() {
  local name names=rxe0
  [[ $devices == two ]] && names='rxe0 rxe1'
  cp "$lib/boot.sh" "$work/boot.sh"
  printf '%s\n' "devices=$devices" "export FABRICBENCH_LAB='$names'" "$(printf 'export FABRICBENCH_LAB_OUT=%q' "$out")" >"$work/settings"
  {
    # All is root's there, so Open MPI has to be told that it may.
    echo 'export LC_ALL=C.UTF-8 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1'
    for name in $(compgen -e); do
      case $name in
        FABRICBENCH_LAB | FABRICBENCH_LAB_OUT) ;;
        PATH | HOME | LD_LIBRARY_PATH | CI | NODE_* | OMPI_* | UCX_* | FABRICBENCH_* | MPICH_* | MPIR_* | HYDRA_* | IBV_* | RDMAV_*)
          printf 'export %s=%q\n' "$name" "${!name}"
          ;;
      esac
    done
    printf 'cd %q || exit 125\n' "$PWD"
    printf 'exec'
    printf ' %q' "${command[@]}"
    echo
  } >"$work/command"
  : >"$work/stdout"
  : >"$work/stderr"
}

# Starts QEMU in the background and sets machine to its process, which ends with this one.
start_machine() {
  local accel=tcg,thread=multi cpu=max
  [[ $(acceleration) == kvm ]] && accel=kvm cpu=host
  # tsc=reliable: else the machine's clock is emulated, and each look at it costs a microsecond.
  setpriv --pdeathsig TERM timeout -k 5 "$seconds" qemu-system-x86_64 -accel "$accel" -cpu "$cpu" -m "$memory" -smp "$cpus" \
    -display none -nodefaults -no-reboot -monitor none -kernel "$cache/kernel/vmlinuz" -initrd "$cache/initrd" \
    -append 'console=ttyS0 quiet panic=-1 tsc=reliable' -serial "file:${work//,/,,}/console" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=${work//,/,,},mount_tag=work,security_model=none" \
    -virtfs "local,path=${out//,/,,},mount_tag=out,security_model=none" </dev/null >"$work/qemu" 2>&1 &
  machine=$!
}

stop() {
  kill -TERM "$machine" 2>/dev/null
  wait "$machine" 2>/dev/null
  exit "$1"
}

# Says why there is no exit code of the command, and returns the one that stands for it.
explain() {
  local code=125 reason
  if (($1 == 124 || $1 == 137)); then
    code=124 reason="stopped after $seconds s (--timeout)"
  elif [[ -s $work/qemu ]]; then
    reason="QEMU failed: $(head -c 500 "$work/qemu")"
  else
    reason='the machine died before the command had ended (too little memory? --memory)'
  fi
  echo "softroce: $reason" >&2
  [[ ! -s $work/console ]] || { echo "softroce: the console's last lines:" && tail -n 15 "$work/console"; } >&2
  return $code
}

run_in_machine() {
  local status followers=()
  work=$(mktemp -d "${TMPDIR:-/tmp}/softroce.XXXXXX") || exit 125
  trap 'rm -rf "$work"' EXIT
  out=$(realpath -m -- "${FABRICBENCH_LAB_OUT:-$work/out}")
  mkdir -p "$out" || exit 125
  write_orders
  start_machine
  trap 'stop 130' INT
  trap 'stop 143' TERM HUP
  tail -c +1 -s 0.2 -f --pid=$machine "$work/stdout" &
  followers+=($!)
  tail -c +1 -s 0.2 -f --pid=$machine "$work/stderr" >&2 &
  followers+=($!)
  wait "$machine"
  status=$?
  wait "${followers[@]}"
  if [[ -s $work/code ]]; then
    exit "$(cat "$work/code")"
  fi
  explain $status
}
