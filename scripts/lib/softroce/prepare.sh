# What the Soft-RoCE machine needs: a kernel from Debian's package, unpacked and never installed, and an initrd of the few
# modules that are used. Sourced by scripts/softroce, which sets $lib.

cache=${FABRICBENCH_SOFTROCE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/fabricbench/softroce}
# In the order in which their needs are found; crc32_generic is asked for by name when rdma_rxe makes a device.
modules=(crc32_generic virtio_pci 9pnet_virtio 9p overlay rdma_rxe ib_uverbs rdma_ucm rdma_cm dummy veth)
# kmod's programs stand where only root's PATH leads.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

has() { command -v "$1" >/dev/null 2>&1; }

# Ends with exit code 77 and one sentence.
cannot() {
  echo "Soft-RoCE can't be had here: $1" >&2
  return 77
}

# A busybox that needs libraries would find none in the initrd.
is_static_busybox() { [[ -x /bin/busybox ]] && ! ldd /bin/busybox 2>/dev/null | grep '=>' >/dev/null; }

# One sentence of what is missing; nothing where all is there.
missing() {
  local need check package names=()
  [[ $(uname -m) == x86_64 ]] || { echo "it needs an x86-64 machine and this one is $(uname -m)" && return; }
  for need in 'has qemu-system-x86_64|qemu-system-x86' 'is_static_busybox|busybox-static' 'has cpio|cpio' 'has depmod|kmod' \
    'has ip|iproute2' 'has rdma|iproute2' '[ -e /etc/libibverbs.d/rxe.driver ]|ibverbs-providers'; do
    IFS='|' read -r check package <<<"$need"
    $check || names+=("$package")
  done
  if ((${#names[@]} > 0)); then
    printf '%s missing: apt-get install --no-install-recommends %s\n' "$( ((${#names[@]} > 1)) && echo 'packages are' || echo 'a package is')" "${names[*]}"
  elif ! has_kernel && ! { has apt-get && has dpkg-deb; }; then
    echo "its kernel comes from Debian's package, and apt-get is missing: set FABRICBENCH_SOFTROCE to a folder that was prepared elsewhere"
  fi
}

has_kernel() { [[ -s $cache/kernel/vmlinuz && -s $cache/kernel/order ]]; }

describe() { echo "kernel $(cat "$cache/kernel/version"), $(acceleration | tr a-z A-Z), $cache"; }

check() {
  local lack
  lack=$(missing)
  [[ -z $lack ]] || { cannot "$lack" && return || return; }
  if has_kernel; then
    echo "Soft-RoCE works here, from $cache"
  else
    echo "Soft-RoCE should work here: the first run downloads a kernel of 70 MB into $cache"
  fi
}

# apt with the settings given: lists of our own need no root.
apt_here() {
  local program=$1 folder=$2
  shift 2
  "$program" -q -o APT::Sandbox::User="$(id -un)" -o Dir::Cache="$folder/apt" "$@"
}

# Downloads the kernel's package into a folder, by the system's lists of packages or, where these are missing or old, by new ones.
download() {
  local folder=$1 lists package
  mkdir -p "$folder/apt/archives/partial" "$folder/lists/partial"
  for lists in '' "Dir::State::Lists=$folder/lists"; do
    [[ -z $lists ]] || apt_here apt-get "$folder" -o "$lists" update
    package=$(apt_here apt-cache "$folder" ${lists:+-o "$lists"} depends linux-image-amd64 | grep -oE 'linux-image-[0-9][^ ]*-amd64$' | head -1)
    [[ -n $package ]] && (cd "$folder" && apt_here apt-get "$folder" ${lists:+-o "$lists"} download "$package") && return 0
  done
  return 1
}

# Unpacked contents of a module's file, which may be compressed.
module_bytes() {
  case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -dcq "$1" ;;
    *) cat "$1" ;;
  esac
}

# Takes kernel, modules and the order of their loading out of an unpacked package.
take_kernel() {
  local root=$1 into=$2 version module file name
  [[ -d $root/lib/modules ]] || ln -sfn usr/lib "$root/lib"
  version=$(ls "$root/lib/modules" | head -1)
  mkdir -p "$into/modules"
  cp "$root/boot/vmlinuz-$version" "$into/vmlinuz" && depmod -b "$root" "$version" || return 1
  for module in "${modules[@]}"; do
    modprobe -d "$root" -S "$version" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | while read -r file; do
    name=$(basename "$file")
    name=${name%%.ko*}.ko
    [[ -e $into/modules/$name ]] && continue
    module_bytes "$file" >"$into/modules/$name" && echo "$name" >>"$into/order"
  done
  [[ -s $into/modules/rdma_rxe.ko && -s $into/modules/9p.ko ]] && echo "$version" >"$into/version"
}

make_kernel() {
  local folder=$cache/new.$BASHPID log=$cache/prepare.log
  echo "softroce: downloading Debian's kernel package (70 MB) into $cache" >&2
  mkdir -p "$folder/kernel"
  if ! download "$folder" >"$log" 2>&1; then
    rm -rf "$folder"
    cannot "the kernel's package could not be downloaded by apt-get ($log says why): run apt-get update, or set FABRICBENCH_SOFTROCE to a folder that was prepared elsewhere"
    return
  fi
  if dpkg-deb -x "$folder"/linux-image-*.deb "$folder/root" >>"$log" 2>&1 && take_kernel "$folder/root" "$folder/kernel" >>"$log" 2>&1; then
    rm -rf "$cache/kernel" && mv "$folder/kernel" "$cache/kernel" && rm -rf "$folder"
  else
    rm -rf "$folder"
    cannot "the kernel's package could not be unpacked ($log says why)"
  fi
}

make_initrd() {
  local folder=$cache/initrd.$BASHPID
  mkdir -p "$folder"/{bin,proc,sys,dev,ro,rw,new} &&
    cp -r "$cache/kernel/modules" "$cache/kernel/order" "$folder/" &&
    cp /bin/busybox "$folder/bin/" && cp "$lib/init" "$folder/init" && chmod 755 "$folder/init" &&
    (cd "$folder" && find . | cpio -o -H newc --quiet -R 0:0 | gzip -1) >"$cache/initrd.new" &&
    mv "$cache/initrd.new" "$cache/initrd"
  local status=$?
  rm -rf "$folder"
  return $status
}

# KVM may be there and still not work, in a machine that is virtual itself for one: only a start shows it.
kvm_works() {
  local console=$cache/kvm.console
  [[ -r /dev/kvm && -w /dev/kvm ]] || return 1
  rm -f "$console"
  timeout -k 2 10 qemu-system-x86_64 -accel kvm -cpu host -m 512 -display none -nodefaults -no-reboot -monitor none \
    -kernel "$cache/kernel/vmlinuz" -initrd "$cache/initrd" -append 'console=ttyS0 quiet panic=-1 softroce=probe' \
    -serial "file:$console" </dev/null >/dev/null 2>&1
  grep -q 'softroce: alive' "$console" 2>/dev/null
}

acceleration() { [[ ${FABRICBENCH_SOFTROCE_ACCEL:-} == tcg ]] && echo tcg || cut -d' ' -f2 "$cache/acceleration"; }

# Files are replaced whole, so that machines which run already keep theirs.
prepare() {
  local lack boot
  lack=$(missing)
  [[ -z $lack ]] || { cannot "$lack" || return; }
  mkdir -p "$cache" && [[ -w $cache ]] || { cannot "$cache can't be written: set FABRICBENCH_SOFTROCE to a folder of yours" || return; }
  exec 8>"$cache/lock"
  flock 8
  has_kernel || make_kernel || { exec 8>&- && return 77; }
  if ! [[ $cache/initrd -nt $lib/init && $cache/initrd -nt $cache/kernel ]]; then
    make_initrd || { exec 8>&- && cannot 'its initrd could not be made' || return; }
  fi
  boot=$(cat /proc/sys/kernel/random/boot_id)
  if [[ ${FABRICBENCH_SOFTROCE_ACCEL:-} != tcg && $(cat "$cache/acceleration" 2>/dev/null) != "$boot "* ]]; then
    echo "$boot $(kvm_works && echo kvm || echo tcg)" >"$cache/acceleration"
  fi
  exec 8>&-
}
