import { hexDigest } from "../../lib/security/crypto.ts";
import type { Conversation, Part, ToolChoice } from "../conversation/conversation.ts";

/** Tool names that every format accepts. Google also allows dots and colons, Anthropic twice the length. */
const UNIVERSAL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_NAME_PREFIX = 52;
const DIGITS = 8;

/** Separates namespace and name inside this gateway; no tool name contains it. */
const SEPARATOR = "\u0000";

/** A tool's name with its namespace (OpenAI's Responses API) as one unique name. */
export const qualifiedName = (namespace: string | undefined, name: string): string =>
  namespace === undefined ? name : namespace + SEPARATOR + name;

/** Splits the result of `qualifiedName`. */
export function splitName(qualified: string): Readonly<{ namespace?: string; name: string }> {
  const at = qualified.indexOf(SEPARATOR);
  return at < 0 ? { name: qualified } : { namespace: qualified.slice(0, at), name: qualified.slice(at + 1) };
}

/**
 * Tool names, also of earlier calls, that some format rejects, each mapped to a readable and stable alias that all
 * accept. Empty if every name may stay.
 */
export function toolAliases({ tools, turns }: Pick<Conversation, "tools" | "turns">): ReadonlyMap<string, string> {
  const names = new Set<string>();
  for (const tool of tools) if (tool.type !== "hosted") names.add(tool.name);
  for (const { parts } of turns) for (const part of parts) if (part.type === "tool-call") names.add(part.name);
  const aliases = new Map<string, string>();
  const own = [...names].filter((name) => UNIVERSAL_NAME.test(name));
  const taken = new Set(own);
  for (const name of names) {
    if (name === "" || UNIVERSAL_NAME.test(name)) continue;
    const plain = plainName(name);
    // Of two equal plain names neither is used, so that the result does not depend on their order.
    const isPlain =
      plain !== null && !taken.has(plain) && [...names].every((one) => one === name || plainName(one) !== plain);
    let alias = isPlain ? plain : aliasOf(name);
    for (let salt = 1; taken.has(alias); salt += 1) alias = aliasOf(`${name}${SEPARATOR}${salt}`);
    taken.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}

/**
 * A name prefixed with its namespace in a form that every format accepts; null if it has no namespace or would be too
 * long.
 */
function plainName(qualified: string): string | null {
  const { namespace, name } = splitName(qualified);
  if (namespace === undefined) return null;
  const plain = `${namespace}${namespace.endsWith("__") ? "" : "__"}${name}`;
  return UNIVERSAL_NAME.test(plain) ? plain : null;
}

function aliasOf(name: string): string {
  const digest = hexDigest(name).slice(0, DIGITS);
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME_PREFIX);
  return `${/^[A-Za-z_]/.test(plain) ? "" : "_"}${plain}_${digest}`;
}

/** The conversation with renamed tools: in declarations, tool choice, calls and results. */
export function withToolNames(conversation: Conversation, names: ReadonlyMap<string, string>): Conversation {
  if (names.size === 0) return conversation;
  const { tools, turns, toolChoice } = conversation;
  const nameOf = (name: string) => names.get(name) ?? name;
  return {
    ...conversation,
    tools: tools.map((tool) => (tool.type === "hosted" ? tool : { ...tool, name: nameOf(tool.name) })),
    turns: turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => withRenamedTool(part, nameOf)) })),
    toolChoice: renameChoice(toolChoice, nameOf),
  };
}

function withRenamedTool(part: Part, nameOf: (name: string) => string): Part {
  if (part.type === "tool-call") return { ...part, name: nameOf(part.name) };
  return part.type === "tool-result" && part.name !== null ? { ...part, name: nameOf(part.name) } : part;
}

function renameChoice(choice: ToolChoice | null, nameOf: (name: string) => string): ToolChoice | null {
  if (choice?.type === "tool") return { ...choice, name: nameOf(choice.name) };
  return choice?.type === "allowed" ? { ...choice, names: choice.names.map(nameOf) } : choice;
}

/** OpenAI and most compatible services limit user ids to this length. */
const MAX_CHARACTERS = 64;
const DIGEST_DIGITS = 32;

/** A name of a length that OpenAI-compatible services accept: longer ones become a stable digest. */
export const shortName = (name: string, prefix: string): string =>
  name.length <= MAX_CHARACTERS ? name : prefix + hexDigest(name).slice(0, DIGEST_DIGITS);

/**
 * Call ids that each format accepts. OpenAI's chat API rejects more than 40 characters ("Expected a string with maximum
 * length 40"), its Responses API more than 64; Anthropic and Bedrock also validate the characters.
 */
const CALL_IDS = {
  "openai-chat": /^.{1,40}$/s,
  "openai-responses": /^.{1,64}$/s,
  anthropic: /^[A-Za-z0-9_-]+$/,
  converse: /^[A-Za-z0-9_.:-]{1,64}$/,
} as const;

/**
 * The id of a call in a form the format accepts. Any other id becomes a digest, so that different ids stay different
 * and results still match.
 */
export const callIdFor = (format: keyof typeof CALL_IDS, id: string): string =>
  CALL_IDS[format].test(id) ? id : `call_${hexDigest(id).slice(0, DIGEST_DIGITS)}`;
