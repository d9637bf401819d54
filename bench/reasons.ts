/**
 * Why a goal is missed: where the processor's time goes, by profiles of 2026-11-18 on a busy machine (`perf` for whole
 * processes, three to five of each; V8's profiler for the rest). Shares of starts and resumes are of what Errand adds to its
 * limit. A text says so where no profile stands behind it.
 */
interface Reason {
  /** How the names of the rows begin that it explains. */
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
    text: 'Compiling the engine 46 %, which a process without a compile cache does anew; running it, the checksums and the fold of the log among it, 26 %, the kernel 11 %, optimising 6 %, the collector 3 %, SQLite 1 %. The limit has none of these: it is 1.1 times a bare Node.',
  },
  {
    rows: ['resume of 1000 steps by the command'],
    text: 'Running JavaScript, the checksums and the fold of the log among it, 44 %, optimising that on another thread 24 %, the collector 9 %, other threads 7 %, restoring kept code 6 %, the kernel 5 %, compiling the rest 5 %.',
  },
  {
    rows: ['W1: in memory'],
    text: 'Deciding and folding 22 %, the events and their text 22 %, starting and ending the effect 18 %, its key 10 %, the collector 10 %, turns of the loop the rest; `JSON.stringify` is 5 %, and no other function stands out.',
  },
  {
    rows: ['W2: SQLite normal, one run'],
    text: 'SQLite’s insert with its commit 32 %, the rest of the write queue 7 % (a look whether the file is still the same one 1 %), deciding and folding 12 %, the events and their text 10 %, the key of the effect 6 %, starting and ending the effect 6 %, the collector 7 %.',
  },
  {
    rows: ['W2: SQLite normal, 50 runs'],
    text: 'Each run has 20 steps, so a start is a fifth of it: a start writes rows for the run, its claim, its status and its head, and the end of the run writes the last three again. SQLite and its queue are 45 % of a start, making the run and its first step 29 %, the collector 7 %.',
  },
  {
    rows: ['W2: SQLite full'],
    text: 'Not profiled by itself: by the clock, it is the step of SQLite normal before each sync, whose shares stand there. Fifty runs share a sync only if all are ready at the same moment.',
  },
  {
    rows: ['W3: 1000 members, 50 at a time'],
    text: 'Deciding and folding 30 %, the events and their text 13 %, the write queue with SQLite 12 %, starting and ending effects 8 %, their keys 8 %, the collector 10 %. The 1,000 members share 21 commits, so the limit has no work for each of them but its 400 bytes.',
  },
  {
    rows: ['W3: a member of 10000'],
    text: 'Not profiled at this length. Two measurements since, on a machine with other work, found 0.9 and 1.3 times a member of 1,000, by the median.',
  },
  {
    rows: ['with a retry, a breaker and a deadline'],
    text: 'Setting the timer of the deadline 20 %, clearing it 9 %, the collector 10 %, reading the options 14 %, which an application by hand has as constants.',
  },
  {
    rows: ['a model call over loopback'],
    text: 'In our own code, by the least of many rounds (decision 31): parsing the events of the reply a second time 48 %, notes about them 27 %, redacting and storing the reply 9 %, clocks and timers 7 %, the response and its stream 5 %, finding the model 4 %. We look in them for errors under a good status; parsing them once would mean to replace the SDK’s parser.',
  },
  {
    rows: ['W7: peak memory'],
    text: 'Of what it adds, V8’s space for young objects is 60 %, what lives 15 % (1.4 kB for each run), pages of Node’s own code 7 %. V8 gives that space as long as nobody limits it: with `node --optimize-for-size` the peak is 100 MB, with `--max-old-space-size=40 --max-semi-space-size=1` 102 MB, for 35 to 50 % more processor time.',
  },
  {
    rows: ['W9: classify'],
    text: 'Within a hundredth of its goal. In a profile of `reportFrom`, where it is 45 %, no function of it has more than 5 %.',
  },
  {
    rows: ['W9: reportFrom'],
    text: 'Recognising what was thrown 60 % (of the whole, classifying is 39 %), building the report with its redaction 27 %; no function has more than 6 %. Measured one by one, on a busy machine, the parts add up to half of it: the other half appears only when they run one after another, also for one error again and again. It is neither the collector nor the map of finished reports, and plainer reads and fewer copies brought nothing that could be measured; counters of the processor, which would tell whether its caches are too small for all of the code, were not to be had.',
  },
  {
    rows: ['disk: file of a chain'],
    text: 'Its 1,001 commits 50 %, the plan of 1,000 nodes 40 %, which all runs of the same file share, a page for each of the other tables the rest. A second run adds 0.35 MB. To compress plans would make stores that earlier versions cannot read.',
  },
  {
    rows: ['PostgreSQL,'],
    text: 'The server and all processes share two cores, and the difference is less than the spread of the rounds.',
  },
];

export function reasonFor(row: string): string | undefined {
  return REASONS.find(({ rows }) => rows.some((begin) => row.startsWith(begin)))?.text;
}
