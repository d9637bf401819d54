/**
 * `errand draft` as what it drafts: a workflow. A model writes, a check refuses, the model is told
 * why. So a draft is stored, on the bill and resumable like any run.
 */
import type { LoadedWorkflow } from '../../drivers/load-file.ts';
import { nodeFiles } from '../../drivers/files.ts';
import { ErrandError } from '../../errors/errand-error.ts';
import type { Diagnostic } from '../../workflow/diagnostics.ts';
import { IN_CODE, type WorkflowPlan } from '../../workflow/model.ts';
import { loadWorkflowText } from '../../workflow/load/workflow.ts';
import { validateLoaded } from '../../workflow/validate.ts';
import { draftGuide } from './guide.ts';
import { CHECK_FUNCTION, DRAFT_INVALID, MAX_ROUNDS, WRITER } from './names.ts';

const FILE = `${IN_CODE}draft`;

const PROMPT = `{{ workflow.input.goal }}
{% if state.round > 0 %}

Your last file:

{{ write.output.result }}

The validator refuses it:

{{ check.error.details.diagnostics | join('\\n') }}

Write the whole file again, corrected.
{% endif %}`;

interface Known {
  readonly functions: readonly string[];
  readonly tools: readonly string[];
}

export interface DraftRequest {
  readonly model: string;
  /** What a sim/ model answers: a file with a list of entries. */
  readonly simulate?: string;
}

/** Throws a refusal for a model that does not exist, or a script that cannot be read. */
export function draftWorkflow({ model, simulate }: DraftRequest): LoadedWorkflow {
  const script = simulate === undefined ? {} : { simulate: { [simulatedName(model)]: simulate } };
  const document = {
    workflow: {
      name: 'draft',
      entry_point: WRITER,
      description: 'A model writes a workflow file, and is told what is wrong with it.',
      input: { goal: { type: 'string' } },
      limits: { max_iterations: 4 * MAX_ROUNDS, timeout_seconds: 900 },
      on_unhandled: 'fail',
      state: { round: { type: 'number', default: 0, merge: 'sum' } },
      ...(simulate === undefined ? {} : { runtime: script }),
    },
    nodes: [
      {
        name: WRITER,
        type: 'agent',
        model,
        // what it says about variables is not to be filled in
        system_prompt: `{% raw %}${draftGuide().replaceAll('${', () => '$${')}{% endraw %}`,
        prompt: PROMPT,
        tools: [],
        max_tokens: 8000,
        timeout_seconds: 300,
        routes: [{ to: 'check' }],
      },
      {
        name: 'check',
        type: 'call',
        function: CHECK_FUNCTION,
        arguments: { text: '{{ write.output.result }}', round: '{{ state.round }}' },
        idempotent: true,
        raises: [DRAFT_INVALID],
        routes: [{ to: '$end' }, { on_error: DRAFT_INVALID, to: 'again' }],
      },
      { name: 'again', type: 'set', value: true, state: { round: 1 }, routes: [{ to: WRITER }] },
    ],
    output: { file: '{{ check.output.file }}' },
  };
  const loaded = loadWorkflowText(JSON.stringify(document), {
    file: FILE,
    files: nodeFiles(process.cwd()),
    environment: process.env,
  });
  const known = (): Known => ({ functions: [CHECK_FUNCTION], tools: [] });
  const { plan, files, secrets } = validateLoaded(FILE, loaded, { asTop: true, known });
  if (plan !== undefined) return { plan: withoutLines(plan), file: '', secrets, warnings: [] };
  // the text is ours, so what is wrong with it was typed
  const [first] = files.flatMap(({ diagnostics }) => diagnostics).filter(isError);
  const { message = 'No draft can be asked for like this', suggestion } = first ?? {};
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  const detail = `Look at --model and --simulate.${meant}`;
  throw new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail },
  });
}

/** It lies in no file, so a line of it is nowhere that anybody could look. */
function withoutLines(plan: WorkflowPlan): WorkflowPlan {
  const text = JSON.stringify(plan, (key, value: unknown) =>
    key === 'line' || key === 'column' ? undefined : value,
  );
  return JSON.parse(text) as WorkflowPlan;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function simulatedName(model: string): string {
  return model.replace(/^sim\//, '');
}
