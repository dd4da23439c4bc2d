import type { McpTool } from "../../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import { aliasOf } from "../../../../domain/models/mcp/tools/tool-names.ts";
import { allowsModel } from "../../../auth/authorize.ts";
import type { Caller } from "../../../call/caller.ts";
import type { Services } from "../../../call/services.ts";

/** The model name by which a tool is allowed, limited, priced and logged. */
export const toolModel = (server: string, tool: string): string => `mcp/${server}/${tool}`;

/** A tool under the name by which the client gets it. */
export type OfferedTool = Readonly<{ alias: string; model: string; server: McpServer; tool: McpTool }>;

/** The servers that a caller may use; `name`: only this one. */
export function serversOf(
  { mcpServers }: Pick<Services, "mcpServers">,
  { group, user, token }: Pick<Caller, "group" | "token" | "user">,
  name: string | null,
): readonly McpServer[] {
  const keys = { projectId: token?.projectId ?? 0, keyId: token?.id ?? 0 };
  const servers = mcpServers?.of({ group, accountId: user.id, ...keys }) ?? [];
  return name === null ? servers : servers.filter((server) => server.name === name);
}

/** The tools of a server by the names that `nameOf` gives them, made once for each configuration of a server. */
function namesBy(nameOf: (server: McpServer, tool: McpTool) => string) {
  const known = new WeakMap<McpServer, ReadonlyMap<string, McpTool>>();
  return (server: McpServer): ReadonlyMap<string, McpTool> => {
    const names = known.get(server) ?? new Map(server.offered.map((tool) => [nameOf(server, tool), tool]));
    known.set(server, names);
    return names;
  };
}

const joinedNames = namesBy((server, tool) => aliasOf(server.name, tool.name));
const ownNames = namesBy((_, tool) => tool.name);

/** Tools of servers under the names that a client gets: with the server's name before them if it is `joined` with others. */
export class OfferedTools {
  readonly #namesOf: typeof ownNames;

  constructor(
    private readonly servers: readonly McpServer[],
    isJoined: boolean,
    private readonly caller: Caller,
  ) {
    this.#namesOf = isJoined ? joinedNames : ownNames;
  }

  /** Those that key and policies allow, in the order of servers and names. */
  *[Symbol.iterator](): Generator<OfferedTool> {
    for (const server of this.servers) {
      for (const [alias, tool] of this.#namesOf(server)) {
        const model = toolModel(server.name, tool.name);
        if (allowsModel(this.caller, model)) yield { alias, model, server, tool };
      }
    }
  }

  /** Null: no server has it. Whether key and policies allow it is not checked. */
  find(alias: string): OfferedTool | null {
    for (const server of this.servers) {
      const tool = this.#namesOf(server).get(alias);
      if (tool) return { alias, model: toolModel(server.name, tool.name), server, tool };
    }
    return null;
  }
}
