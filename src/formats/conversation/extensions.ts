import type { JsonObject } from "../json.ts";
import type { ChatDialect, Extensions } from "./conversation.ts";

/**
 * The members of a part, a tool or a message that the decoder does not read; restored when the target has the same
 * format.
 */
export function extensionsOf(dialect: ChatDialect, source: JsonObject, read: ReadonlySet<string>): Extensions {
  const members = Object.entries(source).filter(([name, value]) => !read.has(name) && hasContent(value));
  return members.length === 0 ? {} : { extensions: { dialect, members: Object.fromEntries(members) } };
}

const hasContent = (value: unknown): boolean => value != null && !(Array.isArray(value) && value.length === 0);

/** The extensions that belong to this format. */
export const ownMembers = ({ extensions }: Extensions, dialect: ChatDialect): JsonObject =>
  extensions?.dialect === dialect ? extensions.members : {};
