/** Plans one node of a file. Relies on the schema and the rules having found no problem. */
import type { NodePlan } from '../plan/node-plan.ts';
import { withFingerprint } from '../plan/fingerprint.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import type { NodeFile } from '../schema/node-schema.ts';
import { planAgent } from './agent.ts';
import { planCall } from './call.ts';
import { EXTENSION_NODE, planExtension } from './extension.ts';
import { planForEach, planParallel } from './groups.ts';
import { planHumanGate } from './human-gate.ts';
import { planQuestions } from './questions.ts';
import { planScript } from './script.ts';
import { planSet } from './set.ts';
import { planSupervisor } from './supervisor.ts';
import { planTerminate } from './terminate.ts';
import { planTool } from './tool.ts';
import { planTransform } from './transform.ts';
import { planWait } from './wait.ts';
import { planWorkflow } from './workflow.ts';

export function planNode(node: NodeFile, path: Path, planner: Planner): NodePlan {
  return withFingerprint(unmarked(node, path, planner));
}

function unmarked(
  node: NodeFile,
  path: Path,
  planner: Planner,
): Parameters<typeof withFingerprint>[0] {
  switch (node.type) {
    case undefined:
    case 'agent':
      return planAgent(node, path, planner);
    case 'call':
      return planCall(node, path, planner);
    case EXTENSION_NODE:
      return planExtension(node, path, planner);
    case 'script':
      return planScript(node, path, planner);
    case 'tool':
      return planTool(node, path, planner);
    case 'transform':
      return planTransform(node, path, planner);
    case 'set':
      return planSet(node, path, planner);
    case 'wait':
      return planWait(node, path, planner);
    case 'human_gate':
      return planHumanGate(node, path, planner);
    case 'questions':
      return planQuestions(node, path, planner);
    case 'workflow':
      return planWorkflow(node, path, planner);
    case 'supervisor':
      return planSupervisor(node, path, planner);
    case 'terminate':
      return planTerminate(node, path, planner);
    case 'parallel':
      return planParallel(node, path, planner);
    case 'for_each':
      return planForEach(node, planNode(node.agent, [...path, 'agent'], planner), path, planner);
  }
}
