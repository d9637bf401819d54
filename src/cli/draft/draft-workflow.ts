/**
 * The built-in workflow of `errand draft`: a model writes, a check refuses, the model gets the
 * diagnostics. As a run, a draft is stored, has costs and can be resumed.
 */
import type { RunnableWorkflow } from '../../engine/errand-options.ts';
import { nodeFiles } from '../../engine/loading/node-files.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { adviceOf, type Diagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import { IN_CODE, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import { loadWorkflowText } from '../../workflow/yaml/load-workflow.ts';
import { validateLoaded } from '../../workflow/check/validate-workflow.ts';
import { checkDraft } from './check-draft.ts';
import { draftGuide } from './guide.ts';
import { CHECK_FUNCTION, DRAFT_INVALID, MAX_ROUNDS, WRITER } from './draft-names.ts';

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
  /** The replies of a sim/ model: a file with a list of entries. */
  readonly simulate?: string;
}

/** Throws a refusal for a model that does not exist, or a script that cannot be read. */
export function draftWorkflow({ model, simulate }: DraftRequest): RunnableWorkflow {
  const script = simulate === undefined ? {} : { simulate: { [simulatedName(model)]: simulate } };
  const document = {
    workflow: {
      name: 'draft',
      entry_point: WRITER,
      description: 'A model writes a workflow file and corrects the errors that validation finds.',
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
        // the guide mentions variables and templates, which must not be expanded
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
  if (plan !== undefined)
    return { plan: withoutLines(plan), secrets, functions: { [CHECK_FUNCTION]: checkDraft } };
  // the document is ours, so the error comes from the options
  const [first] = files.flatMap(({ diagnostics }) => diagnostics).filter(isError);
  const { message = 'The draft cannot be started', suggestion } = first ?? {};
  const hint = suggestion === undefined ? '' : ` ${adviceOf(suggestion)}`;
  const detail = `Check --model and --simulate.${hint}`;
  throw new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail },
  });
}

/** The document is in no file, so its line numbers mean nothing. */
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
