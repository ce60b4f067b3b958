#!/usr/bin/env python3
"""Writes the generated part of the corpus: `cases/`.

Expected results come from the definitions in `gen/` (exact arithmetic on whole numbers and fractions), never from
running anything. `--check` writes nothing and fails if the committed files differ.
"""

import sys
from pathlib import Path

from gen import approx, atomics, compare, control, convert, corpus, floats, integers, matrix, memory, moves, warp

CASES = Path(__file__).parent / "cases"


def main():
    files = corpus.Corpus()
    for topic in (integers, floats, approx, compare, convert, matrix, memory, atomics, moves, warp, control):
        topic.generate(files)
    if "--check" not in sys.argv:
        files.write(CASES)
        return
    wrong = files.differences(CASES)
    if wrong:
        sys.exit("not as generated: " + ", ".join(wrong[:10]))


if __name__ == "__main__":
    main()
