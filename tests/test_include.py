#!/usr/bin/env python3
"""Includes point to earlier rooms: a file uses its own folder and those before it in src/ORDER, and only its own *_impl.h.

Comments that name a page of docs/ name one that exists."""
import os
import re
import sys

source = os.environ["UNR_SOURCE_DIR"]
src = os.path.join(source, "src")
with open(os.path.join(src, "ORDER")) as file:
    order = file.read().split()
wrong, files = [], 0

for directory, _, names in sorted(os.walk(src)):
    for name in sorted(names):
        if not name.endswith((".c", ".h")):
            continue
        files += 1
        path = os.path.relpath(os.path.join(directory, name), src)
        room = path.split(os.sep)[0]
        if room not in order:
            wrong.append(f"src/{path}: the room {room} is not in src/ORDER")
            continue
        with open(os.path.join(src, path)) as file:
            text = file.read()
        for line, include in enumerate(text.splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', include)
            if not match:
                continue
            target, where = match.group(1), f"src/{path}:{line}"
            if target.startswith("unroll/"):
                if not os.path.exists(os.path.join(source, "include", target)):
                    wrong.append(f"{where}: no include/{target}")
                continue
            other = target.split("/")[0]
            if "/" not in target:
                wrong.append(f'{where}: "{target}" names no room')
            elif not os.path.exists(os.path.join(src, target)):
                wrong.append(f"{where}: no src/{target}")
            elif other not in order or order.index(other) > order.index(room):
                wrong.append(f"{where}: {room} comes before {other} in src/ORDER")
            elif target.endswith("_impl.h") and other != room:
                wrong.append(f"{where}: {target} is for src/{other}/ only")
        if name.endswith(".h") and "#pragma once" not in text and not re.search(r"list\.h$|_body\.h$", name):
            wrong.append(f"src/{path}: no #pragma once")

# A comment that sends the reader to a page of docs/ must find it there.
pages = 0
for room in ("src", "include", "docs", "inputs", "jobs", "tests"):
    for directory, _, names in sorted(os.walk(os.path.join(source, room))):
        for name in sorted(names):
            path = os.path.join(directory, name)
            with open(path, errors="replace") as file:
                text = file.read()
            for page in sorted(set(re.findall(r"docs/[\w/-]+\.md", text))):
                pages += 1
                if not os.path.exists(os.path.join(source, page)):
                    wrong.append(f"{os.path.relpath(path, source)}: no {page}")
if pages < 20:
    wrong.append(f"only {pages} mentions of docs/: the search is broken")

if files < 20:
    wrong.append(f"only {files} files in {src}: the walk is broken")
print("\n".join(wrong) or f"{files} files keep the order")
sys.exit(bool(wrong))
