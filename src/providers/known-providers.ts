/**
 * The providers that Errand knows: every spelling of a name, their hosts, and the name for people.
 * Hosts of OpenAI's protocol differ by address.
 */
export interface ProviderName {
  /** The name in reports. */
  readonly name: string;
  readonly display: string;
  readonly aliases: readonly string[];
  /** Host names, or their last labels. */
  readonly hosts: readonly string[];
}

export const PROVIDERS = [
  {
    name: 'openai',
    display: 'OpenAI',
    aliases: ['openai.chat', 'openai.responses'],
    hosts: ['api.openai.com'],
  },
  {
    name: 'anthropic',
    display: 'Anthropic',
    aliases: ['claude', 'anthropic.messages'],
    hosts: ['api.anthropic.com'],
  },
  {
    name: 'google',
    display: 'Google',
    aliases: ['gemini', 'google-genai', 'google.generative-ai', 'google-generative-ai'],
    hosts: ['generativelanguage.googleapis.com'],
  },
  {
    name: 'vertex',
    display: 'Vertex AI',
    aliases: ['google-vertex', 'vertexai', 'vertex-ai'],
    hosts: ['aiplatform.googleapis.com'],
  },
  { name: 'mistral', display: 'Mistral', aliases: ['mistralai'], hosts: ['api.mistral.ai'] },
  {
    name: 'bedrock',
    display: 'Amazon Bedrock',
    aliases: ['amazon-bedrock', 'aws-bedrock', 'aws'],
    hosts: ['amazonaws.com'],
  },
  {
    name: 'azure',
    display: 'Azure OpenAI',
    aliases: ['azure-openai', 'azureopenai', 'azure.chat', 'azure.responses'],
    hosts: ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'],
  },
  { name: 'deepseek', display: 'DeepSeek', aliases: [], hosts: ['api.deepseek.com'] },
  { name: 'groq', display: 'Groq', aliases: [], hosts: ['api.groq.com'] },
  { name: 'xai', display: 'xAI', aliases: ['grok', 'x.ai'], hosts: ['api.x.ai'] },
  { name: 'openrouter', display: 'OpenRouter', aliases: [], hosts: ['openrouter.ai'] },
  {
    name: 'together',
    display: 'Together',
    aliases: ['togetherai', 'together-ai'],
    hosts: ['api.together.xyz', 'api.together.ai'],
  },
  {
    name: 'fireworks',
    display: 'Fireworks',
    aliases: ['fireworks-ai'],
    hosts: ['api.fireworks.ai'],
  },
  { name: 'perplexity', display: 'Perplexity', aliases: [], hosts: ['api.perplexity.ai'] },
  { name: 'cohere', display: 'Cohere', aliases: [], hosts: ['api.cohere.com', 'api.cohere.ai'] },
  {
    name: 'huggingface',
    display: 'Hugging Face',
    aliases: ['hf', 'tgi'],
    hosts: ['huggingface.co', 'huggingface.cloud'],
  },
  { name: 'fal', display: 'fal', aliases: ['fal-ai'], hosts: ['fal.run', 'fal.ai'] },
  { name: 'replicate', display: 'Replicate', aliases: [], hosts: ['api.replicate.com'] },
  {
    name: 'moonshot',
    display: 'Moonshot',
    aliases: ['kimi', 'moonshotai'],
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
  },
  {
    name: 'zhipu',
    display: 'Zhipu',
    aliases: ['glm', 'zai', 'z.ai', 'bigmodel'],
    hosts: ['open.bigmodel.cn', 'api.z.ai'],
  },
  {
    name: 'qwen',
    display: 'Qwen',
    aliases: ['dashscope', 'alibaba'],
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com'],
  },
  { name: 'cerebras', display: 'Cerebras', aliases: [], hosts: ['api.cerebras.ai'] },
  { name: 'sambanova', display: 'SambaNova', aliases: [], hosts: ['api.sambanova.ai'] },
  {
    name: 'github',
    display: 'GitHub Models',
    aliases: ['github-models'],
    hosts: ['models.inference.ai.azure.com', 'models.github.ai'],
  },
  {
    name: 'nvidia',
    display: 'NVIDIA NIM',
    aliases: ['nvidia-nim', 'nim'],
    hosts: ['integrate.api.nvidia.com'],
  },
  { name: 'ollama', display: 'Ollama', aliases: [], hosts: ['ollama.com'] },
  { name: 'vllm', display: 'vLLM', aliases: [], hosts: [] },
  { name: 'lmstudio', display: 'LM Studio', aliases: ['lm-studio'], hosts: [] },
  { name: 'llamacpp', display: 'llama.cpp', aliases: ['llama.cpp', 'lemonade'], hosts: [] },
  { name: 'openai-compatible', display: 'The OpenAI-compatible host', aliases: [], hosts: [] },
  {
    name: 'gateway',
    display: 'The gateway',
    aliases: ['litellm', 'portkey', 'one-api', 'vercel'],
    hosts: ['ai-gateway.vercel.sh', 'gateway.ai.cloudflare.com', 'api.portkey.ai'],
  },
  { name: 'mcp', display: 'The MCP server', aliases: [], hosts: [] },
] as const satisfies readonly ProviderName[];

