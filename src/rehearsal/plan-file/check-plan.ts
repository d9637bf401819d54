/** Checks a plan against the workflow that it is for: nodes, gates, options, kinds and given values. */
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { isKindName, isReservedKind } from '../../errors/catalog/kinds.ts';
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import type { Problem, ReportProblem } from '../../workflow/diagnostics/problem.ts';
import type { Path } from '../../workflow/plan/pointer.ts';
import type { PlannedFault, RehearsalPlan } from '../../workflow/rehearsal-plan/plan-schema.ts';
import { MOVES } from '../../workflow/plan/route-plan.ts';
import { notAKind } from '../../workflow/rules/kind-rules.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import { NEVER } from '../play/scripted-person.ts';
import { chosenOption } from '../play/play-trace.ts';
import { possibleNames } from '../scenarios/possible-names.ts';
import { runtimeOf, type WorldValues } from '../values/world-values.ts';
import { hasEffect, subjectOf } from './fault-subject.ts';

export function checkPlan(
  atlas: Atlas,
  values: WorldValues,
  plan: RehearsalPlan,
): readonly Problem[] {
  const problems: Problem[] = [];
  const check = new PlanCheck(atlas, values, (problem) => problems.push(problem));
  for (const name of Object.keys(plan.given ?? {}))
    check.given(name, plan.given?.[name] ?? null, ['given', name]);
  check.answers(plan.answers, ['answers']);
  check.input(plan.input, ['input']);
  for (const kind of Object.keys(plan.details ?? {})) check.kind(kind, ['details', kind], 'key');
  const made = possibleNames({ atlas, values, details: {} });
  for (const [index, scenario] of (plan.scenarios ?? []).entries()) {
    const { name: title, faults = [], answers, input, expect } = scenario;
    const path: Path = ['scenarios', index];
    if (made.has(title)) check.taken(title, [...path, 'name']);
    for (const [at, fault] of faults.entries()) check.fault(fault, [...path, 'faults', at]);
    check.answers(answers, [...path, 'answers']);
    check.input(input, [...path, 'input']);
    for (const name of Object.keys(expect?.effects ?? {}))
      check.node(name, [...path, 'expect', 'effects', name], 'key');
    if (expect?.at !== undefined) check.node(expect.at, [...path, 'expect', 'at'], 'value');
    for (const [at, route] of (expect?.routes ?? []).entries())
      check.route(route, [...path, 'expect', 'routes', at]);
  }
  return problems;
}

class PlanCheck {
  readonly #atlas: Atlas;
  readonly #values: WorldValues;
  readonly #report: ReportProblem;

  constructor(atlas: Atlas, values: WorldValues, report: ReportProblem) {
    this.#atlas = atlas;
    this.#values = values;
    this.#report = report;
  }

