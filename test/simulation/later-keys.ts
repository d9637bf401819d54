/**
 * Draws keys that the format got later: judges, dialogs, questions, bounds on tool results,
 * efforts, outputs of routes. They have a seed of their own, so that older seeds keep the rest of
 * their shapes.
 */
import type { Random } from '../../src/rehearsal/world/random.ts';
import type { Fields } from './shape.ts';

interface Lists {
  readonly workflow: Fields;
  readonly nodes: readonly Fields[];
  readonly for_each?: readonly Fields[];
}

/** Four of five files stay unchanged. */
const CHANCE = 0.2;

export function withLaterKeys<C extends Lists>(content: C, random: Random, isTimeless: boolean): C {
  if (!random.chance(CHANCE)) return content;
  const later = (node: Fields): Fields => laterNode(node, random, isTimeless);
  return {
    ...content,
    workflow: laterRuntime(content.workflow, random),
    nodes: content.nodes.map(later),
    ...(content.for_each === undefined ? {} : { for_each: content.for_each.map(later) }),
  };
}

function laterRuntime(workflow: Fields, random: Random): Fields {
  if (workflow['runtime'] === undefined) return workflow;
  return {
    ...workflow,
    runtime: {
      ...(workflow['runtime'] as Fields),
      ...(random.chance(0.5) ? { tool_output: { max_chars: 100 } } : {}),
      ...(random.chance(0.3) ? { default_reasoning_effort: 'medium' } : {}),
      ...(random.chance(0.2) ? { max_agent_iterations: 4 } : {}),
      ...(random.chance(0.2) ? { checkpoint: { every_agent: true } } : {}),
      ...(random.chance(0.2) ? { working_dir: '.' } : {}),
    },
  };
}

function laterNode(node: Fields, random: Random, isTimeless: boolean): Fields {
  switch (node['type']) {
    case 'agent':
      return endingWith(laterAgent(node, random, isTimeless), random);
    case 'human_gate':
      return random.chance(0.5) ? questions(node, random) : withOwnWords(node, random);
    case 'set':
      return { ...node, ...(random.chance(0.5) ? { output_type: 'object' } : {}) };
    case 'script':
      return endingWith({ ...node, ...(random.chance(0.3) ? { working_dir: '.' } : {}) }, random);
    default: {
      const { agent } = node;
      return agent === undefined
        ? endingWith(node, random)
        : { ...node, agent: laterNode(agent as Fields, random, isTimeless) };
    }
  }
}

function laterAgent(node: Fields, random: Random, isTimeless: boolean): Fields {
  const isJudged = random.chance(0.6);
  const judged: Fields = {
    ...node,
    ...(isJudged ? { validator: validator(random, isTimeless) } : {}),
    ...(random.chance(0.4) ? { dialog: { trigger_prompt: 'Ask when it is unclear.' } } : {}),
    ...(random.chance(0.3) ? { reasoning: { effort: random.pick(['low', 'max']) } } : {}),
    ...(node['max_turns'] === undefined && random.chance(0.5) ? { max_agent_iterations: 3 } : {}),
    ...(node['timeout_seconds'] === undefined && !isTimeless && random.chance(0.3)
      ? { max_session_seconds: random.pick([1, 30]) }
      : {}),
  };
  if (!isJudged || !random.chance(0.5)) return judged;
  const refusal = {
    on_error: 'agent.output_rejected',
    ...(random.chance(0.5) ? { retry: { max: 1, backoff: 'none' } } : { to: '$end' }),
  };
  // a node with routes needs one for its success
  const routes = judged['routes'] === undefined ? [{ to: '$end' }] : routesOf(judged);
  return { ...judged, routes: inserted(routes, refusal) };
}

function validator(random: Random, isTimeless: boolean): Fields {
  return {
    criteria: 'It is from {{ workflow.name }}.',
    ...(random.chance(0.6) ? { max_retries: random.pick([0, 1, 2]) } : {}),
    ...(isTimeless || random.chance(0.4) ? {} : { model: random.pick(['sim/two', 'sim/judge']) }),
  };
}

/** Inserts it before the routes for any failure, which would take it. */
function inserted(routes: readonly Fields[], route: Fields): readonly Fields[] {
  const at = routes.findIndex((each) => 'on_error' in each);
  return at < 0 ? [...routes, route] : [...routes.slice(0, at), route, ...routes.slice(at)];
}

/** Replaces a gate with one that has questions, at the same place and with the same routes. */
function questions(gate: Fields, random: Random): Fields {
  // a guard that reads the choice means nothing there
  if (JSON.stringify(gate).includes('output.selected')) return gate;
  const { prompt: _prompt, options: _options, default: preset, ...rest } = gate;
  // its routes may name kinds that a gate with a default cannot fail with
  if (preset !== undefined) return gate;
  return {
    ...rest,
    type: 'questions',
    questions: [
      {
        id: 'which',
        text: 'Which one?',
        choices: ['a', 'b'],
        ...(random.chance(0.3) ? { allow_free_text: false } : {}),
      },
      { text: 'Why?', ...(random.chance(0.3) ? { required: true } : { default: 'because' }) },
    ],
    ...(random.chance(0.3) ? { allow_skip: false, allow_skip_all: false } : {}),
    ...(random.chance(0.4) ? { allow_abort: true, abort_route: '$end' } : {}),
  };
}

/**
 * Words that answers to failures, budgets and calls of tools use too: here they are ordinary
 * options.
 */
function withOwnWords(gate: Fields, random: Random): Fields {
  const value = random.pick(['edit', 'raise', 'approve', 'repeat']);
  return {
    ...gate,
    options: [...(gate['options'] as readonly Fields[]), { label: 'Other', value }],
  };
}

/** A route to the end may put its own values over the output. */
function endingWith(node: Fields, random: Random): Fields {
  if (node['routes'] === undefined || !random.chance(0.4)) return node;
  const routes = routesOf(node).map((route) =>
    'on_error' in route || route['to'] !== '$end' ? route : { ...route, output: { via: 1 } },
  );
  return { ...node, routes };
}

function routesOf(node: Fields): readonly Fields[] {
  return (node['routes'] ?? []) as readonly Fields[];
}
