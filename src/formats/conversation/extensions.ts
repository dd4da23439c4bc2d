import type { JsonObject } from "../json.ts";
import type { Beside, ChatDialect } from "./conversation.ts";

/** The members of a part, a tool or a message that are not read: they go along where the target speaks the same format. */
export function besideOf(dialect: ChatDialect, given: JsonObject, read: ReadonlySet<string>): Beside {
  const members = Object.entries(given).filter(([name, value]) => !read.has(name) && saysSomething(value));
  return members.length === 0 ? {} : { beside: { dialect, members: Object.fromEntries(members) } };
}

const saysSomething = (value: unknown): boolean => value != null && !(Array.isArray(value) && value.length === 0);

/** What of that is in the words of this format. */
export const ownMembers = ({ beside }: Beside, dialect: ChatDialect): JsonObject =>
  beside?.dialect === dialect ? beside.members : {};
