import { hexDigest } from "../../lib/security/digest.ts";
import type { Conversation, Part, ToolChoice } from "../conversation/conversation.ts";

/** What every format takes as the name of a tool. Google's own may hold dots and colons, Anthropic's be twice as long. */
const TAKEN_BY_ALL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_NAME_PREFIX = 52;
const DIGITS = 8;

/** Parts a namespace from a name, inside this gateway: no tool's own name contains it. */
const SEPARATOR = "\u0000";

/** The name of a tool with its namespace (of OpenAI's Responses), as one name that no other tool has. */
export const qualifiedName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : namespace + SEPARATOR + name;

/** What `qualifiedName` put together. */
export function splitName(qualified: string): Readonly<{ namespace?: string; name: string }> {
  const at = qualified.indexOf(SEPARATOR);
  return at < 0 ? { name: qualified } : { namespace: qualified.slice(0, at), name: qualified.slice(at + 1) };
}

/**
 * Names of tools, also of earlier calls, that not every format takes, each with one that it does: readable, and always the
 * same. Empty: all may stay.
 */
export function toolAliases({ tools, turns }: Pick<Conversation, "tools" | "turns">): ReadonlyMap<string, string> {
  const names = new Set<string>();
  for (const tool of tools) if (tool.type !== "hosted") names.add(tool.name);
  for (const { parts } of turns) for (const part of parts) if (part.type === "tool-call") names.add(part.name);
  const aliases = new Map<string, string>();
  const own = [...names].filter((name) => TAKEN_BY_ALL.test(name));
  const taken = new Set(own);
  for (const name of names) {
    if (name === "" || TAKEN_BY_ALL.test(name)) continue;
    const plain = plainName(name);
    // Which of two is plain must not depend on their order: then neither is.
    const isPlain =
      plain !== null && !taken.has(plain) && [...names].every((one) => one === name || plainName(one) !== plain);
    let alias = isPlain ? plain : aliasOf(name);
    for (let salt = 1; taken.has(alias); salt += 1) alias = aliasOf(`${name}${SEPARATOR}${salt}`);
    taken.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}

/** A name with its namespace before it, as one that every format takes; null: it would be too long, or has none. */
function plainName(qualified: string): string | null {
  const { namespace, name } = splitName(qualified);
  if (namespace === undefined) return null;
  const plain = `${namespace}${namespace.endsWith("__") ? "" : "__"}${name}`;
  return TAKEN_BY_ALL.test(plain) ? plain : null;
}

function aliasOf(name: string): string {
  const digest = hexDigest(name).slice(0, DIGITS);
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_PREFIX);
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