  /** The place of a name or a path. */
  node(name: string, path: Path, at: 'key' | 'value'): Place | undefined {
    const place = placeNamed(this.#atlas, name);
    if (place !== undefined) return place;
    const meant = suggest(
      name,
      this.#atlas.places.map((each) => each.name),
    );
    this.#report({
      code: 'unknown-node',
      message: `No node is called ${quoted(name)}`,
      path,
      at,
      ...(meant === undefined ? {} : { suggestion: meant }),
    });
    return undefined;
  }

  /** A generated scenario already has this name. */
  taken(name: string, path: Path): void {
    this.#report({
      code: 'duplicate-name',
      message: `The rehearsal makes a scenario ${quoted(name)} of its own`,
      path,
    });
  }

  /** `NODE KIND MOVE`. */
  route(text: string, path: Path): void {
    const [node = '', kind = '', move = '', ...more] = text.trim().split(/\s+/);
    const isMove = MOVES.some((known) => known === move);
    if (!isMove || more.length > 0)
      this.#report({
        code: 'bad-value',
        message: `${quoted(text)} is not a route`,
        path,
        expected: `NODE KIND MOVE, with one of the moves ${MOVES.join(', ')}`,
      });
    else {
      this.node(node, path, 'value');
      this.kind(kind, path);
    }
  }

  given(name: string, value: JsonValue, path: Path): void {
    const place = this.node(name, path, 'key');
    const schema = place === undefined ? undefined : this.#values.schemaOf(place);
    if (place === undefined || schema === undefined) return;
    const base = this.#values.base(place);
    const isPart = isJsonObject(value) && isJsonObject(base);
    const [finding] = checkValue(schema, isPart ? { ...base, ...value } : value);
    if (finding === undefined) return;
    this.#report({
      code: 'bad-value',
      message: `The value given for ${quoted(name)} does not fit its output: ${finding.pointer} ${finding.message}`,
      path,
    });
  }

  answers(answers: Readonly<Record<string, JsonValue>> | undefined, path: Path): void {
    for (const [name, value] of Object.entries(answers ?? {})) {
      const at = [...path, name];
      const place = this.node(name, at, 'key');
      if (place === undefined || value === NEVER) continue;
      const options = optionsOf(place);
      const chosen = chosenOption(value);
      if (options.length === 0)
        this.#report({
          code: 'bad-value',
          message: `${quoted(name)} takes no answer: it is not a gate, and none of its routes asks`,
          path: at,
          at: 'key',
        });
      else if (!options.includes(chosen))
        this.#report({
          code: 'bad-value',
          message: `${JSON.stringify(chosen)} is not an option of ${quoted(name)}`,
          path: at,
          expected: `one of ${options.map(String).join(', ')}, or never`,
        });
    }
  }

  input(input: Readonly<Record<string, JsonValue>> | undefined, path: Path): void {
    const fields = this.#atlas.plan.input;
    for (const [name, value] of Object.entries(input ?? {})) {
      const field = fields[name];
      const meant = suggest(name, Object.keys(fields));
      if (field === undefined)
        this.#report({
          code: 'unknown-input',
          message: `The workflow has no input ${quoted(name)}`,
          path: [...path, name],
          at: 'key',
          ...(meant === undefined ? {} : { suggestion: meant }),
        });
      const [finding] = field === undefined ? [] : checkValue(field.schema, value);
      if (finding !== undefined)
        this.#report({
          code: 'bad-value',
          message: ['The input', quoted(name), finding.pointer, finding.message]
            .filter((part) => part !== '')
            .join(' '),
          path: [...path, name],
        });
    }
  }

  kind(kind: string, path: Path, at: 'key' | 'value' = 'value'): void {
    if (!isKindName(kind)) {
      this.#report({ ...notAKind(kind, path), at });
      return;
    }
    const isKnown = RUNTIME_KINDS.some((known) => known === kind);
    if (isKnown || !isReservedKind(kind)) return;
    const meant = suggest(kind, RUNTIME_KINDS);
    this.#report({
      code: 'unknown-kind',
      message: `${quoted(kind)} is under a prefix of the runtime, and no kind of the catalog`,
      path,
      at,
      ...(meant === undefined ? {} : { suggestion: meant }),
    });
  }

  #tries({ try: tries }: PlannedFault, path: Path): void {
    const [, from, to] = /^(\d+)-(\d+)$/.exec(String(tries ?? '')) ?? [];
    if (from === undefined || Number(from) <= Number(to)) return;
    this.#report({
      code: 'bad-value',
      message: `${quoted(String(tries))} ends before it begins`,
      path: [...path, 'try'],
      suggestion: `${to}-${from}`,
    });
  }

  fault(fault: PlannedFault, path: Path): void {
    this.#tries(fault, path);
    if (fault.fail?.kind !== undefined) this.kind(fault.fail.kind, [...path, 'fail', 'kind']);
    if (fault.at === undefined) return;
    const at = [...path, 'at'];
    const subject = subjectOf(fault.at);
    switch (subject.type) {
      case 'node': {
        const place = this.node(subject.name, at, 'value');
        if (place !== undefined) this.#faultAt(place, fault, path);
        return;
      }
      case 'model':
        return this.#known(subject.name, modelsOf(this.#atlas), { path: at, noun: 'model' });
      case 'tool':
        return this.#known(subject.name, toolsOf(this.#atlas), { path: at, noun: 'tool' });
      case 'mcp':
        return this.#known(subject.name, serversOf(this.#atlas), { path: at, noun: 'MCP server' });
    }
  }

  #faultAt(place: Place, fault: PlannedFault, path: Path): void {
    const isOfNode = fault.fail?.kind !== undefined || fault.cancel !== undefined;
    if (hasEffect(place) || isOfNode || fault.kill !== undefined) return;
    this.#report({
      code: 'bad-value',
      message: `${quoted(place.name)} calls nothing, so only \`fail\` with a kind, \`kill\` and \`cancel\` can happen to it`,
      path,
    });
  }

  #known(
    name: string,
    known: readonly string[],
    { path, noun }: { readonly path: Path; readonly noun: string },
  ): void {
    if (known.includes(name)) return;
    const meant = suggest(name, known);
    this.#report({
      code: 'bad-value',
      message: `The workflow has no ${noun} ${quoted(name)}`,
      path,
      ...(meant === undefined ? {} : { suggestion: meant }),
    });
  }
}

/** By name, or by path through groups and calls. */
export function placeNamed(atlas: Atlas, name: string): Place | undefined {
  return (
    atlas.named(name) ??
    atlas.of(name.replaceAll('[*]', '[0]')) ??
    atlas.places.find(({ node }) => node.name === name)
  );
}

function optionsOf({ node, file }: Place): readonly JsonValue[] {
  const asked = [...node.routes, ...file.plan.onError].flatMap(({ move }) =>
    move.type === 'ask' ? move.options : [],
  );
  const own = node.type === 'human_gate' ? node.options.map(({ value }) => value) : [];
  const isDoubtful = ['script', 'call', 'tool', 'agent'].includes(node.type);
  return [...own, ...asked, ...(isDoubtful ? ['repeat', 'edit', 'abort', 'approve', 'deny'] : [])];
}

function modelsOf({ places }: Atlas): readonly string[] {
  const all = places.flatMap(({ node, file }) =>
    node.type === 'agent' || node.type === 'supervisor'
      ? (node.model ?? runtimeOf(file)?.defaultModel ?? []).map(({ model }) => model)
      : [],
  );
  return [...all, ...all.map((model) => model.slice(model.indexOf('/') + 1))];
}

function toolsOf({ plan, places }: Atlas): readonly string[] {
  const described = Object.values(plan.tools ?? {}).flatMap((tools) => Object.keys(tools));
  const named = places.flatMap(({ node }) => (node.type === 'tool' ? [node.tool] : []));
  const offered = places.flatMap(({ node }) => (node.type === 'agent' ? (node.tools ?? []) : []));
  return [...described, ...named, ...offered];
}

function serversOf({ files }: Atlas): readonly string[] {
  return files.flatMap((file) => Object.keys(runtimeOf(file)?.mcpServers ?? {}));
}
