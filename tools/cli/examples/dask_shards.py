#!/usr/bin/env python3
"""Translates folders of shaders on a Dask cluster: a shard for each task, then one manifest.

    python3 dask_shards.py DUMPS... --out-dir OUT [--to spirv,reflection] [--shards 64]
                           [--scheduler tcp://HOST:8786] [--transpica PATH]

Without --scheduler it starts a cluster on this machine, of one process for each core. Workers of
another cluster need the folders and transpica under the same paths.

Exit status as transpica's: 1 if a program failed, the others are written. A task whose worker
is lost runs again, which writes only what is missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

from dask.distributed import Client, LocalCluster, as_completed


def translate(command):
    """Runs one shard on one core and returns its summary."""
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    # Status 1 with a summary: some programs failed, which the manifest lists.
    if ran.returncode not in (0, 1) or not ran.stdout:
        raise RuntimeError(f"{' '.join(command)}: {ran.stderr}")
    return json.loads(ran.stdout)


def check(out_dir, manifest):
    """Counts the results of a manifest; fails if one is missing."""
    count = 0
    for file in manifest["files"]:
        for program in file["programs"]:
            for output in program["outputs"]:
                size = (out_dir / output["file"]).stat().st_size
                if size != output["bytes"]:
                    raise RuntimeError(f"{output['file']} has {size} bytes, not {output['bytes']}")
                count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--out-dir", required=True, type=pathlib.Path)
    parser.add_argument("--to", default="spirv,reflection")
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--scheduler")
    parser.add_argument("--transpica", default="transpica")
    options = parser.parse_args()

    batch = [options.transpica, "translate", *map(str, options.paths), "--to", options.to]
    batch += ["--out-dir", str(options.out_dir), "--json", "--quiet"]
    commands = [[*batch, "--shard", f"{index}/{options.shards}"] for index in range(options.shards)]
    if options.scheduler:
        client = Client(options.scheduler)
    else:
        client = Client(LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, dashboard_address=None))
    with client:
        summaries = []
        tasks = client.map(translate, commands, retries=2, pure=False)
        for _, summary in as_completed(tasks, with_results=True):
            summaries.append(summary)
            print(f"{len(summaries)} of {options.shards} shards", file=sys.stderr)

    merged = options.out_dir / "manifest.json"
    parts = [summary["manifest"] for summary in summaries]
    subprocess.run([options.transpica, "manifest", *parts, "-o", str(merged)], check=True)
    manifest = json.loads(merged.read_text())
    for name, count in manifest["counts"].items():
        assert count == sum(summary["counts"][name] for summary in summaries), name
    results = check(options.out_dir, manifest)
    written = sum(summary["written"] for summary in summaries)
    counts = manifest["counts"]
    print(f"{counts['files']} files, {counts['programs']} programs, {counts['failed']} failed;"
          f" {results} results, {written} of them written now")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
