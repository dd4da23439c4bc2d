import type { Dropped } from "../conversation/codec.ts";
import type { Conversation, Part, Tool } from "../conversation/conversation.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../json.ts";
import { qualifiedName } from "./tool-names.ts";

/** Parameters of the function that replaces a free-text tool. */
export const FREE_TEXT: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/**
 * Names of the free-text (`custom`) tools in a request of OpenAI's formats, also of those in items of its input; other formats
 * have none.
 */
export const customNames = ({ tools, input }: JsonObject): ReadonlySet<string> =>
  new Set([
    ...recordsOf(tools).flatMap((tool) => {
      if (tool.type === "custom") return textOf(recordOf(tool.custom)?.name) ?? textOf(tool.name) ?? [];
      if (tool.type !== "namespace") return [];
      return [...customNames({ tools: tool.tools })].map((name) => qualifiedName(textOf(tool.name) ?? "", name));
    }),
    ...recordsOf(input).flatMap(({ tools: loaded }) =>
      Array.isArray(loaded) ? [...customNames({ tools: loaded })] : [],
    ),
  ]);

/**
 * The conversation for formats that only have functions: free-text tools, earlier calls of them and a forced choice
 * become a function whose `input` is the text. A grammar goes into the description, because these formats cannot
 * enforce it.
 */
export function customAsFunctions(conversation: Conversation, dropped: Dropped): Conversation {
  const { tools, turns, toolChoice } = conversation;
  return {
    ...conversation,
    tools: tools.map((tool) => (tool.type === "custom" ? asFunction(tool, dropped) : tool)),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map(asFunctionCall) })),
    toolChoice: toolChoice?.type === "tool" ? { ...toolChoice, kind: "function" } : toolChoice,
  };
}

function asFunction(
  { name, description, format, extensions }: Extract<Tool, { type: "custom" }>,
  dropped: Dropped,
): Tool {
  const definition = format?.type === "grammar" ? textOf(format.definition) : null;
  if (definition !== null) dropped.add("tools: format");
  const grammar =
    definition === null ? [] : [`\`input\` must fit this ${textOf(format?.syntax) ?? ""} grammar:\n${definition}`];
  const fullDescription = [...(description === null ? [] : [description]), ...grammar].join("\n\n");
  return {
    type: "function",
    name,
    description: fullDescription || null,
    parameters: FREE_TEXT,
    strict: null,
    ...(extensions && { extensions }),
  };
}

const asFunctionCall = (part: Part): Part =>
  part.type === "tool-call" && part.kind === "custom"
    ? { ...part, kind: "function", input: JSON.stringify({ input: part.input }) }
    : part;
