import type { Conversation, Tool, ToolChoice } from "../../conversation/conversation.ts";
import { recordsOf, textOf } from "../../json.ts";
import { qualifiedName } from "../../tools/tool-names.ts";
import { readTool } from "./tools.ts";

type Offered = Exclude<Tool, { type: "hosted" }>;

/**
 * The conversation for formats without tool namespaces (Codex groups some of its tools in them): each function of a
 * namespace becomes a separate tool whose name contains its namespace, also in earlier calls. The first of them has the
 * namespace's description.
 */
export function flattenNamespaces(conversation: Conversation): Conversation {
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
