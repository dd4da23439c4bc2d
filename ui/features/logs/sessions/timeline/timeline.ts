import type { SessionDetail } from "../../../../../src/domain/logs/sessions/read-sessions.ts";
import type { AgentNode, SessionCall } from "../session-calls.ts";

/** A stretch of time, in epoch milliseconds. */
export type Span = Readonly<{ from: number; to: number }>;

/** An agent of a session, before what it did. */
export type AgentLine = Readonly<{
  kind: "agent";
  id: string;
  parents: readonly string[];
  node: AgentNode;
  span: Span;
}>;

/** A call of an agent; `tools`: the client ran those tools meanwhile, whose results the call sent. */
export type CallLine = Readonly<{
  kind: "call";
  id: string;
  parents: readonly string[];
  agent: string;
  step: string;
  call: SessionCall;
  span: Span;
  tools: Span | null;
}>;

export type Line = AgentLine | CallLine;

/**
 * The lines of a session's timeline: each agent followed by its calls and the agents that it started, in the order in which they
 * began. `parents` of a line are the agents above it; the only agent of a session has no line.
 */
export function linesOf({ agents, steps }: Pick<SessionDetail, "agents" | "steps">): Line[] {
  const hasAgents = agents.children.length > 0;
  return hasAgents ? agentLines(agents, [], steps) : contentOf(agents, [], steps);
}

type Steps = SessionDetail["steps"];

function agentLines(node: AgentNode, parents: readonly string[], steps: Steps): Line[] {
  const content = contentOf(node, [...parents, node.agent], steps);
  const { branch } = node;
  const known = content.map(({ span }) => span);
  // Calls beyond the latest are only in its sums.
  const span = unionOf(known) ?? { from: branch.started_at * 1000, to: branch.ended_at * 1000 };
  return [{ kind: "agent", id: `agent ${node.agent}`, parents, node, span }, ...content];
}

function contentOf(node: AgentNode, parents: readonly string[], steps: Steps): Line[] {
  const groups = [
    ...callLines(node.agent, parents, steps).map((line): Line[] => [line]),
    ...node.children.map((child) => agentLines(child, parents, steps)),
  ];
  return groups.toSorted((a, b) => startOf(a) - startOf(b)).flat();
}

const startOf = (lines: readonly Line[]): number => lines[0]?.span.from ?? 0;

function callLines(agent: string, parents: readonly string[], steps: Steps): CallLine[] {
  const calls = steps
    .filter((each) => each.agent === agent)
    .flatMap(({ step, calls }) => calls.map((call) => ({ step, call })))
    .toSorted((a, b) => a.call.started_ms - b.call.started_ms);
  let lastEnd = Number.POSITIVE_INFINITY;
  return calls.map(({ step, call }, at) => {
    const { started_ms: from, elapsed_ms: elapsed, tools } = call;
    const span = { from, to: from + elapsed };
    const ran = tools.length > 0 && from > lastEnd ? { from: lastEnd, to: from } : null;
    lastEnd = span.to;
    return { kind: "call", id: `${call.request_id || at}`, parents, agent, step, call, span, tools: ran };
  });
}

function unionOf(spans: readonly Span[]): Span | null {
  if (spans.length === 0) return null;
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}
