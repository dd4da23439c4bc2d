/** The kinds of RFC 7644, table 9. */
type ScimType =
  | "invalidFilter"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** A failure as RFC 7644, 3.12 reports it. */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly scimType?: ScimType,
    readonly retryAfterSeconds?: number,
  ) {
    super(detail);
  }
}

/** The body of an error's response. */
export const errorBody = ({ status, message, scimType }: ScimError) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
  status: String(status),
  ...(scimType && { scimType }),
  detail: message,
});

/** A resource, or a part of one, as plain JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export const isAttributes = (value: unknown): value is Attributes =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The name under which an object has an attribute: names are the same in whatever case (RFC 7643, 2.1). */
export const keyOf = (object: Attributes, name: string): string | undefined => {
  const lower = name.toLowerCase();
  return Object.keys(object).find((key) => key.toLowerCase() === lower);
};

/** The value of an attribute; undefined: there is none. */
export function attributeOf(object: unknown, name: string): unknown {
  if (!isAttributes(object)) return undefined;
  const key = keyOf(object, name);
  return key === undefined ? undefined : object[key];
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i;

/** A path without the name of a core schema before it. */
export const withoutSchema = (path: string): string => path.replace(CORE, "");
