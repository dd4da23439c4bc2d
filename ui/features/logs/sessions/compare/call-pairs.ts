import type { SessionDetail } from "../../../../../src/domain/logs/sessions/read-sessions.ts";
import type { SessionCall } from "../session-calls.ts";

/** What one session did in a place, and the other in the same; null: nothing. */
export type CallPair = Readonly<{
  id: string;
  agent: string;
  step: string;
  one: SessionCall | null;
  other: SessionCall | null;
}>;

type Steps = SessionDetail["steps"];

/** The calls of two sessions: the first of an agent's step with the first of the same step, and so on. */
export function pairsOf(steps: Steps, others: Steps): CallPair[] {
  const otherOf = new Map(others.map((step) => [keyOf(step), step]));
  const left = others.filter((step) => !steps.some((each) => keyOf(each) === keyOf(step)));
  return [
    ...steps.flatMap((step) => pair(step, step.calls, otherOf.get(keyOf(step))?.calls ?? [])),
    ...left.flatMap((step) => pair(step, [], step.calls)),
  ];
}

const keyOf = ({ agent, step }: Steps[number]): string => `${agent}\n${step}`;

const pair = (step: Steps[number], calls: readonly SessionCall[], others: readonly SessionCall[]): CallPair[] =>
  Array.from({ length: Math.max(calls.length, others.length) }, (_, at) => ({
    ...{ id: `${keyOf(step)} ${at}`, agent: step.agent, step: step.step },
    ...{ one: calls[at] ?? null, other: others[at] ?? null },
  }));