const BY_SPELLING: ReadonlyMap<string, ProviderName> = new Map(
  PROVIDERS.flatMap((provider: ProviderName) =>
    [provider.name, ...provider.aliases].map((spelling) => [spelling, provider] as const),
  ),
);

/** Finds the provider by any spelling; an unknown name stands for itself. */
export function providerNamed(name: string): ProviderName {
  const spelling = name.toLowerCase();
  const known = BY_SPELLING.get(spelling) ?? BY_SPELLING.get(spelling.split('.')[0] ?? '');
  return known ?? { name: spelling, display: name, aliases: [], hosts: [] };
}

/** Finds the provider at an address, if it is one of the known hosts. */
export function providerAt(address: string): ProviderName | undefined {
  const host = /^[a-z]+:\/\/(?:[^/@\s]{1,256}@)?([^/:?#\s]{1,256})(?::(\d{1,5}))?/i.exec(address);
  if (host === null) return undefined;
  const name = (host[1] ?? '').toLowerCase();
  if (isLocal(name)) return LOCAL_PORTS.get(host[2] ?? '');
  return PROVIDERS.find((provider: ProviderName) =>
    provider.hosts.some(
      (known) => name === known || name.endsWith(`.${known}`) || name.endsWith(`-${known}`),
    ),
  );
}

/** The default ports of local servers. */
const LOCAL_PORTS: ReadonlyMap<string, ProviderName> = new Map(
  (
    [
      ['11434', 'ollama'],
      ['1234', 'lmstudio'],
      ['8000', 'vllm'],
    ] as const
  ).map(([port, name]) => [port, providerNamed(name)]),
);

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[' || host.startsWith('127.') || host.startsWith('[::1');
}

/**
 * The makers of models, by the beginning of the name; hosts that offer other makers' models are
 * absent.
 */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o[1-9](-|$)|chatgpt|davinci|text-embedding)/i, 'openai'],
  [/^claude/i, 'anthropic'],
  [/^(gemini|gemma)/i, 'google'],
  [/^(mi[sx]tral|codestral|magistral|ministral|devstral|pixtral)/i, 'mistral'],
  [/^deepseek/i, 'deepseek'],
  [/^grok/i, 'xai'],
  [/^command-/i, 'cohere'],
  [/^sonar/i, 'perplexity'],
];

/** The provider that makes a model, if the name shows it. */
export function makerOf(model: string): string | undefined {
  const maker = FAMILIES.find(([family]) => family.test(model))?.[1];
  return PROVIDERS.some(({ name }) => name === maker) ? maker : undefined;
}
