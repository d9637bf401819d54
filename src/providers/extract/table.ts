/** The extractors in their order: an SDK before the plain shapes that it builds upon. */
import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { aws } from './aws.ts';
import { axios } from './axios.ts';
import type { Extractor } from './extractor.ts';
import { fetchErrors } from './fetch.ts';
import { googleGenai } from './google-genai.ts';
import { http } from './http.ts';
import { mcp } from './mcp.ts';
import { mistral } from './mistral.ts';
import { openai } from './openai.ts';

export const EXTRACTORS: readonly Extractor[] = [
  aiSdk,
  mcp,
  aws,
  googleGenai,
  mistral,
  openai,
  anthropic,
  axios,
  http,
  fetchErrors,
];

/** Shapes that any error may have; an SDK's own extractor comes first. */
export const GENERIC_SOURCES: ReadonlySet<string> = new Set([http.source, fetchErrors.source]);
