/** `docs/classification-compared.md`: the classifier beside the rules of three other systems, entry by entry. */
import { COMPARED } from '../../bench/compared/compared-entries.ts';
import { readVerdicts, type System, type Verdict } from '../../bench/compared/verdicts.ts';
import { extractFailure } from '../../src/providers/extract/extract.ts';
import { classify } from '../../src/providers/classify/classify.ts';
import { FIRST_SIGHT } from '../../test/corpus/first-sight.ts';
import type { Entry } from '../../test/corpus/entries.ts';

export const COMPARED_PAGE = 'docs/classification-compared.md';

const NOW_MS = Date.parse('2026-11-15T00:00:00Z');

const SYSTEMS: Readonly<Record<System, string>> = {
  ai: 'AI SDK 7.0',
  litellm: 'LiteLLM 1.106.2',
  pipelex: 'Pipelex 0.92.2',
};

/** One question, the entries that it covers, and whether a verdict answers it correctly. */
interface Question {
  readonly asks: string;
  readonly isAbout: (entry: Entry) => boolean;
  readonly isRight: (verdict: Verdict, entry: Entry) => boolean;
}

const QUESTIONS: readonly Question[] = [
  {
    asks: 'sends the request again exactly where that can help',
    isAbout: () => true,
    isRight: ({ retries }, { expect }) => retries === expect.retryable,
  },
  {
    asks: 'does not retry a spent quota or an empty account',
    isAbout: ({ expect }) => expect.kind === 'provider.quota_exhausted',
    isRight: ({ retries, named }) => !retries && named !== null,
  },
  {
    asks: 'names a spent quota as one',
    isAbout: ({ expect }) => expect.kind === 'provider.quota_exhausted',
    isRight: ({ named }) => QUOTA.test(named ?? ''),
  },
  {
    asks: 'names an overflow of the context window',
    isAbout: ({ expect }) => expect.kind === 'provider.context_length',
    isRight: ({ named }) => OVERFLOW.test(named ?? ''),
  },
  {
    asks: 'names a refusal by a content filter',
    isAbout: ({ expect }) => expect.kind === 'provider.content_filter',
    isRight: ({ named }) => FILTER.test(named ?? ''),
  },
  {
    asks: 'notices a failure under HTTP 200',
    isAbout: ({ status }) => status !== null && status < 300,
    isRight: ({ named }) => named !== null,
  },
];

// the words of all systems for these three: classes of LiteLLM, codes of Pipelex, kinds of Errand
const QUOTA = /quota|PaymentRequired|BudgetExceeded|capacity/i;
const OVERFLOW = /ContextWindow|context_length|context_window/i;
const FILTER = /ContentPolicy|content_filter|content-filter|content_policy|refus/i;

const INTRODUCTION: readonly string[] = [
  '# Classification, compared',
  '',
  '<!-- Generated from bench/compared and test/corpus by `npm run docs`. -->',
  '',
  `Four systems met the same ${COMPARED.length} responses of providers, gateways and runtimes. Each response went over the`,
  'loopback interface to the real client of each system; the question is what the system makes of it. The entries',
  'with their labels are in [test/corpus](../test/corpus/README.md), the recorded verdicts in',
  '[bench/compared/verdicts.jsonl](../bench/compared/verdicts.jsonl).',
];

const CAVEATS: readonly string[] = [
  '## Read this table with care',
  '',
  '- **Errand has an advantage here.** Its rules were mended after the entries had been scored once, so the last column',
  '  says only that nothing fell back. The figures for failures that it had never seen are below.',
  '- The labels are ours: what would make the failure go away decides. Entries that two careful people could label',
  '  differently are left out.',
  '- Every system is asked for one decision, and none is asked for more than it offers. The AI SDK has one word for all',
  '  failures (`APICallError`) and a flag; it does not try to name a quota or an overflow.',
  '- **AI SDK**: `generateText` with `maxRetries: 0`; it retries an `APICallError` whose `isRetryable` is true.',
  '- **LiteLLM**: `litellm.completion` by the protocol of the provider; it retries where `Router.should_retry_this_error`',
  '  lets the exception pass with one healthy deployment.',
  '- **Pipelex**: the official SDK of the provider, then its own extraction and `classify_inference_error`; it retries the',
  '  category `transient`. It looks at stop reasons in its workers, which are not run here, so the last row says nothing',
  '  about them.',
];

const FIRST_SIGHT_TABLE: readonly string[] = [
  '## At first sight',
  '',
  'Errand on entries that were collected and labelled before its rules had met them, each scored once:',
  '',
  '| examination | n | kind (95 % interval) | category | retryable (95 % interval) | hints |',
  '|---|---|---|---|---|---|',
  ...FIRST_SIGHT.map(
    ({ name, entries, kind, category, retryable, hints }) =>
      `| ${name} | ${entries} | ${withInterval(kind, entries)} | ${category} | ${withInterval(retryable, entries)} | ${hints} |`,
  ),
];

/** Wilson's interval: the likely share among failures of the same sort. */
function withInterval(share: string, n: number): string {
  const z = 1.96;
  const p = Math.round((Number.parseFloat(share) / 100) * n) / n;
  const centre = p + (z * z) / (2 * n);
  const reach = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const [low, high] = [centre - reach, centre + reach].map(
    (bound) => (100 * bound) / (1 + (z * z) / n),
  );
  return `${share} (${low?.toFixed(0)} to ${high?.toFixed(0)})`;
}

const CHECK: readonly string[] = [
  '## Check it',
  '',
  '```sh',
  'python3 -m venv /tmp/compared && /tmp/compared/bin/pip install -r bench/compared/requirements.txt',
  'npm test -- sdk-parity                                          # installs the SDKs',
  'npx node bench/compared/ask-peers.ts /tmp/compared/bin/python   # asks the three again',
  'npm run docs                                                    # writes this page',
  '```',
];

export function renderClassificationCompared(): string {
  const pages = [INTRODUCTION, scoreTable(), CAVEATS, FIRST_SIGHT_TABLE, CHECK];
  return `${pages.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function scoreTable(): readonly string[] {
  return [
    `| it … | n | ${Object.values(SYSTEMS).join(' | ')} | Errand |`,
    `|---|---|${'---|'.repeat(Object.keys(SYSTEMS).length + 1)}`,
    ...scoreRows(),
  ];
}

function scoreRows(): readonly string[] {
  const others = readVerdicts();
  return QUESTIONS.map((question) => {
    const about = COMPARED.filter(question.isAbout);
    const scores = [
      ...Object.keys(SYSTEMS).map((system) =>
        score(
          question,
          about,
          others.filter((verdict) => verdict.system === system),
        ),
      ),
      score(question, about, about.map(ownVerdict)),
    ];
    return `| ${question.asks} | ${about.length} | ${scores.join(' | ')} |`;
  });
}

function ownVerdict(entry: Entry): Verdict {
  const failure = extractFailure(entry);
  const { kind, retryable } =
    failure === undefined ? { kind: null, retryable: null } : classify(failure, { nowMs: NOW_MS });
  return { id: entry.id, system: 'ai', retries: retryable === true, named: kind };
}

function score(
  { isRight }: Question,
  about: readonly Entry[],
  verdicts: readonly Verdict[],
): string {
  const byId = new Map(verdicts.map((verdict) => [verdict.id, verdict]));
  const right = about.filter((entry) => {
    const verdict = byId.get(entry.id);
    return verdict !== undefined && isRight(verdict, entry);
  }).length;
  return `${((100 * right) / Math.max(1, about.length)).toFixed(1)} %`;
}
