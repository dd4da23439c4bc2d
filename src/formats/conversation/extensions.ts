import type { JsonObject } from "../json.ts";
import type { ChatDialect, Extensions } from "./conversation.ts";

/** The members of a part, a tool or a message that are not read: they go along where the target speaks the same format. */
export function extensionsOf(dialect: ChatDialect, source: JsonObject, read: ReadonlySet<string>): Extensions {
  const members = Object.entries(source).filter(([name, value]) => !read.has(name) && saysSomething(value));
  return members.length === 0 ? {} : { extensions: { dialect, members: Object.fromEntries(members) } };
}

const saysSomething = (value: unknown): boolean => value != null && !(Array.isArray(value) && value.length === 0);

/** What of that is in the words of this format. */
export const ownMembers = ({ extensions }: Extensions, dialect: ChatDialect): JsonObject =>
  extensions?.dialect === dialect ? extensions.members : {};
