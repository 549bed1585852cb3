"""Solves deals with DDS through endplay, for `main.rs`: a deal on each line of standard
input; on each line of output CPU seconds and the twenty values, strains S, H, D, C, NT by
declarers N, E, S, W. The answer to an empty line is the peak memory use in KiB."""

import resource
import sys
import time

from endplay import _dds
from endplay.dds import calc_dd_table
from endplay.types import Deal

_dds.SetMaxThreads(1)
for line in sys.stdin:
    text = line.strip()
    if not text:
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, flush=True)
        continue
    deal = Deal(text)
    # The CPU time of the whole process, including its threads.
    before = time.process_time()
    table = calc_dd_table(deal)
    took = time.process_time() - before
    print(took, *(tricks for row in table.to_list() for tricks in row), flush=True)
