import type { ChatDialect } from "../conversation/conversation.ts";
import type { JsonObject } from "../json.ts";

/**
 * The members of a provider's error object that the neutral error has no place for, such as Anthropic's and Google's
 * `details` or OpenRouter's `metadata`: clients of the same format get them unchanged, for official clients act on them.
 */
export type ErrorExtra = Readonly<{ dialect: ChatDialect; members: JsonObject }>;

/** What is left of an error object without the members that were `read`; nothing where nothing is left. */
export function extraOf(dialect: ChatDialect, error: JsonObject, read: ReadonlySet<string>): { extra?: ErrorExtra } {
  const left = Object.entries(error).filter(([name]) => !read.has(name));
  return left.length === 0 ? {} : { extra: { dialect, members: Object.fromEntries(left) } };
}

/** The members that a client of the format gets. Both formats of OpenAI have the same error object. */
export function ownExtra(extra: ErrorExtra | undefined, dialect: ChatDialect): JsonObject {
  const isOwn = extra?.dialect === dialect || (extra?.dialect.startsWith("openai") && dialect.startsWith("openai"));
  return extra && isOwn ? extra.members : {};
}
