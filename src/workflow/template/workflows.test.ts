/** Templates as authors of workflow files write them, each with its expected result. */
import { describe, expect, it } from 'vitest';
import { guardOf, textOf, valueOf } from './evaluating.cases.ts';

const names = {
  workflow: {
    name: 'triage-tickets',
    dir: '/flows',
    input: {
      org: 'acme',
      repo: 'shop',
      severity: 'high',
      branch: null,
      question: 'Why is the cart empty?',
      tickets: [
        { id: 'T-1', title: 'Cart is empty', labels: ['bug', 'ui'], votes: 4 },
        { id: 'T-2', title: 'Add dark mode', labels: [], votes: 9 },
        { id: 'T-3', title: 'Checkout "fails"', labels: ['bug'], votes: 0 },
      ],
      limits: { max_files: 3, dry_run: false },
    },
  },
  context: { iteration: 2, history: ['plan', 'code'] },
  planner: {
    output: {
      summary: '  Fix the cart  ',
      steps: ['read', 'patch', 'test'],
      risks: [],
      confidence: 0.825,
      approved: true,
      phase: 'planning',
    },
  },
  reviewer: {
    output: {
      decision: 'REQUEST_CHANGES',
      score: 6,
      feedback: 'Missing tests\nWrong branch',
      issues: [
        { file: 'a.ts', line: 3, severity: 'major', note: 'off by one' },
        { file: 'b.ts', line: 9, severity: 'minor', note: null },
      ],
    },
  },
  build: { output: { exit_code: 0, stdout: 'v1.10.0\n', stderr: '', coverage: 72.5 } },
  research: {
    outputs: { web: { answer: 'cookies' }, papers: { answer: 'none' } },
    errors: { forum: { kind: 'provider.rate_limited', message: 'Too many requests' } },
  },
  each_ticket: {
    outputs: [{ label: 'bug' }, null, { label: 'bug' }],
    errors: { '1': { kind: 'tool.failed', message: 'No such file' } },
    count: 3,
  },
  failing: {
    node: 'fetch_order',
    error: { kind: 'external.order.missing', message: 'No order 17', details: { order_id: 17 } },
    output: null,
  },
  gate: { output: { selected: 'apply', feedback: '' } },
  state: { seen: ['T-1'], tries: 1 },
  ticket: { id: 'T-2', title: 'Add dark mode' },
  _index: 1,
  _key: 'T-2',
};

describe('a prompt', () => {
  it.each([
    ['{{ workflow.input.org }}/{{ workflow.input.repo }}', 'acme/shop'],
    ['Question: {{ workflow.input.question }}\n', 'Question: Why is the cart empty?\n'],
    [
      '**Steps:**\n{% for step in planner.output.steps %}\n- {{ step }}\n{% endfor %}\nGo.',
      '**Steps:**\n\n- read\n\n- patch\n\n- test\n\nGo.',
    ],
    [
      '{%- for step in planner.output.steps %}\n{{ loop.index }}. {{ step }}\n{%- endfor %}',
      '\n1. read\n2. patch\n3. test',
    ],
    [
      '{% for issue in reviewer.output.issues %}[{{ issue.severity | upper }}] {{ issue.file }}:{{ issue.line }} {{ issue.note | default("no note") }}{% if not loop.last %}\n{% endif %}{% endfor %}',
      '[MAJOR] a.ts:3 off by one\n[MINOR] b.ts:9 no note',
    ],
    [
      '{% if reviewer is defined and reviewer.output and reviewer.output.decision == "REQUEST_CHANGES" %}Last review:\n{{ reviewer.output.feedback | indent(2, first=true) }}{% endif %}',
      'Last review:\n  Missing tests\n  Wrong branch',
    ],
    [
      '{% if committer is defined %}{{ committer.output.next }}{% else %}first round{% endif %}',
      'first round',
    ],
    [
      '{% if workflow.input.branch %}on {{ workflow.input.branch }}{% else %}on main{% endif %}',
      'on main',
    ],
    [
      '{% if planner.output.risks | length > 0 %}Risky{% else %}No known risks{% endif %}',
      'No known risks',
    ],
    ['{% for risk in planner.output.risks %}- {{ risk }}{% else %}None.{% endfor %}', 'None.'],
    [
      '{% if gate.output.feedback is defined and gate.output.feedback %}{{ gate.output.feedback }}{% endif %}',
      '',
    ],
    [
      'Round {{ context.iteration }} of 5, after {{ context.history | join(" > ") }}',
      'Round 2 of 5, after plan > code',
    ],
    ['Sure: {{ (planner.output.confidence * 100) | round(1) }} %', 'Sure: 82.5 %'],
    [
      '{% for name, result in research.outputs.items() %}{{ name }}: {{ result.answer }}; {% endfor %}',
      'web: cookies; papers: none; ',
    ],
    [
      '{% for name, error in research.errors | dictsort %}{{ name }} failed with {{ error.kind }}{% endfor %}',
      'forum failed with provider.rate_limited',
    ],
    [
      '{% for ticket in workflow.input.tickets if "bug" in ticket.labels %}{{ ticket.id }} {% endfor %}',
      'T-1 T-3 ',
    ],
    [
      '{% set top = workflow.input.tickets | sort(attribute="votes", reverse=true) | first %}{{ top.id }} with {{ top.votes }} votes',
      'T-2 with 9 votes',
    ],
    ['{{ planner.output.summary | trim | title }}', 'Fix The Cart'],
    ['{{ reviewer.output.feedback.split("\\n") | first | lower }}', 'missing tests'],
    ['{{ reviewer.output.feedback | replace("\\n", "; ") | truncate(20) }}', 'Missing tests;...'],
    [
      'Sorry: {{ failing.error.message }} ({{ failing.error.details.order_id }})',
      'Sorry: No order 17 (17)',
    ],
    [
      '{{ each_ticket.errors[1].message }} in {{ _key }} at {{ _index }}',
      'No such file in T-2 at 1',
    ],
    [
      '{%- if never_ran is defined -%}\n{{ never_ran.output.stdout | trim }}\n{%- else -%}\n{{ build.output.stdout | trim }}\n{%- endif -%}\n',
      'v1.10.0',
    ],
    [
      'print("{{ workflow.input.repo }}") # {{ "{{ not a tag }}" }}',
      'print("shop") # {{ not a tag }}',
    ],
    ['{% raw %}${{ secrets.TOKEN }}{% endraw %}', '${{ secrets.TOKEN }}'],
    [
      '{{ each_ticket.outputs | reject("none") | map(attribute="label") | unique | join(",") }}',
      'bug',
    ],
    [
      'Seen {{ state.seen | length }} of {{ workflow.input.tickets | length }}{{ "" if ticket.id in state.seen else ", new: " ~ ticket.id }}',
      'Seen 1 of 3, new: T-2',
    ],
  ])('%j', (source, expected) => {
    expect(textOf(source, names)).toBe(expected);
  });
});

