/** The findings of a rehearsal as SARIF 2.1.0: surprises, routes that were missed, mutants that survive, warnings. */
import type { Rehearsed } from '../rehearse-plan.ts';
import type { MutantMissed } from './rehearsal-result.ts';
import { fileOfRule } from './rule-file.ts';
import { routeWords } from './route-words.ts';
import { warningText } from './warnings.ts';

interface Finding {
  readonly ruleId: keyof typeof RULES;
  readonly level: 'error' | 'warning';
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

const RULES = {
  surprise: 'A scenario ended with a failure that nobody meant.',
  'missed-route': 'No scenario takes this error route.',
  'surviving-mutant': 'A change of this route is not noticed by the rehearsal.',
  'fails-by-itself': 'A run fails although nothing goes wrong.',
  'repeats-effect': 'A route repeats an effect that is not idempotent.',
} as const;

export function sarifReport(rehearsals: readonly Rehearsed[], version: string): string {
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'errand rehearse',
            version,
            rules: Object.entries(RULES).map(([id, text]) => ({
              id,
              shortDescription: { text },
            })),
          },
        },
        results: rehearsals.flatMap(findings).map(toResult),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function findings(rehearsed: Rehearsed): readonly Finding[] {
  const { result, scenarios, errorRoutes } = rehearsed;
  const surprises = scenarios
    .filter(({ judgement }) => judgement.verdict === 'surprise')
    .map(({ name, judgement, summary, place }): Finding => {
      const error = summary?.result.status === 'failed' ? summary.result.error : undefined;
      const line = error?.location?.line ?? place?.node.location.line ?? 1;
      const file = error?.location?.file ?? place?.file.plan.file ?? result.file;
      const text = `${name}: ${judgement.why ?? 'a surprise'}`;
      return { ruleId: 'surprise', level: 'error', text, file, line };
    });
  const missed = errorRoutes
    .filter(({ isCovered }) => !isCovered)
    .map(({ route, place, file }): Finding => ({
      ruleId: 'missed-route',
      level: 'warning',
      text: `${routeWords(place?.name, route.index)}: no scenario takes this error route`,
      file: route.file ?? file.plan.file,
      line: route.line ?? 1,
    }));
  const mutants = (result.coverage.mutants?.missed ?? []).map((mutant): Finding => ({
    ruleId: 'surviving-mutant',
    level: 'warning',
    text: mutantText(mutant),
    file: fileOfRule(rehearsed, mutant),
    line: mutant.line,
  }));
  const warnings = (result.warnings ?? []).map((warning): Finding => ({
    ruleId: warning.rule,
    level: 'warning',
    text: warningText(warning),
    file: warning.file,
    line: warning.line,
  }));
  return [...surprises, ...missed, ...mutants, ...warnings];
}

function mutantText({ node, rule, change }: MutantMissed): string {
  return `${routeWords(node, rule)}: ${change} is not noticed`;
}

function toResult({ ruleId, level, text, file, line }: Finding): object {
  return {
    ruleId,
    level,
    message: { text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file) },
          region: { startLine: Math.max(1, line) },
        },
      },
    ],
  };
}
