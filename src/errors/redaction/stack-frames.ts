/**
 * Removes the frames of stacks from a text: only the internal record may show which code runs
 * where. People put stacks into messages and details (`raise(kind, error.stack)`). A frame is a
 * line by itself, in the forms of JavaScript, Java and .NET, even in a text that was put on one
 * line or into JSON.
 */
const PLACE = String.raw`(?:[^()\s]*:\d+:\d+|[^()\s]+\.\w+:\d+|native|<anonymous>|Unknown Source|Native Method)`;

const FRAMES = [
  new RegExp(String.raw`^\s*at .*\(${PLACE}\)\s*$`),
  /^\s*at (?:async )?(?:node:|file:|<anonymous>|\S*[/\\])\S*:\d+:\d+\s*$/,
  /^\s*at .+ in \S.*:line \d+\s*$/,
  /^\s*\.\.\. \d+ more\s*$/,
];

/** Within a line, only the form that nothing else uses. */
const WITHIN = /\s+at (?:async |new )?[^\s()]+(?: \[as [^\]\s]+\])? \([^()\s]+:\d+:\d+\)/g;

/** A line break, or the escape for one. */
const BREAKS = /(\r?\n|(?:\\r)?\\n)/;

export function hideStackFrames(text: string): string {
  if (!/\bat /.test(text)) return text;
  const parts = text.split(BREAKS);
  let kept = '';
  for (let at = 0; at < parts.length; at += 2) {
    const line = parts[at] ?? '';
    const isFrame = FRAMES.some((frame) => frame.test(line));
    if (!isFrame) kept += (at === 0 ? '' : (parts[at - 1] ?? '')) + line.replace(WITHIN, '');
  }
  return kept;
}
