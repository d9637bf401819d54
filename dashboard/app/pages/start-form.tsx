/**
 * The form that starts a run, made from the input schema. A refusal appears at its field; no typed
 * text is lost.
 */
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { fieldAt, fieldsOf, readForm, type Typed } from '../../form/schema-fields.ts';
import { Fields } from '../../form/schema-form.tsx';
import { ProblemBox } from '../../view/parts.tsx';
import type { WorkflowData } from '../../view/workflow-data.ts';
import { read, Refusal, v1 } from '../api.ts';
import { useAction } from '../hooks.ts';
import { go } from '../navigation.ts';

export function StartForm({ workflow }: { readonly workflow: WorkflowData }): JSX.Element {
  const fields = useMemo(() => fieldsOf(workflow.input ?? undefined) ?? [], [workflow.input]);
  const [typed, setTyped] = useState<Typed>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const { act, isBusy, problem } = useAction();
  const keys = useRef(new Map<string, string>());
  const form = useRef<HTMLFormElement>(null);
  const show = (found: Readonly<Record<string, string>>): void => {
    setErrors(found);
    const [first] = fields.filter(({ name }) => name in found);
    if (first !== undefined)
      requestAnimationFrame(() =>
        form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(first.name)}"]`)?.focus(),
      );
  };
  const start = async (): Promise<void> => {
    const filled = readForm(fields, typed);
    if (!filled.ok) return show(filled.errors);
    setErrors({});
    const body = { workflow: workflow.name, input: filled.value };
    try {
      const { run } = await read<{ readonly run: string }>(v1('runs'), {
        method: 'POST',
        json: body,
        headers: { 'idempotency-key': keyFor(keys.current, JSON.stringify(body)) },
      });
      go({ page: 'run', run });
    } catch (thrown) {
      const found = refusedField(thrown);
      if (found === undefined) throw thrown;
      show(found);
    }
    return undefined;
  };
  return (
    <form
      ref={form}
      aria-label="Start"
      class="start-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void act(start);
      }}
    >
      {problem !== undefined && <ProblemBox problem={problem} />}
      {fields.length === 0 && <p class="quiet">It takes no input.</p>}
      <Fields
        id="input"
        fields={fields}
        typed={typed}
        errors={errors}
        type={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
      />
      <button type="submit" class="primary" aria-disabled={isBusy}>
        Start
      </button>
    </form>
  );
}

/** The refusal by its field; undefined if it concerns no field. */
function refusedField(thrown: unknown): Readonly<Record<string, string>> | undefined {
  if (!(thrown instanceof Refusal)) return undefined;
  const field = fieldAt(thrown.problem['pointer'], '/input/');
  return field === undefined ? undefined : { [field]: thrown.problem.detail };
}

/** The same input sent again, because no answer came, starts no second run. */
function keyFor(keys: Map<string, string>, body: string): string {
  const known = keys.get(body);
  if (known !== undefined) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const key = `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  keys.set(body, key);
  return key;
}
