import { hexDigest } from "../lib/digest.ts";
import type { Conversation, Part, ToolChoice } from "./conversation.ts";

/** What every format takes as the name of a tool. Google's own may hold dots and colons, Anthropic's be twice as long. */
const TAKEN_BY_ALL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MOST_KEPT = 52;
const DIGITS = 8;

/**
 * Names of tools, also of earlier calls, that not every format takes, each with one that it does: readable, and always the
 * same. Empty: all may stay.
 */
export function toolAliases({ tools, turns }: Pick<Conversation, "tools" | "turns">): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  const note = (name: string) => {
    if (name !== "" && !TAKEN_BY_ALL.test(name)) aliases.set(name, aliasOf(name));
  };
  for (const tool of tools) if (tool.type !== "hosted") note(tool.name);
  for (const { parts } of turns) for (const part of parts) if (part.type === "tool-call") note(part.name);
  return aliases;
}

function aliasOf(name: string): string {
  const digest = hexDigest(name).slice(0, DIGITS);
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MOST_KEPT);
  return `${/^[A-Za-z_]/.test(plain) ? "" : "_"}${plain}_${digest}`;
}

/** The conversation with other names of tools: where they are offered, chosen, called and answered. */
export function withToolNames(conversation: Conversation, names: ReadonlyMap<string, string>): Conversation {
  if (names.size === 0) return conversation;
  const { tools, turns, toolChoice } = conversation;
  const nameOf = (name: string) => names.get(name) ?? name;
  return {
    ...conversation,
    tools: tools.map((tool) => (tool.type === "hosted" ? tool : { ...tool, name: nameOf(tool.name) })),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => renamed(part, nameOf)) })),
    toolChoice: chosen(toolChoice, nameOf),
  };
}

function renamed(part: Part, nameOf: (name: string) => string): Part {
  if (part.type === "tool-call") return { ...part, name: nameOf(part.name) };
  return part.type === "tool-result" && part.name !== null ? { ...part, name: nameOf(part.name) } : part;
}

function chosen(choice: ToolChoice | null, nameOf: (name: string) => string): ToolChoice | null {
  if (choice?.type === "tool") return { ...choice, name: nameOf(choice.name) };
  return choice?.type === "allowed" ? { ...choice, names: choice.names.map(nameOf) } : choice;
}
