import { expect, test } from "bun:test";
import { buildAgentTree } from "../../../../src/domain/logs/sessions/session-tree.ts";
import { agentRows, nameOf } from "./agent-rows.ts";

const row = (agent: string, parent: string, started_at: number) => ({
  ...{ agent, parent, name: agent && `/root/${agent}`, calls: 1, failed: 0, quota: 1, prompt_tokens: 0 },
  ...{ cached_tokens: 0, completion_tokens: 0, elapsed_ms: 1, tool_calls: 0, started_at, ended_at: started_at },
});
const tree = buildAgentTree([row("", "", 1), row("b", "a", 3), row("a", "", 2), row("c", "", 4)]);

test("lists each agent above those that it started", () =>
  expect(agentRows(tree).map(({ node, depth }) => `${depth}${node.agent}`)).toEqual(["0", "1a", "2b", "1c"]));

test("names agents where there are several", () => {
  expect(["", "b", "unknown"].map((agent) => nameOf(tree, agent))).toEqual(["", "/root/b", "unknown"]);
  expect(nameOf(buildAgentTree([row("", "", 1)]), "")).toBeNull();
});
