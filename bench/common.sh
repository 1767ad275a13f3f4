# shellcheck shell=bash
# Shared by the scripts that compare bakeoff with other benchmark programs. They source it after setting $here to their directory.
# It sets root (the repository), bakeoff (the program), build_dir (its build directory) and tools (the directory of the other programs).

name=$(basename -- "${here:?is to be set by the script that sources this}")
root=$(readlink -f -- "$here/../..")
bakeoff=${BAKEOFF:-$root/bakeoff}
build_dir=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/bakeoff/target}
# shellcheck disable=SC2034 # used by the scripts
tools=$build_dir/$name
# ./bakeoff also looks for Rust there.
PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin

# A script's header is its help.
for argument; do
  [[ $argument != --help ]] || {
    sed -n '2,/^set/ s/^# //p' "$0"
    exit
  }
done

die() {
  printf '%s: %s\n' "$name" "$*" >&2
  exit 2
}

say() { printf '%s: %s\n' "$name" "$*" >&2; }

# build_bakeoff [DRIVER…]: builds bakeoff and these drivers, unless BAKEOFF names a finished program
build_bakeoff() {
  "$bakeoff" stores >/dev/null
  local driver
  [[ -n ${BAKEOFF:-} ]] || for driver; do "$bakeoff" build "$driver"; done
}

# need_packages PACKAGE…: installs Debian packages, in addition to ./bakeoff's own
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

# clone_theirs DIRECTORY: clones a program's source at the commit that the script names
clone_theirs() {
  rm -rf -- "$1"
  # shellcheck disable=SC2154 # set by the scripts
  git clone -q -- "$source" "$1" || die "cannot clone $source: name a copy with --source"
  # shellcheck disable=SC2154
  git -C "$1" checkout -q "$commit" || die "$source has no commit $commit"
}

# change FILE SED-EXPRESSION…: changes a program's source. Fails if an expression changes nothing.
change() {
  local file=$1 expression
  for expression in "${@:2}"; do
    cp -- "$file" "$file.before"
    sed -i "$expression" "$file"
    ! cmp -s -- "$file" "$file.before" || die "$file has changed: nothing in it fits $expression"
  done
}

# crate NAME: prints the directory with the source of a crate in the workspace's graph
crate() {
  # RocksDB is in the graph only with its feature.
  cargo metadata --manifest-path "$root/Cargo.toml" --locked --all-features --filter-platform "$(uname -m)-unknown-linux-gnu" --format-version 1 |
    jq -re --arg name "$1" 'first(.packages[] | select(.name == $name) | .manifest_path)' | xargs dirname
}

# library_of CRATE FILE: prints the newest library that a crate compiled, which the drivers are linked with
library_of() {
  local file newest=
  for file in "$build_dir"/release/build/"$1"-*/out/{,lib/}"$2"; do
    [[ ! -e $file || -n $newest && ! $file -nt $newest ]] || newest=$file
  done
  [[ -n $newest ]] || die "no $2 in $build_dir: is it built?"
  printf '%s\n' "$newest"
}

# version_in POM-FILE ARTIFACT: prints the version of a library in bakeoff's JVM driver
version_in() {
  sed -n "/<artifactId>$2</{n;s/.*<version>\\(.*\\)<.*/\\1/p}" "$root/jvm/$1" | tail -1
}

# compile_java GROUP:ARTIFACT:VERSION…: compiles JMH benchmarks in $tools/src/main/java with these libraries
compile_java() {
  local library jmh=1.37
  {
    printf '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
    printf '<groupId>bakeoff</groupId><artifactId>%s</artifactId><version>1</version>' "$name-benchmarks"
    printf '<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>'
    printf '<dependencies>\n'
    for library in "$@" org.openjdk.jmh:jmh-core:$jmh org.openjdk.jmh:jmh-generator-annprocess:$jmh; do
      IFS=: read -ra library <<<"$library"
      # shellcheck disable=SC2128
      printf '<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>\n' "${library[@]}"
    done
    printf '</dependencies></project>\n'
  } >"$tools/pom.xml"
  mvn -q -B -f "$tools/pom.xml" compile dependency:copy-dependencies -DoutputDirectory="$tools/libraries" >&2 || {
    rm -rf -- "$tools/libraries"
    die "their benchmarks do not compile"
  }
}

# run_jmh FILE JVM-ARGUMENTS JMH-ARGUMENT…: runs them in one fork, warmed up, and writes nanoseconds per operation to
# FILE.json
run_jmh() {
  java -cp "$tools/target/classes:$tools/libraries/*" org.openjdk.jmh.Main "${@:3}" -bm avgt -tu ns -foe true -f 1 -wi 3 -w 2 -i 3 -r 2 \
    -rf json -rff "$1.json" -jvmArgs "$2" >"$1.log" 2>&1 || die "their benchmarks failed: see $1.log"
}

# rates_of FILE: prints lines "PHASE OPERATIONS NANOSECONDS" of a run's results
rates_of() {
  jq -r 'select(.line == "phase") | [.result.phase, ([.result.operations[] | select(.operation != "commit") | .entries] | add),
    .result.timed_ns] | join(" ")' "$1"
}

# For jq: the median of an array.
jq_median='def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;'

# table_of_rates FILE: prints medians over pairs of both rates, and of each pair's ratio with its range. The file's columns are pair, store,
# size (small, large, or its name), side, phase, operations, nanoseconds.
table_of_rates() {
  jq -rRn "$jq_median"'
    def rate: if . >= 99500 then "\(. / 1000 | round) k" else "\(. | round)" end;
    def two: . * 100 | round | "\(. / 100 | floor).\(. % 100 | if . < 10 then "0\(.)" else . end)";
    [inputs | split("\t") | {pair: .[0], store: .[1], size: .[2], side: .[3], phase: .[4], rate: ((.[5] | tonumber) / (.[6] | tonumber) * 1e9)}]
    | "| store | values | work | ours/s | theirs/s | ours/theirs | range | pairs |", "|---|---|---|---:|---:|---:|---|---:|",
      (group_by([.store, .size, .phase])[]
      | [group_by(.pair)[] | select(length == 2) | {ours: (.[] | select(.side == "ours").rate), theirs: (.[] | select(.side == "theirs").rate)}]
        as $pairs | [$pairs[] | .ours / .theirs] as $ratios | select($pairs | length > 0)
      | "| \(.[0].store) | \({small: "100 B", large: "100 KiB"}[.[0].size] // .[0].size) | \(.[0].phase) | \([$pairs[].ours] | median | rate) | " +
        "\([$pairs[].theirs] | median | rate) | \($ratios | median | two) | \($ratios | min | two)–\($ratios | max | two) | \($pairs | length) |")
  ' "$1"
}
