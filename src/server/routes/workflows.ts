/** The workflows that are served: read, judged, and replaced where that is allowed. */
import { z } from '@hono/zod-openapi';
import { REDACTED } from '../../errors/report/bounded-text.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { runGraph } from '../../history/workflow-graph.ts';
import { inputSchema } from '../../workflow/plan/input-schema.ts';
import { workflowNameIn } from '../../workflow/yaml/workflow-name.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, isUnchanged, jsonAnswer } from '../http/answer.ts';
import type { CheckedRequest, Route } from '../http/http-route.ts';
import { etagOf } from '../workflows/etag.ts';
import { invalidWorkflow, shownOf, type ServedWorkflow } from '../workflows/served-workflows.ts';
import { writeWhole } from '../workflows/write-whole.ts';

const YAML = ['application/yaml', 'text/yaml'];

const Verdict = z
  .looseObject({
    isValid: z.boolean(),
    files: z.array(z.looseObject({ file: z.string(), diagnostics: z.array(z.looseObject({})) })),
  })
  .openapi('Validation');

const InputSchema = z
  .looseObject({})
  .nullable()
  .openapi({ description: 'A JSON Schema; null where the file cannot be read.' });

const Row = z
  .looseObject({
    name: z.string(),
    file: z.string(),
    description: z.string().optional(),
    isValid: z.boolean(),
    errors: z.int(),
    warnings: z.int(),
    input: InputSchema,
    schedule: z.array(z.looseObject({ cron: z.string() })).optional(),
  })
  .openapi('WorkflowRow');

const GraphRoute = z.looseObject({
  rule: z.int(),
  bucket: z.enum(['success', 'error', 'workflow']),
  onError: z.union([z.literal(true), z.array(z.string())]).optional(),
  when: z.string().optional(),
  move: z.string(),
  to: z.string().optional(),
});

const Workflow = z
  .looseObject({
    name: z.string(),
    file: z.string(),
    description: z.string().optional(),
    text: z.string(),
    input: InputSchema,
    graph: z
      .looseObject({
        nodes: z.array(
          z.looseObject({
            name: z.string(),
            type: z.string(),
            group: z.string().optional(),
            routes: z.array(GraphRoute),
          }),
        ),
        entryPoint: z.string(),
      })
      .nullable(),
    validation: Verdict,
    rehearsal: z.looseObject({}).optional(),
  })
  .openapi('Workflow');

const WHOLE = {
  description: 'The workflow.',
  content: { 'application/json': Workflow },
  headers: { ETag: 'Changes with the text of the file.' },
};

export function workflowRoutes(core: ServerCore): readonly Route[] {
  return [...readRoutes(core), ...textRoutes(core)];
}

function readRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'listWorkflows',
      method: 'get',
      path: '/v1/workflows',
      summary: 'List the workflows that are served',
      role: 'read',
      answers: {
        200: {
          description: 'All of them.',
          content: {
            'application/json': z.looseObject({ workflows: z.array(Row) }).openapi('Workflows'),
          },
        },
      },
      refusals: ['store.unavailable'],
      handle: async () => jsonAnswer({ workflows: await rows(core) }),
    },
    {
      operationId: 'getWorkflow',
      method: 'get',
      path: '/v1/workflows/{name}',
      summary: 'Read a workflow with its graph and its validation',
      role: 'read',
      headers: { 'If-None-Match': 'The tag of the version that the client has.' },
      answers: { 200: WHOLE, 304: { description: 'The text has not changed.' } },
      refusals: ['workflow.not_found', 'store.unavailable'],
      handle: async (request) => {
        const served = await core.workflows.get(request.params['name'] ?? '');
        const { etag } = served;
        if (isUnchanged(request.raw, etag)) return emptyAnswer({ status: 304, headers: { etag } });
        return jsonAnswer(shown(core, served), { headers: { etag } });
      },
    },
  ];
}

/** Routes that take the text of a workflow. */
function textRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'validateWorkflow',
      method: 'post',
      path: '/v1/workflows/{name}/validate',
      summary: 'Validate a workflow, or a text in its place',
      role: 'read',
      body: { media: YAML },
      answers: {
        200: { description: 'The verdict.', content: { 'application/json': Verdict } },
      },
      refusals: ['workflow.not_found', 'store.unavailable'],
      handle: async ({ params, text }) =>
        jsonAnswer(await core.workflows.judge(params['name'] ?? '', text)),
    },
    {
      operationId: 'putWorkflow',
      method: 'put',
      path: '/v1/workflows/{name}',
      summary: 'Replace the file of a workflow',
      role: 'edit',
      closed: core.allowEdit ? undefined : 'The server was started without --allow-edit',
      headers: { 'If-Match': 'The tag of the text that is replaced.' },
      body: { media: YAML },
      answers: { 200: WHOLE },
      refusals: ['workflow.not_found', 'request.stale', 'validation.workflow', 'store.unavailable'],
      handle: (request) => replace(core, request),
    },
  ];
}

