import { z } from "zod";
import type { McpTool, ToolResult } from "../../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import type { JsonObject } from "../../../../formats/json.ts";
import type { OfferedTool, OfferedTools } from "../../../adapters/mcp/sources/offered-tools.ts";
import type { Uses } from "../../../call/services.ts";
import { rankTools } from "./rank-tools.ts";

const MAX_RESULTS = 20;
/** Of one search: schemas may be long. The best match is always among the results. */
const MAX_RESULT_LENGTH = 200_000;
const MAX_QUERY_LENGTH = 1_000;
const MAX_SERVERS_NAMED = 50;

const searchInput = z.object({
  query: z.string().trim().min(1).max(MAX_QUERY_LENGTH),
});
const callInput = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

/** A tool of the gateway's own, described as those of servers are. */
type OwnTool = Pick<McpTool, "annotations" | "description" | "inputSchema"> & Readonly<{ alias: string }>;

/** What a caller gets instead of a list of tools that is too long for models: a tool that finds tools, and one that calls them. */
export type ToolSearch = Readonly<{
  /** What `tools/list` offers. */
  own: readonly OwnTool[];
  searches(name: string): boolean;
  calls(name: string): boolean;
}>;

type Searched = Readonly<{
  tools: OfferedTools;
  servers: readonly McpServer[];
  isJoined: boolean;
}>;

/** Null: the caller has no more tools than the option `mcp.tool_search_threshold` says, or it is 0, and gets them all listed. */
export function toolSearchOf({ services: { settings } }: Uses<"settings">, searched: Searched): ToolSearch | null {
  const threshold = settings.values["mcp.tool_search_threshold"];
  if (threshold === 0 || !hasMoreThan(searched.tools, threshold)) return null;
  const [search, call] = [freeName(searched.tools, "search_tools"), freeName(searched.tools, "call_tool")];
  return {
    own: [searchTool(search, call, searched), callTool(call, search)],
    searches: (name) => name === search,
    calls: (name) => name === call,
  };
}

function hasMoreThan(tools: OfferedTools, threshold: number): boolean {
  let count = 0;
  for (const _ of tools) {
    count += 1;
    if (count > threshold) return true;
  }
  return false;
}

/** At the address of one server, its tools may have any name. */
function freeName(tools: OfferedTools, name: string): string {
  let free = name;
  while (tools.find(free)) free = `_${free}`;
  return free;
}

function searchTool(alias: string, call: string, { servers, isJoined }: Searched): OwnTool {
  const names = servers.slice(0, MAX_SERVERS_NAMED).map(({ name }) => name);
  const named = isJoined ? ` They are those of the servers ${names.join(", ")}.` : "";
  return {
    alias,
    description: `Finds tools, of which there are too many to list.${named} Returns at most ${MAX_RESULTS} names, descriptions and input schemas, the best match first. Call a tool that it returns by its name or, if you cannot, with ${call}.`,
    inputSchema: {
      type: "object",
      properties: {
        query: {
          ...{ type: "string", minLength: 1, maxLength: MAX_QUERY_LENGTH },
          description: "Words that names or descriptions of tools have, such as “create issue”.",
        },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

const callTool = (alias: string, search: string): OwnTool => ({
  alias,
  description: `Calls a tool that ${search} has returned.`,
  inputSchema: {
    type: "object",
    properties: {
      name: {
        type: "string",
        description: `The tool's name, as ${search} returned it.`,
      },
      arguments: {
        type: "object",
        description: "What the tool's input schema asks for.",
      },
    },
    required: ["name"],
  },
  annotations: null,
});

/**
 * The best matches of a query among what the caller may use, written as `describe` does. A query that is none is an error that the model
 * reads.
 */
export async function searchTools(
  { tools, servers }: Searched,
  input: JsonObject,
  describe: (tool: OfferedTool) => object,
): Promise<ToolResult> {
  const parsed = searchInput.safeParse(input);
  if (!parsed.success) {
    return failure(`“query” must be a text of 1 to ${MAX_QUERY_LENGTH} characters.`);
  }
  const scoreOf = await rankTools(servers, parsed.data.query);
  const matches = [...tools]
    .flatMap((offered) => {
      const score = scoreOf(offered.server, offered.tool);
      return score > 0 ? [{ offered, score }] : [];
    })
    .toSorted((a, b) => b.score - a.score);
  const described: object[] = [];
  let length = 0;
  for (const { offered } of matches.slice(0, MAX_RESULTS)) {
    const tool = describe(offered);
    length += JSON.stringify(tool).length;
    if (described.length > 0 && length > MAX_RESULT_LENGTH) break;
    described.push(tool);
  }
  return {
    content: [
      {
        type: "text",
        text: JSON.stringify({ matches: matches.length, tools: described }),
      },
    ],
  };
}

/** The call for which `call_tool` stands; a result: why it is none. */
export function readToolCall(input: JsonObject): Readonly<{ name: string; input: JsonObject }> | ToolResult {
  const parsed = callInput.safeParse(input);
  if (!parsed.success) return failure("“name” must be the name of a tool, and “arguments” an object.");
  return { name: parsed.data.name, input: parsed.data.arguments ?? {} };
}

const failure = (text: string): ToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
});
