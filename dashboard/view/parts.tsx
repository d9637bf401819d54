/** Small parts that all pages use. */
import { Fragment, type ComponentChildren, type JSX } from 'preact';
import { useState } from 'preact/hooks';
import { usdWords } from '../../src/errors/render/money.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { agoWords, dateWords } from '../text/time.ts';
import { bytesWords, valueText } from '../text/words.ts';
import { useSurroundings } from './surroundings.ts';

/** A link inside the page; in a file, only its text. */
export function PageLink({
  to,
  children,
  class: name,
}: {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
}): JSX.Element {
  const { base } = useSurroundings();
  if (base === undefined) return <span class={name}>{children}</span>;
  return (
    <a class={name} href={base + to}>
      {children}
    </a>
  );
}

export function KindLink({ kind }: { readonly kind: string }): JSX.Element {
  return (
    <PageLink class="kind" to={`/kinds/${encodeURIComponent(kind)}`}>
      <Breakable name={kind} />
    </PageLink>
  );
}

/** A name that may break between its words, but not inside one; its text stays the same. */
function Breakable({ name }: { readonly name: string }): JSX.Element {
  const words = name.split(/(?<=[._])/);
  return (
    <>
      {words.map((word, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {word}
        </Fragment>
      ))}
    </>
  );
}

/** A link to a step of a run, with its path as the default text. */
export function StepLink({
  run,
  path,
  children = path,
}: {
  readonly run: string;
  readonly path: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <PageLink to={`/runs/${encodeURIComponent(run)}?step=${encodeURIComponent(path)}`}>
      {children}
    </PageLink>
  );
}

/** The time since then, with the date; in a file only the date. */
export function Ago({ at }: { readonly at: string }): JSX.Element {
  const { zone, nowMs, base } = useSurroundings();
  const date = dateWords(at, zone);
  return (
    <time dateTime={at} title={date}>
      {base === undefined ? `${date} UTC` : agoWords(at, nowMs)}
    </time>
  );
}

export function DateTime({ at }: { readonly at: string }): JSX.Element {
  const { zone, base } = useSurroundings();
  return (
    <time dateTime={at}>
      {dateWords(at, zone)}
      {base === undefined ? ' UTC' : ''}
    </time>
  );
}

export function Money({
  micros,
  estimated,
}: {
  readonly micros: number;
  readonly estimated?: boolean;
}): JSX.Element {
  return (
    <span class="number">
      {estimated === true ? '≈ ' : ''}
      {usdWords(micros)}
    </span>
  );
}

/** Copies, and confirms beside the button, whose name stays. */
export function CopyButton({
  name,
  text,
}: {
  readonly name: string;
  /** A function makes the text at the click, if that takes long. */
  readonly text: string | (() => Promise<string>);
}): JSX.Element | null {
  const { copy } = useSurroundings();
  const [said, setSaid] = useState('');
  if (copy === undefined) return null;
  const copied = async (): Promise<void> => {
    const whole = typeof text === 'string' ? text : await text();
    setSaid((await copy(whole)) ? 'Copied' : 'Select the text and copy it');
  };
  return (
    <span class="copy">
      <button type="button" class="small" onClick={() => void copied()}>
        {name}
      </button>
      {said !== '' && <span class="said">{said}</span>}
    </span>
  );
}

/** The terminal command that does the same. */
export function Command({ command }: { readonly command: string }): JSX.Element {
  return (
    <span class="command">
      <code>
        {command.split(' ').map((word, index) => (
          <Fragment key={index}>
            {index === 0 ? '' : ' '}
            <span class="word">{word}</span>
          </Fragment>
        ))}
      </code>
      <CopyButton name="Copy command" text={command} />
    </span>
  );
}

/** A refusal, in the words of its problem document. */
export function ProblemBox({
  problem,
  children,
}: {
  readonly problem: ShownProblem;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="problem" role="alert" tabIndex={-1}>
      <p>
        <strong>{problem.title}</strong> {problem.kind !== '' && <KindLink kind={problem.kind} />}
      </p>
      <p class="message">{problem.detail}</p>
      <p>{problem.action.detail}</p>
      {children}
    </div>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values; omits those without a value. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }): JSX.Element | null {
  const known = facts.filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (known.length === 0) return null;
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TruncatedValue {
  readonly truncated: true;
  readonly bytes: number;
  readonly href: string;
}

function isTruncated(value: unknown): value is TruncatedValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    'truncated' in value &&
    value.truncated === true &&
    'href' in value &&
    typeof value.href === 'string'
  );
}

/** A value as JSON; if it is too large for an answer, a link to the whole. */
export function Value({ value }: { readonly value: unknown }): JSX.Element {
  const { base } = useSurroundings();
  if (isTruncated(value))
    return (
      <p>
        The value has {bytesWords(value.bytes)}.{' '}
        {base !== undefined && (
          <a href={value.href} data-file="" target="_blank" rel="noreferrer">
            Open the whole value
          </a>
        )}
      </p>
    );
  return (
    <pre class="value" tabIndex={0}>
      {valueText(value)}
    </pre>
  );
}

/** A part of a page under its own heading, found by its name. */
export function Region({
  name,
  id,
  children,
  class: extra = '',
  aside,
}: {
  readonly name: string;
  readonly id: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly aside?: ComponentChildren;
}): JSX.Element {
  return (
    <section class={`region ${extra}`} aria-labelledby={`${id}-name`} id={id}>
      <div class="region-head">
        <h2 id={`${id}-name`} tabIndex={-1}>
          {name}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}
