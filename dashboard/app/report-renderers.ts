/** The renderers of reports, in a chunk of their own. */
export { renderMarkdown } from '../../src/errors/render/markdown.ts';
export { renderProblem } from '../../src/errors/render/problem-document.ts';
