/** The kinds of RFC 7644, table 9. */
export type ScimType =
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
