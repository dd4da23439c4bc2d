import {
  type Conversation,
  extensionsOf,
  type OutputFormat,
  ownMembers,
  type Part,
  type Tool,
  type ToolChoice,
} from "../../conversation/conversation.ts";
import { readCacheMark } from "../../helpers/cache-marks.ts";
import { compact, type JsonObject, recordOf, recordsOf, textOf } from "../../json.ts";
import { qualifiedName } from "../../tools/tool-names.ts";

/** Members of a function that are decoded. */
const FUNCTION_MEMBERS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "parameters", "strict", "cache_control"],
]);

const CUSTOM_MEMBERS: ReadonlySet<string> = new Set(["type", "name", "description", "format", "cache_control"]);
/** The version at the end of a hosted tool's type. */
const VERSION = /_preview.*$|(_\d+){3}$/;

/** Reads a tool of a request; Responses tools are flat. */
export function readTool(tool: JsonObject): Tool {
  const type = textOf(tool.type) ?? "function";
  const name = textOf(tool.name) ?? "";
  const description = textOf(tool.description);
  if (type === "function") {
    const strict = typeof tool.strict === "boolean" ? tool.strict : null;
    const extensions = extensionsOf("openai-responses", tool, FUNCTION_MEMBERS);
    const read = { name, description, parameters: recordOf(tool.parameters), strict, ...readCacheMark(tool) };
    return { type, ...read, ...extensions };
  }
  if (type === "custom") {
    const extensions = extensionsOf("openai-responses", tool, CUSTOM_MEMBERS);
    return { type, name, description, format: recordOf(tool.format), ...readCacheMark(tool), ...extensions };
  }
  return { type: "hosted", name: type.replace(VERSION, ""), dialect: "openai-responses", value: tool };
}

/** Writes a tool in flat form; null if only another format has it. */
export function writeTool(tool: Tool): JsonObject | null {
  switch (tool.type) {
    case "function": {
      const { name, description, parameters, strict } = tool;
      const schema = parameters ?? { type: "object", properties: {} };
      // The API defaults `strict` to true and would reject schemas not written for it.
      return {
        ...ownMembers(tool, "openai-responses"),
        type: "function",
        name,
        ...(description !== null && { description }),
        parameters: schema,
        strict: strict ?? false,
      };
    }
    case "custom":
      return {
        ...ownMembers(tool, "openai-responses"),
        ...{ type: "custom", ...compact({ name: tool.name, description: tool.description, format: tool.format }) },
      };
    case "hosted":
      return tool.dialect === "openai-responses" ? tool.value : null;
  }
}

const CHOICE_MEMBERS: ReadonlySet<string> = new Set(["type"]);

/** `tool_choice` of Responses; null: it is missing or unknown. */
export function readChoice(value: unknown): ToolChoice | null {
  if (value === "auto" || value === "none" || value === "required") return { type: value };
  const choice = recordOf(value);
  if (choice?.type === "allowed_tools") {
    const names = recordsOf(choice.tools).flatMap(({ name }) => textOf(name) ?? []);
    return { type: "allowed", mode: choice.mode === "required" ? "required" : "auto", names };
  }
  if (!choice) return null;
  const kind = choice.type === "custom" ? "custom" : "function";
  if (choice.type === kind && textOf(choice.name)) return { type: "tool", name: textOf(choice.name) ?? "", kind };
  // A tool choice names a hosted tool by its type; an MCP server also by its label and tool.
  const name = textOf(choice.type) ?? textOf(choice.name);
  return name === null
    ? null
    : { type: "tool", name, kind, ...extensionsOf("openai-responses", choice, CHOICE_MEMBERS) };
}

/** A tool choice as `tool_choice` of Responses; null: none. */
export function writeChoice(choice: ToolChoice | null, tools: readonly Tool[]): unknown {
  if (!choice) return null;
  switch (choice.type) {
    case "tool": {
      const hosted = tools.find(
        (tool) => tool.type === "hosted" && (tool.name === choice.name || tool.value.type === choice.name),
      );
      return hosted
        ? { ...ownMembers(choice, "openai-responses"), type: choice.name }
        : { type: choice.kind, name: choice.name };
    }
    case "allowed":
      return {
        type: "allowed_tools",
        mode: choice.mode,
        tools: choice.names.map((name) => ({ type: "function", name })),
      };
    default:
      return choice.type;
  }
}

