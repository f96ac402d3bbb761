#!/usr/bin/env bash
# Mosaic's periodic experiments (arXiv 2606.27895) through `unroll solve`, our figures beside the published ones.
#
#   jobs/mosaic.sh [SECTION ...]      accuracy agreement laws gradient horizon cost [all]
#
# RANKS [2], OUT [runs/mosaic]: tables on standard output, the numbers as OUT/SECTION.json.  `cost` wants an idle machine;
# all of it takes about a quarter of an hour on two cores, most of that the long horizons.

set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=jobs/setup.sh
source "$top/jobs/setup.sh"
ranks=${RANKS:-2}
mpi_environment "$ranks"
build_unroll
exec /usr/bin/python3 "$top/postprocess/mosaic.py" --program "$build/unroll" --out "${OUT:-$top/runs/mosaic}" --ranks "$ranks" "$@"
