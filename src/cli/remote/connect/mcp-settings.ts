import type { JsonObject } from "../../../formats/json.ts";
import type { Access, AgentDescription, AgentFile } from "./agents.ts";

const NAME = "sluice";
const address = ({ url }: Access): string => `${url}/mcp`;
const headers = ({ key }: Access): JsonObject => ({ Authorization: `Bearer ${key}` });

/** A file of JSON with an object of servers by their names. */
const inJson = (
  path: string,
  member: string,
  { serverOf, windowsPath }: Readonly<{ serverOf: (access: Access) => JsonObject; windowsPath?: string }>,
): AgentFile => ({
  ...{ path, format: "json", values: (access) => [[[member, NAME], serverOf(access)]] },
  ...(windowsPath !== undefined && { windowsPath }),
});

const asHttp = { serverOf: (access: Access) => ({ type: "http", url: address(access), headers: headers(access) }) };
const asHttpUrl = { serverOf: (access: Access) => ({ httpUrl: address(access), headers: headers(access) }) };
const asRemote = { serverOf: (access: Access) => ({ type: "remote", url: address(access), headers: headers(access) }) };
const asUrl = { serverOf: (access: Access) => ({ url: address(access), headers: headers(access) }) };

/** Where an agent has its MCP servers, by its name on the command line. */
const FILES: Readonly<Record<string, AgentFile>> = {
  claude: inJson(".claude.json", "mcpServers", asHttp),
  codex: {
    path: ".codex/config.toml",
    format: "toml",
    values: (access) => [
      [["mcp_servers", NAME, "url"], address(access)],
      [["mcp_servers", NAME, "http_headers", "Authorization"], `Bearer ${access.key}`],
    ],
  },
  gemini: inJson(".gemini/settings.json", "mcpServers", asHttpUrl),
  opencode: inJson(".config/opencode/opencode.json", "mcp", asRemote),
  qwen: inJson(".qwen/settings.json", "mcpServers", asHttpUrl),
  crush: inJson(".config/crush/crush.json", "mcp", { ...asHttp, windowsPath: "../Local/crush/crush.json" }),
  kilo: inJson(".config/kilo/kilo.json", "mcp", asRemote),
  continue: {
    path: ".continue/config.yaml",
    format: "yaml",
    adds: true,
    values: (access) => [
      [
        ["mcpServers"],
        [
          {
            ...{ name: "Sluice", type: "streamable-http", url: address(access) },
            requestOptions: { headers: headers(access) },
          },
        ],
      ],
    ],
  },
  zed: inJson(".config/zed/settings.json", "context_servers", { ...asUrl, windowsPath: "Zed/settings.json" }),
  cursor: inJson(".cursor/mcp.json", "mcpServers", asUrl),
};

/** An agent that is set up for the gateway's MCP servers, too; null: it has no settings for such servers that could be written. */
export function withMcp(name: string, agent: AgentDescription): AgentDescription | null {
  const added = FILES[name];
  if (!added) return null;
  const files = agent.files.map((file) => (file.path === added.path ? joined(file, added) : file));
  return { ...agent, files: files.some(({ path }) => path === added.path) ? files : [...files, added] };
}

const joined = (file: AgentFile, added: AgentFile): AgentFile => ({
  ...file,
  values: (access) => [...file.values(access), ...added.values(access)],
});
