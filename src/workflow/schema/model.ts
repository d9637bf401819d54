/** A model, or the chain of models that stand in for each other. */
import { providerKind } from './kinds.ts';
import { either, hinted, list, literal, strict, text, type FromFile } from './leaf.ts';

const MODEL_FORM = 'a model such as anthropic/claude-sonnet-5';

const modelName = text('provider/model, or a model of `runtime.provider`.', MODEL_FORM);

const chainEntry = strict(
  'an entry of a model chain',
  'A model and when the chain goes on to it.',
  {
    model: modelName,
    on: either(
      'The fatal failures that also lead here; transient ones and a spent quota always do.',
      '`any`, a kind, or a list of kinds',
      [literal('Whatever the failure.', 'any'), providerKind, list('Kinds.', providerKind, 1)],
    ).optional(),
  },
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
