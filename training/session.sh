#!/bin/bash
# One training session of limited time: measurements if wanted, training, evaluation.
#
#   OUT=DIR LIMIT=580 bash training/session.sh
#
# OUT      where everything is written (default: out)
# LIMIT    seconds until the script ends (default: 580)
# STATE    a folder with the state_*.pt and training.csv of an earlier session, to continue from
# MEASURE  1: first measures some variants, and adds the options of the fastest to FLAGS
# START    a file of weights to start from, if STATE has no state; its folder may have a training.csv
# FLAGS    options of train.py (default: --batch 512)
# EVALUATE seconds kept for the evaluation (default: 50)
# PYTHON   the interpreter (default: python3)
set -uo pipefail

OUT=${OUT:-out}
LIMIT=${LIMIT:-580}
STATE=${STATE:-}
START=${START:-}
MEASURE=${MEASURE:-0}
FLAGS=${FLAGS:---batch 512}
EVALUATE=${EVALUATE:-50}
PYTHON=${PYTHON:-python3}
BATCHES=${BATCHES:-512,1024}
MEASURED_SECONDS=${MEASURED_SECONDS:-7}
HERE=$(dirname "$(readlink -f "$0")")

export PYTHONUNBUFFERED=1
export TORCHINDUCTOR_CACHE_DIR=${TORCHINDUCTOR_CACHE_DIR:-${TMPDIR:-/tmp}/oscbo-compiled}
mkdir -p "$OUT" "$TORCHINDUCTOR_CACHE_DIR"
exec > >(tee -a "$OUT/session.log") 2>&1

left() { echo $((LIMIT - SECONDS)); }

note() { echo "[$SECONDS s] $*"; }

# variant NAME MOST OPTIONS...: datasets per second with these options, within MOST seconds.
variant() {
    local name=$1 most=$2
    shift 2
    note "measures $name: $*"
    timeout "$most" "$PYTHON" "$HERE/train.py" --throughput "$BATCHES" --seconds "$MEASURED_SECONDS" "$@" \
        > "$OUT/measure.tmp" 2>&1 || note "$name ended early"
    cat "$OUT/measure.tmp" >> "$OUT/session.log"  # in full, with the slowest kernels
    grep -E '^(batch|  parts|compiled|the compiler|goes on|best)|Error' "$OUT/measure.tmp" | cut -c 1-400
    sed -nE 's/^batch ([0-9]+): ([0-9]+) .*/\2 \1/p' "$OUT/measure.tmp" | while read -r rate batch; do
        echo "$rate --batch $batch $*" >> "$OUT/rates.tmp"
    done
}

measure() {
    : > "$OUT/rates.tmp"
    variant compiled 120 --compile --row-attention summed --profile
    variant eager 60 --row-attention plain
    local best
    best=$(sort -rn "$OUT/rates.tmp" | head -1 | cut -d ' ' -f 2- | sed 's/--profile//')
    FLAGS="$FLAGS $best"
    rm -f "$OUT/measure.tmp" "$OUT/rates.tmp"
    note "chose $FLAGS"
}

# train OPTIONS...: trains for the time that is left.
train() {
    local seconds=$(($(left) - EVALUATE - 8))
    if [ "$seconds" -lt 20 ]; then
        note "no time left to train"
        return 0
    fi
    note "trains for $seconds s: $*"
    timeout $((seconds + 25)) "$PYTHON" "$HERE/train.py" --out "$OUT" --seconds "$seconds" "$@"
}

# resume FOLDER: the options that continue from its state, or else from START.
resume() {
    if [ -f "$1/state_weights.pt" ]; then
        echo "--resume $1"
    elif [ -n "$START" ]; then
        echo "--start $START"
    fi
}

restore_cache() {
    if [ -f "$STATE/compiled.tgz" ]; then
        tar xzf "$STATE/compiled.tgz" -C "$TORCHINDUCTOR_CACHE_DIR" && note "uses the compiled code of an earlier session"
    fi
}

keep_cache() {
    case "$FLAGS" in *--compile*) ;; *) return ;; esac
    tar czf "$OUT/compiled.tgz" -C "$TORCHINDUCTOR_CACHE_DIR" . 2> /dev/null
    if [ "$(stat -c %s "$OUT/compiled.tgz")" -gt 8000000 ]; then
        note "the compiled code is too large to keep: $(stat -c %s "$OUT/compiled.tgz") bytes"
        rm "$OUT/compiled.tgz"
    fi
}

note "starts; $(nvidia-smi --query-gpu=name,memory.used --format=csv,noheader 2> /dev/null || echo 'no GPU')"
restore_cache
[ "$MEASURE" = 1 ] && measure
if ! train $FLAGS $(resume "$STATE"); then
    note "training failed; tries again without the compiler, with smaller parts"
    FLAGS=${FLAGS//--compile/}
    FLAGS=${FLAGS//--row-attention summed/}
    [ -f "$OUT/state_weights.pt" ] && STATE=$OUT
    train $FLAGS --cells 1500000 $(resume "$STATE")
fi
if [ -f "$OUT/model.safetensors" ]; then
    timeout $(($(left) > 15 ? $(left) : 15)) "$PYTHON" "$HERE/evaluate.py" "$OUT/model.safetensors" --out "$OUT" --seconds $((EVALUATE - 20))
fi
keep_cache
note "ends"
ls -l "$OUT"