/** Workflows with a schedule show their next time and their last result. */
async function rows(core: ServerCore): Promise<readonly object[]> {
  const all = await core.workflows.all();
  const scheduled = all.flatMap(({ plan }) => (plan?.schedule === undefined ? [] : [plan]));
  const states =
    scheduled.length === 0 ? [] : await (await core.engine()).scheduleStates(scheduled);
  const byPlan = new Map(scheduled.map((plan, at) => [plan, states[at]]));
  return all.map((served) => {
    const schedule = served.plan === undefined ? undefined : byPlan.get(served.plan);
    const shown = schedule === undefined ? {} : shownOf({ schedule }, served.redactor);
    return { ...rowOf(served), ...shown };
  });
}

function rowOf({ name, file, verdict, plan, redactor }: ServedWorkflow): object {
  const all = verdict.files.flatMap(({ diagnostics }) => diagnostics);
  const count = (severity: string): number =>
    all.filter((diagnostic) => diagnostic.severity === severity).length;
  return {
    name,
    file,
    ...descriptionOf(plan, redactor),
    isValid: verdict.isValid,
    errors: count('error'),
    warnings: count('warning'),
    input: plan === undefined ? null : shownOf(inputSchema(plan), redactor),
  };
}

function descriptionOf(
  plan: ServedWorkflow['plan'],
  redactor: ServedWorkflow['redactor'],
): { readonly description?: string } {
  const description = plan?.description;
  return description === undefined ? {} : { description: redactor.values(description) };
}

/**
 * The text is shown without the secrets in it; the rest without the secrets that the text refers
 * to.
 */
function shown({ redactor, lastRehearsal }: ServerCore, served: ServedWorkflow): object {
  const { name, file, text, plan, verdict, redactor: own } = served;
  const rehearsal = lastRehearsal(name);
  return {
    name,
    file,
    ...descriptionOf(plan, own),
    text: text
      .split('\n')
      .map((line) => redactor.text(own.text(line)))
      .join('\n'),
    input: plan === undefined ? null : shownOf(inputSchema(plan), own),
    graph: plan === undefined ? null : shownOf(runGraph(plan), own),
    validation: verdict,
    ...(rehearsal === undefined ? {} : { rehearsal: shownOf(rehearsal, own) }),
  };
}

async function replace(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const name = request.params['name'] ?? '';
  const served = await core.workflows.get(name);
  const { text = '' } = request;
  refuseStale(request.raw.headers.get('if-match'), served.etag);
  if (text.includes(REDACTED))
    throw refusedText(served.file, `The text has ${REDACTED} in place of a secret`);
  const verdict = await core.workflows.judge(name, text);
  if (!verdict.isValid) throw invalidWorkflow(served.file, verdict);
  if (workflowNameIn(text).name !== name)
    throw refusedText(served.file, `The text has another \`workflow.name\` than ${name}`);
  await writeWhole(served.path, text, (now) => refuseStale(served.etag, etagOf(now)));
  const fresh = await core.workflows.get(name);
  return jsonAnswer(shown(core, fresh), { headers: { etag: fresh.etag } });
}

/** `*` would replace any text, and a weak tag does not prove that the text is the same. */
function refuseStale(ifMatch: string | null, etag: string): void {
  const tags = (ifMatch ?? '').split(',').map((tag) => tag.trim());
  if (tags.includes(etag)) return;
  throw new ErrandError({
    kind: 'request.stale',
    message:
      ifMatch === null
        ? 'The request has no If-Match, so it does not say which text it replaces'
        : 'The file is not the one that If-Match names',
  });
}

function refusedText(file: string, message: string): ErrandError {
  return new ErrandError({
    kind: 'validation.workflow',
    message: `${file} was not replaced: ${message}`,
    details: {
      diagnostics: [
        {
          severity: 'error',
          kind: 'validation.workflow',
          message,
          pointer: '',
          line: 1,
          column: 1,
        },
      ],
    },
  });
}