/** `text.format` of Responses; null: it is missing or unknown. */
export function readFormat(format: JsonObject | null): OutputFormat | null {
  if (format?.type === "text") return { type: "text" };
  if (format?.type === "json_object") return { type: "json" };
  if (format?.type !== "json_schema") return null;
  return {
    type: "schema",
    name: textOf(format.name) ?? "answer",
    description: textOf(format.description),
    schema: recordOf(format.schema) ?? {},
    strict: typeof format.strict === "boolean" ? format.strict : null,
  };
}

/** Writes the `text` member: format and verbosity. */
export function writeText({ format, verbosity }: Pick<Conversation, "format" | "verbosity">): JsonObject | null {
  if (!format && verbosity === null) return null;
  return compact({ format: format && formatObject(format), verbosity });
}

function formatObject(format: OutputFormat): JsonObject {
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return compact({ type: "json_schema", name, description, schema, strict });
}

type Offered = Exclude<Tool, { type: "hosted" }>;

/**
 * The conversation for formats without tool namespaces (Codex groups some of its tools in them): each function of a
 * namespace becomes a separate tool whose name contains its namespace, also in earlier calls. The first of them has the
 * namespace's description.
 */
export function flattenNamespaces(source: Conversation): Conversation {
  const conversation = withLoadedTools(source);
  const { tools, turns, toolChoice } = conversation;
  const isQualified = turns.some(({ parts }) =>
    parts.some((part) => part.type === "tool-call" && part.namespace !== undefined),
  );
  if (!isQualified && !tools.some(isNamespace)) return conversation;
  const spread = tools.flatMap((tool) => (isNamespace(tool) ? membersOf(tool) : [tool]));
  return {
    ...conversation,
    tools: spread,
    turns: turns.map((turn) => ({
      ...turn,
      parts: turn.parts.map((part) => {
        if (part.type !== "tool-call" || part.namespace === undefined) return part;
        const { namespace, ...call } = part;
        return { ...call, name: qualifiedName(namespace, part.name) };
      }),
    })),
    toolChoice: toolChoice && resolveChoice(toolChoice, spread),
  };
}

/** Items that bring tools along, and those that only lead to them. */
const TOOL_ITEMS: ReadonlySet<string> = new Set(["additional_tools", "tool_search_call", "tool_search_output"]);

/**
 * The conversation with the tools that its items bring along (Codex lists all of its tools in one, and a search for tools
 * returns what it found): other formats take tools in one list only, and load all of them.
 */
function withLoadedTools(conversation: Conversation): Conversation {
  const { tools, turns } = conversation;
  const isToolItem = (part: Part): part is Extract<Part, { type: "native" }> =>
    part.type === "native" && part.dialect === "openai-responses" && TOOL_ITEMS.has(part.name);
  const items = turns.flatMap(({ parts }) => parts.filter(isToolItem));
  if (items.length === 0) return conversation;
  const known = new Set(tools.map(({ name }) => name));
  const loaded = items
    .flatMap(({ value }) => recordsOf(value.tools).map(readTool))
    .filter(({ name }) => !known.has(name) && known.add(name));
  return {
    ...conversation,
    tools: [...tools.filter((tool) => tool.type !== "hosted" || tool.name !== "tool_search"), ...loaded],
    turns: turns
      .map((turn) => ({ ...turn, parts: turn.parts.filter((part) => !isToolItem(part)) }))
      .filter(({ parts }, at) => parts.length > 0 || turns[at]?.parts.length === 0),
  };
}

type Namespace = Extract<Tool, { type: "hosted" }>;

const isNamespace = (tool: Tool): tool is Namespace =>
  tool.type === "hosted" && tool.dialect === "openai-responses" && tool.name === "namespace";

function membersOf({ value }: Namespace): Offered[] {
  const namespace = textOf(value.name) ?? "";
  const members = recordsOf(value.tools)
    .map(readTool)
    .filter((tool): tool is Offered => tool.type !== "hosted");
  const about = textOf(value.description);
  return members.map((tool, at) => ({
    ...tool,
    name: qualifiedName(namespace, tool.name),
    ...(at === 0 && about !== null && { description: [about, tool.description ?? ""].join("\n\n").trim() }),
  }));
}

/** A tool choice names a function without its namespace: finds the only function with that name. */
function resolveChoice(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  const nameOf = (name: string): string => {
    const suffix = qualifiedName("", name);
    const named = tools.filter((tool) => tool.name === name || tool.name.endsWith(suffix));
    return named.find((tool) => tool.name === name)?.name ?? (named.length === 1 ? (named[0]?.name ?? name) : name);
  };
  if (choice.type === "tool") return { ...choice, name: nameOf(choice.name) };
  return choice.type === "allowed" ? { ...choice, names: choice.names.map(nameOf) } : choice;
}
