import { expect, test } from "bun:test";
import { type AgentNode, buildAgentTree } from "./session-tree.ts";

const row = (agent: string, parent: string, quota: number, started_at = quota) => ({
  ...{ agent, parent, name: agent.toUpperCase(), calls: 1, failed: 0, quota, prompt_tokens: 2, cached_tokens: 1 },
  ...{ completion_tokens: 3, elapsed_ms: 10 * quota, tool_calls: 1, started_at, ended_at: started_at + 5 },
});
/** `name own/branch(children)` */
const text = ({ agent, own, branch, children }: AgentNode): string =>
  `${agent}${own.quota}/${branch.quota}${children.length > 0 ? `(${children.map(text).join(" ")})` : ""}`;

test("sums cost, time and tools of each branch, whatever the order of rows", () => {
  const rows = [row("a", "", 2), row("", "", 1), row("b", "a", 30, 4), row("c", "b", 400), row("d", "", 5000, 3)];
  for (const order of [rows, rows.toReversed()]) {
    const tree = buildAgentTree(order);
    expect(text(tree)).toBe("1/5433(a2/432(b30/430(c400/400)) d5000/5000)");
    expect(tree.children[0]).toMatchObject({
      ...{ agent: "a", name: "A" },
      own: { calls: 1, elapsed_ms: 20, tool_calls: 1, started_at: 2, ended_at: 7 },
      branch: { calls: 3, elapsed_ms: 4320, tool_calls: 3, started_at: 2, ended_at: 405, prompt_tokens: 6 },
    });
  }
});

test("an agent that made no calls is there without any, above those that it started", () => {
  expect(text(buildAgentTree([row("b", "silent", 3), row("c", "silent", 4)]))).toBe("0/7(silent0/7(b3/3 c4/4))");
  expect(text(buildAgentTree([]))).toBe("0/0");
});

test("agents that name each other as parents lose no call", () => {
  const tree = buildAgentTree([row("", "", 1), row("a", "b", 2), row("b", "a", 3), row("c", "c", 4), row("d", "a", 5)]);
  expect(tree.branch.quota).toBe(15);
  expect(tree.branch.calls).toBe(5);
});
