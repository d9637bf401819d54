/**
 * The reasons for missed goals: where the processor's time goes, by profiles of 2026-11-18 and 19
 * on a busy machine (`perf` for whole processes, three to five of each; V8's profiler for the
 * rest). Shares of starts and resumes refer to the time that Errand adds to its limit. A text says
 * so if no profile supports it.
 */
interface Reason {
  /** The beginnings of the names of the rows that it explains. */
  readonly rows: readonly string[];
  readonly text: string;
}

const REASONS: readonly Reason[] = [
  {
    rows: ['`errand validate'],
    text: 'JavaScript that runs once 41 %, the kernel (memory, files) 18 %, restoring kept code 10 %, compiling the rest 7 %, compiling in the background 7 %, the collector 6 %, Node opening and closing more 6 %, optimising 3 %. The largest single parts are the streams of Node that stdout needs and its `zlib` for the checksum of kept code, 2 to 3 ms each; building schemas is about 3 ms, spread over 40 files.',
  },
  {
    rows: ['`errand run'],
    text: 'JavaScript that runs once 39 %, the kernel 21 %, restoring kept code 9 %, compiling the rest 7 %, optimising 6 %, compiling in the background 5 %, the collector 5 %, SQLite 1 %. It reads 1.9 MB of code that was kept for 1.9 MB of text.',
  },
  {
    rows: ['import of `errand`'],
    text: 'Compiling the catalog, the report and the redaction 46 %, running them once 33 %, compiling and optimising in the background 16 %. An application decides about the compile cache of its own process.',
  },
  {
    rows: ['resume of 1000 steps by the library'],
    text: 'Compiling the engine 46 %, which a process without a compile cache does anew; running it, the checksums and the fold of the log among it, 26 %, the kernel 11 %, optimising 6 %, the collector 3 %, SQLite 1 %. The limit has none of these: it is 1.1 times a bare Node. Where the application has a compile cache (`NODE_COMPILE_CACHE`) it is 3.0 times the limit instead of 3.8, in the same rounds. By steps, the least of 9 processes: Node 22 ms, import 16, opening with the engine’s code 40, resume 23, the rest 5. No function is called in 63 % of the code that it loads, but that is hundreds of small parts, the largest 11 kB; with nothing left of 2,168 functions that it never calls, half of the text, it costs 10 % less (25 pairs). Without its white space the code costs 1 % less, with short names 4 %.',
  },
  {
    rows: ['resume of 1000 steps by the command'],
    text: 'Running JavaScript, the checksums and the fold of the log among it, 44 %, optimising that on another thread 24 %, the collector 9 %, other threads 7 %, restoring kept code 6 %, the kernel 5 %, compiling the rest 5 %.',
  },
  {
    rows: ['resume of a run of 1000 steps, from process start'],
    text: 'The work of W4 by the library, by the clock, in a process with a compile cache.',
  },
  {
    rows: ['W1: in memory'],
    text: 'Deciding and folding 22 %, the events and their text 22 %, starting and ending the effect 18 %, its key 10 %, the collector 10 to 17 % (a memory store keeps all of its runs), turns of the loop the rest; `JSON.stringify` is 5 %, and no other function stands out. A step allocates 24 kB, of which no function has more than 6 %. The shares are older than a step with fewer promises (decision 33), which costs 6 to 7 % less.',
  },
  {
    rows: ['W2: SQLite normal, one run'],
    text: 'SQLite’s insert with its commit 43 %, the rest of the write queue 5 %, deciding and folding 9 %, the collector 10 %, starting and ending the effect 8 %, the events and their text 7 %, the key of the effect 6 %. An effect has one key, of two blocks of its hash, and a commit has one statement.',
  },
  {
    rows: ['W2: SQLite normal, 50 runs'],
    text: 'Each run has 20 steps, so a start is a fifth of it: a start writes rows for the run, its claim, its status and its head, and the end of the run writes the last three again, 18 statements with what is read for them. SQLite and its queue are 45 % of a start, making the run and its first step 29 %, the collector 7 %.',
  },
  {
    rows: ['W2: SQLite full'],
    text: 'By the clock, SQLite with its syncs is 60 % of fifty runs at once. A run of four steps has five commits and the release of its claim, where the limit has four. A release that is not synced would be one sync less, but then what is broken at the end of the log after a power cut would be no sign of damage any more. Fifty runs share a sync only if all are ready at the same moment.',
  },
  {
    rows: ['W3: 1000 members, 50 at a time'],
    text: 'Deciding and folding 32 %, the keys of the effects 5 % among it, the collector 19 %, the events and their text 15 %, the write queue with SQLite 14 %, starting and ending effects 10 %. A member allocates 24 kB, of which no function has more than 6 %. The 1,000 members share 21 commits, so the limit has no work for each of them but its 400 bytes.',
  },
  {
    rows: ['W3: a member of 10000'],
    text: 'Not profiled at this length. Two measurements since, on a machine with other work, found 0.9 and 1.3 times a member of 1,000, by the median.',
  },
  {
    rows: ['with a retry, a breaker and a deadline'],
    text: 'The timer of the deadline is the largest part, although durations that repeat keep their list of timers (decision 35): it was 0.93 and 0.94 times its limit on a busy machine.',
  },
  {
    rows: ['a model call over loopback'],
    text: 'Errand calls the model itself, without the pipeline of the AI SDK around it (decision 34): on a busy machine a call cost 340 µs less than the AI SDK alone by the clock, and 440 µs less of the processor.',
  },
  {
    rows: ['W7: peak memory'],
    text: 'Since handles are smaller it is 150 to 168 MB on a busy machine, 60 of them without a run. Of what it adds, V8’s space for young objects is 60 %, older objects 18 %, of which 7 MB live (0.7 kB for each run). V8 doubles that space whenever as much has survived in it as it holds: it has 32 MB twice when 31 MB have. 10,000 handles are 14 MB of that, because each is copied twice, and the hundred starts that are under way at a time survive once whenever the space is emptied, 0.4 to 1 MB each time. A start allocates 58 kB, of which no function has more than 5 %; with half of it, it would still be 23 MB. V8 gives that space as long as nobody limits it: with `node --optimize-for-size` the peak is 100 to 104 MB, for 35 to 50 % more processor time.',
  },
  {
    rows: ['W9: classify'],
    text: 'Between 8.0 and 9.2 µs on different days, where the code of both days takes the same on one. In a profile of `reportFrom`, where it is 45 %, no function of it has more than 5 %.',
  },
  {
    rows: ['W9: reportFrom'],
    text: 'Recognising what was thrown 60 % (of the whole, classifying is 39 %), building the report with its redaction 27 %; no function has more than 5 %. It depends on what else the machine does more than any other row: the least of 60 rounds was 23 µs with a load of 7, and 33 with one of 15, by the same code. Measured one by one, the parts add up to half of it; counters of the processor, which would tell whether its caches are too small for all of the code, were not to be had.',
  },
  {
    rows: ['disk: file of a chain'],
    text: 'Its 1,001 commits are 76 %, the packed plan of 1,000 nodes (decision 35) 9 %, a page for each of the other tables the rest.',
  },
  {
    rows: ['PostgreSQL,'],
    text: 'The server and all processes share two cores, and the sessions of the server take more than half of a step. A step has one commit and one round trip, and the rest of a run two more of each (decision 11).',
  },
];

export function reasonFor(row: string): string | undefined {
  return REASONS.find(({ rows }) => rows.some((begin) => row.startsWith(begin)))?.text;
}
