import type { AgentNode } from "./session-calls.ts";

/** An agent of a session as a line of a table; `depth` is 0 for the agent that the session began with. */
export type AgentRow = Readonly<{ node: AgentNode; depth: number }>;

/** The agents of a tree from top to bottom, each followed by those that it started. */
export const agentRows = (node: AgentNode, depth = 0): AgentRow[] => [
  { node, depth },
  ...node.children.flatMap((child) => agentRows(child, depth + 1)),
];

/** The name of an agent, else its id, empty for the first one; null: the session has no other agents. */
export function nameOf(root: AgentNode, agent: string): string | null {
  if (root.children.length === 0) return null;
  const found = agentRows(root).find(({ node }) => node.agent === agent);
  return found?.node.name || agent;
}
