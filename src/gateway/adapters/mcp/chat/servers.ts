import { responsesServers } from "../responses/servers.ts";
import { invalid } from "../sources/declared.ts";
import type { SiteServerOf } from "../sources/site-address.ts";
import type { McpServer } from "../toolset.ts";

/**
 * The MCP servers of a Chat Completions request: tools of the type `mcp`, as the Responses API and LiteLLM
 * (https://docs.litellm.ai/docs/mcp_usage) have them. Throws DecodeError.
 */
export const chatServers = (tools: unknown, siteServerOf: SiteServerOf): readonly McpServer[] =>
  responsesServers(tools, siteServerOf, approvalsOf);

/** The format has nothing to ask for an approval with: no call is made that its client wants to approve. */
function approvalsOf(value: unknown): McpServer["needsApproval"] {
  if (value != null && value !== "never") throw invalid("tools.require_approval", "“never”", "tools");
  return () => false;
}