describe('a value', () => {
  it.each([
    ['{{ workflow.input.tickets }}', names.workflow.input.tickets],
    ['{{ workflow.input.severity in ["high", "critical"] }}', true],
    [`{{ workflow.input.branch or 'main' }}`, 'main'],
    [`{{ workflow.input.model | default('small') }}`, 'small'],
    ['{{ build.output.stdout | trim }}', 'v1.10.0'],
    ['{{ state.tries + 1 }}', 2],
    ['{{ state.seen + [ticket.id] }}', ['T-1', 'T-2']],
    [
      `{{ {'ok': planner.output.approved, 'n': planner.output.steps | length} }}`,
      { ok: true, n: 3 },
    ],
    [
      '{"issues": {{ reviewer.output.issues | json }}, "score": {{ reviewer.output.score }} }',
      { issues: names.reviewer.output.issues, score: 6 },
    ],
    [
      '[{% for ticket in workflow.input.tickets %}{{ ticket.title | tojson }}{% if not loop.last %},{% endif %}{% endfor %}]',
      ['Cart is empty', 'Add dark mode', 'Checkout "fails"'],
    ],
    [
      '{{ workflow.input.tickets | map(attribute="votes") | sum / workflow.input.tickets | length }}',
      13 / 3,
    ],
    ['{{ workflow.input.limits.max_files * 2 }}s', '6s'],
    ['{{ never_ran.output.answer | default(planner.output.steps[-1]) }}', 'test'],
    [`{{ (research.outputs.web.answer if 'web' in research.outputs else none) }}`, 'cookies'],
  ])('%j', (source, expected) => {
    expect(valueOf(source, names)).toEqual(expected);
  });
});

describe('a guard', () => {
  const output = { ...names.build.output, phase: 'planning', all_complete: false };
  it.each([
    ['exit_code == 0', true],
    [`coverage >= 70 and phase == 'planning'`, true],
    [`phase == 'done' or phase == 'blocked'`, false],
    ['not all_complete', true],
    ['exit_code in [0, 3]', true],
    ['{{ output.all_complete }}', false],
    ['{{ not output.all_complete }}', true],
    [`{{ output.phase == 'planning' and output.coverage > 70 }}`, true],
    ['{{ output.stderr }}', false],
    [`{% if output.exit_code == 0 %}true{% else %}false{% endif %}`, true],
    [`{{ error.kind == 'tool.failed' if error is defined else false }}`, false],
    ['0 < coverage < 100', true],
    ['attempt | default(0) < 3', true],
  ])('%s', (source, expected) => {
    expect(guardOf(source, { ...output, output })).toBe(expected);
  });
});
