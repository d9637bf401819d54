/** Obstacles in the way of a scenario, as written in the file, with the line to paste into a plan. */
import { isBare } from '../../machine/decide/evaluate-templates.ts';
import {
  outputSites,
  ownSites,
  parseSite,
  type TemplateSite,
} from '../../workflow/check/template-sites.ts';
import type { Atlas, Place, PlacedFile } from '../places/atlas.ts';
import type { ScenarioPlayer } from '../scenarios/scenario-player.ts';
import type { Performance } from '../scenarios/scenario.ts';
import { at, type WorldValues } from '../values/world-values.ts';
import { fieldsBehind, type Site } from './read-fields.ts';
import { detailsLine, pasteLine } from './paste-line.ts';

/**
 * The guard as it is written, and the line of a plan that makes it hold. `isWanted`: it has to
 * hold; `kind`: of the failure that it tests.
 */
export function guardWords(
  { atlas, values }: Pick<ScenarioPlayer, 'atlas' | 'values'>,
  source: string,
  site: Site,
  { isWanted = true, kind }: { readonly isWanted?: boolean; readonly kind?: string } = {},
): string {
  const fields = fieldsBehind(atlas, source, site);
  const details = kind === undefined ? undefined : detailsLine(source, kind);
  const written = isBare(source) ? `\`${source}\`` : source;
  const cannot = isWanted ? 'cannot be made to hold' : 'always holds';
  if (fields.length === 0 && details === undefined) return `The guard ${written} ${cannot}`;
  const line = details ?? pasteLine(values, fields, { source, site, isWanted });
  return `The guard ${written} ${cannot} with the values that are known; give others in a plan: ${line}`;
}

export interface Undeclared {
  readonly why: string;
}

/**
 * A template that reads a field of an output that declares none: the world cannot know the field. Undefined
 * where the run failed by itself for another reason.
 */
export function undeclaredField(
  atlas: Atlas,
  values: WorldValues,
  { played, trace }: Performance,
): Undeclared | undefined {
  const failed = trace.failures.find(
    ({ isStruck, error }) => !isStruck && BY_TEMPLATE.has(error.kind),
  );
  const { result } = played;
  const isOfOutput =
    failed === undefined && result.status === 'failed' && BY_TEMPLATE.has(result.error.kind);
  if (failed === undefined && !isOfOutput) return undefined;
  const file = failed?.place.file ?? fileThatFailed(atlas);
  const sites =
    failed === undefined ? outputSites(file.plan) : sitesAt(failed.place, failed.error.kind);
  for (const site of sites) {
    const found = unknownField(atlas, values, { site, file, trace, of: failed?.place });
    if (found !== undefined) return found;
  }
  return undefined;
}

const BY_TEMPLATE: ReadonlySet<string> = new Set([
  'validation.template',
  'route.guard_failed',
  'validation.input',
]);

function fileThatFailed({ files }: Atlas): PlacedFile {
  const [first] = files;
  if (first === undefined) throw new RangeError('A workflow has a file');
  return first;
}

function sitesAt({ node }: Place, kind: string): readonly TemplateSite[] {
  if (kind !== 'route.guard_failed') return ownSites(node);
  return node.routes.flatMap(({ when }) =>
    when === undefined
      ? []
      : [{ source: when, path: [], node, scope: 'routes' as const, bare: 'fields' as const }],
  );
}

interface Reading {
  readonly site: TemplateSite;
  readonly file: PlacedFile;
  readonly trace: Performance['trace'];
  readonly of: Place | undefined;
}

function unknownField(
  atlas: Atlas,
  values: WorldValues,
  { site, file, trace, of }: Reading,
): Undeclared | undefined {
  const parsed = parseSite(site)?.parsed;
  if (parsed === undefined || !parsed.ok) return undefined;
  for (const { path, isForgiven, isGuarded } of parsed.template.references) {
    if (isForgiven || isGuarded) continue;
    const [head, second, ...rest] = path;
    const named = atlas.places.find((each) => each.file === file && each.node.name === head);
    const place = head === 'output' && site.scope === 'routes' ? of : named;
    const pointer = head === 'output' && site.scope === 'routes' ? [second ?? '', ...rest] : rest;
    const isOutput = second === 'output' || head === 'output';
    if (place === undefined || !isOutput || pointer.length === 0 || pointer[0] === '') continue;
    if (!trace.completed.has(place) || values.schemaOf(place) !== undefined) continue;
    if (!['agent', 'script', 'call', 'tool'].includes(place.node.type)) continue;
    if (at(values.base(place), pointer) !== undefined) continue;
    const line = pasteLine(
      values,
      [{ place, pointer, literals: [] }],
      site.scope === 'routes'
        ? { source: site.source, site: { file, routesOf: place }, isWanted: false }
        : undefined,
    );
    return {
      why: `The template ${site.source.trim()} reads a field that ${place.name} does not declare; declare its output, or give it in a plan: ${line}`,
    };
  }
  return undefined;
}
