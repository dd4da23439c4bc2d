/** The scope of all access that applications get: the MCP servers. */
export const MCP_SCOPE = "mcp";

const MCP_PATH = "/mcp";
/** As names of servers are. */
const SERVER = /^[a-z0-9-]{1,32}$/;

/** The address of all MCP servers, or of one, as clients name it (RFC 8707, RFC 9728). */
export const mcpResource = (site: string, server: string): string =>
  `${site}${MCP_PATH}${server === "" ? "" : `/${encodeURIComponent(server)}`}`;

/** The server that a resource names; empty: all. Null: it is no MCP address of the site. */
export function serverOfResource(site: string, resource: string): string | null {
  if (resource.includes("#")) return null;
  const [url, base] = [URL.parse(resource), URL.parse(site)];
  if (!url || !base || url.origin !== base.origin || url.search !== "" || url.username !== "") return null;
  const root = base.pathname.replace(/\/$/, "") + MCP_PATH;
  const path = url.pathname.replace(/\/$/, "");
  if (path === root) return "";
  const name = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : "";
  return SERVER.test(name) ? name : null;
}

/** Whether requested scopes ask for what there is; others are ignored (RFC 6749, 3.3). */
export const asksForScope = (scope: string | undefined): boolean => {
  const scopes = (scope ?? "").split(" ").filter(Boolean);
  return scopes.length === 0 || scopes.includes(MCP_SCOPE);
};
