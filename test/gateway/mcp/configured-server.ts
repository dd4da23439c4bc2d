import type { McpTool } from "../../../src/domain/models/mcp/connection.ts";
import { readMcpRules } from "../../../src/domain/models/mcp/definition.ts";
import type { McpServer } from "../../../src/domain/models/mcp/directory.ts";

/** A tool as a server describes it. */
export const tool = (name: string, more: Partial<McpTool> = {}): McpTool => ({
  ...{ name, description: `The tool ${name}.`, inputSchema: { type: "object" }, annotations: null },
  ...more,
});

/** The tools of servers that an administrator has approved, unless a test names others. */
export const TOOLS = ["weather", "delete", "broken", "long", "slow", "missing"].map((name) => tool(name));

/** A server as an administrator has configured it. */
export const serverAt = (id: number, name: string, definition: object, more: Partial<McpServer> = {}): McpServer => ({
  ...readMcpRules(definition),
  ...{ id, name, secret: "", offered: TOOLS },
  ...more,
});
