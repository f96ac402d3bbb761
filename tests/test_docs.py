#!/usr/bin/env python3
"""docs/options.md is what the program prints of its options.

    test_docs.py PROGRAM
"""
import difflib
import os
import subprocess
import sys

path = os.path.join(os.environ["UNR_SOURCE_DIR"], "docs", "options.md")
printed = subprocess.run([sys.argv[1], "help", "-markdown"], capture_output=True, text=True, check=True).stdout
written = open(path).read() if os.path.exists(path) else ""
if printed.count("| `-") < 20:
    sys.exit(f"the program prints hardly any option: {printed}")
if printed != written:
    sys.stdout.writelines(difflib.unified_diff(written.splitlines(True), printed.splitlines(True), path, "printed"))
    sys.exit("docs/options.md is stale; try: build/unroll help -markdown > docs/options.md")
