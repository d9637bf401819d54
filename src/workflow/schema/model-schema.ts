/** A model, or a fallback chain of models. */
import { providerKind } from './kind-schema.ts';
import { either, hinted, list, literal, strict, text, type FromFile } from './leaf.ts';

const MODEL_FORM = 'a model such as anthropic/claude-sonnet-5';

const modelName = text('provider/model, or a model of `runtime.provider`.', MODEL_FORM);

const chainEntry = strict(
  'an entry of a model chain',
  'A model, and the failures after which the chain calls it.',
  {
    model: modelName,
    on: either(
      'The fatal failures after which the chain calls this model too. After a transient failure or a spent quota it always does.',
      '`any`, a kind, or a list of kinds',
      [literal('After any failure.', 'any'), providerKind, list('Kinds.', providerKind, 1)],
    ).optional(),
  },
  { model: 'openai/gpt-5.1', on: 'any' },
);

export const modelSchema = hinted(
  either('A model, or a list that is a fallback chain.', `${MODEL_FORM}, or a list of them`, [
    modelName,
    list(
      'A fallback chain, best first.',
      either('One model of the chain.', `${MODEL_FORM}, or a map with \`model\` and \`on\``, [
        modelName,
        chainEntry,
      ]),
      1,
    ),
  ]),
  { id: 'model', description: 'A model, or a list that is a fallback chain.' },
);

export type ModelFile = FromFile<typeof modelSchema>;
