import type { scimGroups, scimUsers } from "../../../../../db/schema/accounts/identity-providers/scim.ts";
import { type Filter, matches } from "./filter.ts";
import { type Attributes, attributeOf, isAttributes, ScimError } from "./protocol.ts";

export const USER_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:User";
export const GROUP_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
export const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Attributes of users that are stored as they are sent; others are ignored, a password above all. */
const STORED = [
  ...["name", "displayName", "nickName", "profileUrl", "title", "userType", "preferredLanguage", "locale", "timezone"],
  ...["emails", "phoneNumbers", "addresses"],
] as const;

const LONGEST_NAME = 255;
const MOST_BYTES = 16_384;

type UserRow = typeof scimUsers.$inferSelect;
type GroupRow = typeof scimGroups.$inferSelect;
type GroupRef = Readonly<{ value: string; display: string }>;

/** What is stored of a user. */
export type UserFields = Readonly<{
  userName: string;
  externalId: string | null;
  /** Null: nobody says so, which counts as active. */
  active: boolean | null;
  attributes: Attributes;
}>;

/** A user on the wire. */
export function viewUser(row: UserRow, groups: readonly GroupRef[], base: string): Attributes {
  return {
    schemas: [USER_SCHEMA],
    id: String(row.userId),
    ...(row.externalId !== null && { externalId: row.externalId }),
    userName: row.userName,
    ...(row.active !== null && { active: row.active }),
    ...row.attributes,
    groups: groups.map(({ value, display }) => ({ value, display, $ref: `${base}/Groups/${value}` })),
    meta: metaOf("User", `${base}/Users/${row.userId}`, row),
  };
}

/** A group on the wire. */
export function viewGroup(row: GroupRow, members: readonly string[], base: string): Attributes {
  return {
    schemas: [GROUP_SCHEMA],
    id: String(row.id),
    ...(row.externalId !== null && { externalId: row.externalId }),
    displayName: row.displayName,
    members: members.map((value) => ({ value, $ref: `${base}/Users/${value}` })),
    meta: metaOf("Group", `${base}/Groups/${row.id}`, row),
  };
}

const metaOf = (type: string, location: string, row: Readonly<{ createdAt: number; updatedAt: number }>) => ({
  resourceType: type,
  created: new Date(row.createdAt * 1000).toISOString(),
  lastModified: new Date(row.updatedAt * 1000).toISOString(),
  location,
});

/**
 * The fields of a user that was sent; `active` is `otherwise` where the resource does not say. Throws ScimError.
 */
export function readUser(resource: Attributes, otherwise: true | null = true): UserFields {
  const active = attributeOf(resource, "active") ?? otherwise;
  const attributes: Record<string, unknown> = {};
  for (const name of STORED) {
    const value = attributeOf(resource, name);
    if (value !== undefined && value !== null) attributes[name] = value;
  }
  if (JSON.stringify(attributes).length > MOST_BYTES)
    throw new ScimError(400, "the resource is too large", "invalidValue");
  return {
    userName: requiredText(resource, "userName"),
    externalId: externalIdOf(resource),
    // Microsoft Entra ID sends it as text.
    active: typeof active === "string" ? active.toLowerCase() !== "false" : active === null ? null : active !== false,
    attributes,
  };
}

/** The fields of a group that was sent; `members`: null where it names none, so that they stay. Throws ScimError. */
export function readGroup(resource: Attributes) {
  const members = attributeOf(resource, "members");
  return {
    displayName: requiredText(resource, "displayName"),
    externalId: externalIdOf(resource),
    members: members === undefined || members === null ? [] : [members].flat().map(memberId),
  };
}

function memberId(member: unknown): number {
  const [value, reference] = [attributeOf(member, "value"), attributeOf(member, "$ref")];
  const id = String(value ?? /[^/]*$/.exec(typeof reference === "string" ? reference : "")?.[0] ?? "");
  if (!/^[1-9]\d{0,8}$/.test(id)) throw new ScimError(400, `there is no user ${id.slice(0, 80)}`, "invalidValue");
  return Number(id);
}

function requiredText(resource: Attributes, name: string): string {
  const value = attributeOf(resource, name);
  const text = typeof value === "string" ? value.trim() : "";
  if (text === "") throw new ScimError(400, `${name} is required`, "invalidValue");
  if (text.length > LONGEST_NAME)
    throw new ScimError(400, `${name} must not exceed ${LONGEST_NAME} characters`, "invalidValue");
  return text;
}

function externalIdOf(resource: Attributes): string | null {
  const value = attributeOf(resource, "externalId");
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" || value.length > LONGEST_NAME) {
    throw new ScimError(400, "externalId must be a text", "invalidValue");
  }
  return value;
}

/** The address of a user: the primary one, else the first, else the user name where it is one. */
export function emailOf({ userName, attributes }: Pick<UserFields, "userName" | "attributes">): string | undefined {
  const emails = [attributes.emails ?? []].flat().filter(isAttributes);
  const chosen = emails.find((email) => attributeOf(email, "primary") === true) ?? emails[0];
  const value = attributeOf(chosen, "value");
  if (typeof value === "string" && value.includes("@")) return value.trim();
  return userName.includes("@") ? userName : undefined;
}

/** The name that people see. */
export function displayNameOf({ attributes }: Pick<UserFields, "attributes">): string | undefined {
  const { displayName, name } = attributes;
  if (typeof displayName === "string" && displayName !== "") return displayName;
  const formatted = attributeOf(name, "formatted");
  if (typeof formatted === "string" && formatted !== "") return formatted;
  const parts = [attributeOf(name, "givenName"), attributeOf(name, "familyName")];
  const joined = parts.filter((part) => typeof part === "string" && part !== "").join(" ");
  return joined === "" ? undefined : joined;
}

/** The query of a list (RFC 7644, 3.4.2); numbers as texts. */
export type ListQuery = Readonly<{
  filter?: string | undefined;
  startIndex?: string | undefined;
  count?: string | undefined;
}>;

export const MOST_RESULTS = 200;

/** One page of the resources that fit; counts from 1, and what is too small or no number counts as the default. */
export function listPage(resources: readonly Attributes[], filter: Filter | null, query: ListQuery) {
  const found = filter ? resources.filter((resource) => matches(filter, resource)) : resources;
  const start = Math.max(1, numberOf(query.startIndex, 1));
  const page = found.slice(start - 1, start - 1 + countOf(query));
  return {
    schemas: [LIST_SCHEMA],
    totalResults: found.length,
    startIndex: start,
    itemsPerPage: page.length,
    Resources: page,
  };
}

const countOf = (query: ListQuery) => Math.min(MOST_RESULTS, Math.max(0, numberOf(query.count, MOST_RESULTS)));

type Page = ReturnType<typeof listPage>;

/** The query of the next list, of what a page over several lists still has room for. */
export const restOf = (query: ListQuery, page: Page): ListQuery => ({
  ...query,
  startIndex: String(Math.max(1, page.startIndex - page.totalResults)),
  count: String(countOf(query) - page.itemsPerPage),
});

/** A page over several lists, with what the next list has. */
export const continuePage = (page: Page, next: Page): Page => ({
  ...page,
  totalResults: page.totalResults + next.totalResults,
  itemsPerPage: page.itemsPerPage + next.itemsPerPage,
  Resources: [...page.Resources, ...next.Resources],
});

function numberOf(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : otherwise;
}
