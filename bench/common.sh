# shellcheck shell=bash
# What the scripts beside this one share that set bakeoff beside programs of others. To be sourced by one whose directory is $here.
# Sets root (of the repository), bakeoff (the program), build_dir (where it is built) and tools (where theirs are).

name=$(basename -- "${here:?is to be set by the script that sources this}")
root=$(readlink -f -- "$here/../..")
bakeoff=${BAKEOFF:-$root/bakeoff}
build_dir=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/bakeoff/target}
# shellcheck disable=SC2034 # used by the scripts
tools=$build_dir/$name
# Where ./bakeoff finds Rust too.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

die() {
  printf '%s: %s\n' "$name" "$*" >&2
  exit 2
}

say() { printf '%s: %s\n' "$name" "$*" >&2; }

# Builds bakeoff and the drivers named, unless BAKEOFF names a program that is built already: build_bakeoff [DRIVER…]
build_bakeoff() {
  "$bakeoff" stores >/dev/null
  local driver
  [[ -n ${BAKEOFF:-} ]] || for driver; do "$bakeoff" build "$driver"; done
}

# Debian packages beside those that ./bakeoff has installed: need_packages PACKAGE…
need_packages() {
  local package missing=()
  for package; do
    [[ $(dpkg-query -Wf '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  [[ $EUID -eq 0 ]] || die "missing packages. Run: sudo apt-get install -y ${missing[*]}"
  say "installing ${missing[*]}"
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 </dev/null
}

# Changes the source of a program and sees that there was something to change: change FILE SED-EXPRESSION…
change() {
  local file=$1 expression
  for expression in "${@:2}"; do
    cp -- "$file" "$file.before"
    sed -i "$expression" "$file"
    ! cmp -s -- "$file" "$file.before" || die "$file has changed: nothing in it fits $expression"
  done
}

# Where the source of a crate lies that the workspace uses.
crate() {
  # RocksDB is in the graph only with its feature.
  cargo metadata --manifest-path "$root/Cargo.toml" --locked --all-features --filter-platform "$(uname -m)-unknown-linux-gnu" --format-version 1 |
    jq -re --arg name "$1" 'first(.packages[] | select(.name == $name) | .manifest_path)' | xargs dirname
}

# The newest library that a crate has compiled: the one that the drivers were linked with.
library_of() {
  local file newest=
  for file in "$build_dir"/release/build/"$1"-*/out/{,lib/}"$2"; do
    [[ ! -e $file || -n $newest && ! $file -nt $newest ]] || newest=$file
  done
  [[ -n $newest ]] || die "no $2 in $build_dir: is it built?"
  printf '%s\n' "$newest"
}

# Lines "PHASE OPERATIONS NANOSECONDS" of a run's results: rates_of FILE
rates_of() {
  jq -r 'select(.line == "phase") | [.result.phase, ([.result.operations[] | select(.operation != "commit") | .entries] | add),
    .result.timed_ns] | join(" ")' "$1"
}

# Medians over pairs of both rates, and of each pair's ratio, with its range, of a file with the columns pair, store, size (small or large), side, phase,
# operations, nanoseconds: table_of_rates FILE
table_of_rates() {
  jq -rRn '
    def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
    def rate: if . >= 99500 then "\(. / 1000 | round) k" else "\(. | round)" end;
    def two: . * 100 | round | "\(. / 100 | floor).\(. % 100 | if . < 10 then "0\(.)" else . end)";
    [inputs | split("\t") | {pair: .[0], store: .[1], size: .[2], side: .[3], phase: .[4], rate: ((.[5] | tonumber) / (.[6] | tonumber) * 1e9)}]
    | "| store | values | work | ours/s | theirs/s | ours/theirs | range | pairs |", "|---|---|---|---:|---:|---:|---|---:|",
      (group_by([.store, .size, .phase])[]
      | [group_by(.pair)[] | select(length == 2) | {ours: (.[] | select(.side == "ours").rate), theirs: (.[] | select(.side == "theirs").rate)}]
        as $pairs | [$pairs[] | .ours / .theirs] as $ratios | select($pairs | length > 0)
      | "| \(.[0].store) | \(if .[0].size == "small" then "100 B" else "100 KiB" end) | \(.[0].phase) | \([$pairs[].ours] | median | rate) | " +
        "\([$pairs[].theirs] | median | rate) | \($ratios | median | two) | \($ratios | min | two)–\($ratios | max | two) | \($pairs | length) |")
  ' "$1"
}
