import { expect, test } from "bun:test";
import { tool } from "../../../../test/gateway/mcp/configured-server.ts";
import { type McpServer, McpToolset } from "./toolset.ts";

const server = (label: string): McpServer => ({
  ...{ label, url: "https://mcp.example/", siteServer: null, headers: {}, description: null },
  ...{ allows: () => true, needsApproval: () => false },
});

test("a tool stands in for no other server's, whatever its name", async () => {
  const names: Readonly<Record<string, string>> = { a: "b__c", a__b: "c" };
  const calls: string[] = [];
  const open = ({ label }: McpServer) => ({
    isListedByClient: true,
    listTools: async () => [tool(names[label] ?? "")],
    callTool: async (name: string) => {
      calls.push(`${label} ${name}`);
      return { content: [] };
    },
    close() {},
  });
  for (const labels of [
    ["a", "a__b"],
    ["a__b", "a"],
  ]) {
    const toolset = new McpToolset(open, labels.map(server), new AbortController().signal);
    await toolset.list("openai-chat", new Map());
    expect(new Set(toolset.offered.map(({ alias }) => alias)).size).toBe(2);
    for (const offered of toolset.offered) await toolset.call(offered, "{}");
    const found = toolset.offered.map(({ alias }) => toolset.find(alias)?.server.label);
    expect(found).toEqual(labels);
  }
  expect(calls).toEqual(["a b__c", "a__b c", "a__b c", "a b__c"]);
});
