/** The sums of the calls of one agent of a session; quantities in tokens, quota units and milliseconds. */
export type AgentSums = Readonly<{
  calls: number;
  failed: number;
  quota: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  elapsed_ms: number;
  tool_calls: number;
  /** Arrival of the first and of the latest call, in epoch seconds; 0 without calls. */
  started_at: number;
  ended_at: number;
}>;

/** An agent of a session; empty names: the one that the session began with. */
type AgentRow = AgentSums & Readonly<{ agent: string; parent: string; name: string }>;

/** An agent of a session, and below it those that it started. */
export type AgentNode = Readonly<{
  /** Empty for the agent that the session began with. */
  agent: string;
  /** What the client calls it; empty if it has no name. */
  name: string;
  /** The sums of its own calls. */
  own: AgentSums;
  /** The same with all agents below it. */
  branch: AgentSums;
  children: readonly AgentNode[];
}>;

type Draft = { row: AgentRow; children: Draft[] };

const NOTHING: AgentSums = {
  ...{ calls: 0, failed: 0, quota: 0, prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
  ...{ elapsed_ms: 0, tool_calls: 0, started_at: 0, ended_at: 0 },
};

/**
 * The agents of a session as a tree below the one that it began with, each with its sums and those of its branch. Parents are what
 * clients said: one that made no calls is a node without any, and agents that name each other as parents stand at the top.
 */
export function buildAgentTree(rows: readonly AgentRow[]): AgentNode {
  const drafts = new Map<string, Draft>();
  const add = (row: AgentRow) => void drafts.set(row.agent, { row, children: [] });
  for (const row of rows) add(row);
  for (const { parent } of [{ parent: "" }, ...rows])
    if (!drafts.has(parent)) add({ ...NOTHING, agent: parent, parent: "", name: "" });
  const parentOf = new Map([...drafts.values()].map(({ row }) => [row.agent, row.parent]));
  const reachesRoot = (agent: string) => {
    const seen = new Set<string>();
    for (let at = agent; at !== ""; at = parentOf.get(at) ?? "") {
      if (seen.has(at)) return false;
      seen.add(at);
    }
    return true;
  };
  for (const agent of drafts.keys()) if (!reachesRoot(agent)) parentOf.set(agent, "");
  const root = drafts.get("");
  if (!root) throw new TypeError("a session has an agent that it began with");
  for (const draft of drafts.values())
    if (draft !== root) drafts.get(parentOf.get(draft.row.agent) ?? "")?.children.push(draft);
  return nodeOf(root);
}

function nodeOf({ row: { agent, parent: _, name, ...own }, children }: Draft): AgentNode {
  const nodes = children.map(nodeOf).sort((a, b) => a.branch.started_at - b.branch.started_at);
  return { agent, name, own, branch: nodes.reduce((sums, { branch }) => sumOf(sums, branch), own), children: nodes };
}

function sumOf(a: AgentSums, b: AgentSums): AgentSums {
  if (a.calls === 0 || b.calls === 0) return a.calls === 0 ? b : a;
  return {
    calls: a.calls + b.calls,
    failed: a.failed + b.failed,
    quota: a.quota + b.quota,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    elapsed_ms: a.elapsed_ms + b.elapsed_ms,
    tool_calls: a.tool_calls + b.tool_calls,
    started_at: Math.min(a.started_at, b.started_at),
    ended_at: Math.max(a.ended_at, b.ended_at),
  };
}
