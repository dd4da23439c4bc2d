import { textOf } from "../../../../formats/json.ts";
import { checkLabels, geminiServersIn, geminiTransportOf, headersOf, placeOf } from "../sources/declared.ts";
import type { SiteServerOf } from "../sources/site-address.ts";
import type { McpServer } from "../toolset.ts";

const TRANSPORT = "tools.mcpServers.streamableHttpTransport";

/**
 * The MCP servers of a request in Google's format (`tools[].mcpServers`). Throws DecodeError. Source:
 * https://ai.google.dev/api/caching#McpServer
 */
export function geminiServers(tools: unknown, siteServerOf: SiteServerOf): readonly McpServer[] {
  const declared = geminiServersIn(tools);
  const labels = declared.map(({ name }) => textOf(name) ?? "");
  checkLabels(labels, { param: "tools", field: "tools.mcpServers.name" });
  return declared.map((server, at) => {
    const label = labels[at] ?? "";
    const { url, headers } = geminiTransportOf(server);
    return {
      label,
      ...placeOf(url, label, { param: "tools", siteServerOf }),
      headers: headersOf(headers, `${TRANSPORT}.headers`, "tools"),
      description: null,
      allows: () => true,
      needsApproval: () => false,
    };
  });
}
