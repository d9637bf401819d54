/** The tool that fetches, where the host gives settings for it. */
import { FETCH_TOOL } from '../../workflow/plan/plan.ts';
import type { EngineOptions } from '../open-backend.ts';

export async function withFetch({ fetch, ...options }: EngineOptions): Promise<EngineOptions> {
  if (fetch === undefined) return options;
  // HTTP is a good part of what a process loads, and few workflows fetch
  const { createFetchTool } = await import('../../effects/fetch/fetch-tool.ts');
  return { ...options, tools: { [FETCH_TOOL]: createFetchTool(fetch), ...options.tools } };
}
