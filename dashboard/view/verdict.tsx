/**
 * The verdict about a workflow: diagnostics, worst case, failure routes, and the coverage of a
 * rehearsal.
 */
import type { JSX } from 'preact';
import { usdWords } from '../../src/errors/render/money.ts';
import { durationWords } from '../../src/errors/render/report-words.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/errors/support/safe-json.ts';
import type { FileVerdict, WorkflowVerdict } from '../../src/workflow/check/validation-json.ts';
import type { WorstCase } from '../../src/workflow/check/worst-case.ts';
import { grouped } from '../text/words.ts';
import { DateTime, Empty, KindLink } from './parts.tsx';
import { StatusIcon, StatusWord } from './status.tsx';
import { TableHead } from './table-head.tsx';

export function Diagnostics({
  verdict,
  goTo,
}: {
  readonly verdict: WorkflowVerdict;
  /** Goes to a line of the main file. */
  readonly goTo?: ((line: number) => void) | undefined;
}): JSX.Element {
  const all = verdict.files.flatMap(({ file, diagnostics }, index) =>
    diagnostics.map((diagnostic) => ({ ...diagnostic, file, isMain: index === 0 })),
  );
  if (all.length === 0) return <Empty>Nothing is wrong with the file.</Empty>;
  return (
    <ul class="diagnostics">
      {all.map(({ severity, message, suggestion, line, column, file, isMain, code }, index) => (
        <li key={index} data-severity={severity}>
          <StatusIcon status={severity === 'error' ? 'invalid' : 'in_doubt'} />{' '}
          <strong>{severity}</strong>{' '}
          {goTo !== undefined && isMain ? (
            <button type="button" class="link" onClick={() => goTo(line)}>
              line {line}:{column}
            </button>
          ) : (
            <span class="quiet">
              {file}:{line}:{column}
            </span>
          )}{' '}
          <span class="message">{message}</span>{' '}
          {suggestion !== undefined && <span class="hint">{suggestion}</span>}{' '}
          <code class="quiet">{code}</code>
        </li>
      ))}
    </ul>
  );
}

const FIGURES = [
  ['Effects', 'effects', (count: number) => grouped(count)],
  ['Model requests', 'modelRequests', (count: number) => grouped(count)],
  ['Time', 'wallMs', durationWords],
  ['Cost', 'costUsdMicros', usdWords],
] as const;

/** The worst case, beside that of a changed text. */
export function WorstCaseTable({
  now,
  after,
}: {
  readonly now: WorstCase | null | undefined;
  readonly after?: WorstCase | null | undefined;
}): JSX.Element {
  if (now === null || now === undefined)
    return <Empty>The file cannot be read, so it has no worst case.</Empty>;
  const reasons = (after ?? now).unbounded;
  return (
    <>
      <table class="dense" aria-label="Worst case">
        <TableHead
          columns={[
            'At most',
            { numbers: after === undefined ? 'A run' : 'Before' },
            ...(after === undefined ? [] : [{ numbers: 'After' }]),
          ]}
        />
        <tbody>
          {FIGURES.map(([name, field, words]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{figure(now[field], words)}</td>
              {after !== undefined && (
                <td class={`number${after?.[field] === now[field] ? '' : ' changed'}`}>
                  {after === null ? 'not known' : figure(after[field], words)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {reasons.length > 0 && (
        <ul class="note">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function figure(value: number | null, words: (value: number) => string): string {
  return value === null ? 'no bound' : words(value);
}

/** Node × kind → move; marks kinds that no route handles. */
export function FailureRoutes({ files }: { readonly files: readonly FileVerdict[] }): JSX.Element {
  const rows = files.flatMap(({ file, nodes }, index) =>
    Object.entries(nodes).flatMap(([node, { routes, unhandled }]) =>
      Object.entries(routes).map(([kind, move]) => ({
        node: index === 0 ? node : `${file}: ${node}`,
        kind,
        move,
        isUnhandled: unhandled.includes(kind),
      })),
    ),
  );
  return (
    <div class="wide" role="group" aria-label="Table of failure routes" tabIndex={0}>
      <table class="dense stacked" role="table" aria-label="Failure routes">
        <TableHead columns={['Node', 'Kind', 'Move']} />
        <tbody role="rowgroup">
          {rows.map(({ node, kind, move, isUnhandled }, index) => (
            <tr
              role="row"
              key={`${node} ${kind}`}
              class={rows[index - 1]?.node === node ? '' : 'first-of-node'}
            >
              <th role="rowheader" scope="row">
                {rows[index - 1]?.node === node ? <span class="repeat">{node}</span> : node}
              </th>
              <td role="cell">
                <KindLink kind={kind} />
              </td>
              <td role="cell">
                {move} {isUnhandled && <span class="unhandled">unhandled</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.some(({ isUnhandled }) => isUnhandled) && (
        <p class="note">
          The default lets the failure out: the run ends with it, or the workflow that called this
          one gets it.
        </p>
      )}
      {rows.some(({ move }) => /#\d/.test(move)) && (
        <p class="note">
          A number counts the routes of the node in the file: <code>#0</code> is the first one.
        </p>
      )}
    </div>
  );
}

/** Draws the coverage of the last rehearsal. */
export function Rehearsal({
  rehearsal,
}: {
  readonly rehearsal: JsonObject | undefined;
}): JSX.Element {
  if (rehearsal === undefined)
    return (
      <Empty>
        It was not rehearsed yet: <code>errand rehearse</code> takes every failure route once,
        without a network.
      </Empty>
    );
  const { at, time, ...rest } = rehearsal;
  const when = typeof at === 'string' ? at : time;
  const rows = Object.entries(isJsonObject(rest['coverage']) ? rest['coverage'] : rest).flatMap(
    ([name, value]) =>
      isJsonObject(value) && typeof value['total'] === 'number'
        ? [{ name, ...countsOf(value) }]
        : [],
  );
  return (
    <>
      {typeof when === 'string' && (
        <p>
          Rehearsed at <DateTime at={when} />
        </p>
      )}
      <table class="dense" aria-label="Coverage">
        <TableHead columns={['Covered', { numbers: 'Of all' }, 'Missed']} />
        <tbody>
          {rows.map(({ name, covered, total, missed }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">
                {covered}/{total}
              </td>
              <td>{missed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function countsOf(value: JsonObject): { covered: number; total: number; missed: string } {
  const { covered, total, missed } = value;
  const count = typeof covered === 'number' ? covered : 0;
  const names = Array.isArray(missed) ? missed.map(missedWords) : [];
  return { covered: count, total: typeof total === 'number' ? total : 0, missed: names.join('; ') };
}

function missedWords(missed: JsonValue): string {
  if (typeof missed === 'string') return missed;
  if (!isJsonObject(missed)) return JSON.stringify(missed);
  const { pointer, line, why, name } = missed;
  return [name, pointer, typeof line === 'number' ? `line ${line}` : undefined, why]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

export function ValidityWord({ isValid }: { readonly isValid: boolean }): JSX.Element {
  return <StatusWord status={isValid ? 'valid' : 'invalid'} />;
}
