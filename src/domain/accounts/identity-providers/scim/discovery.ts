import { GROUP_SCHEMA, LIST_SCHEMA, MOST_RESULTS, USER_SCHEMA } from "./resources.ts";

const SCHEMA_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:Schema";
const TYPE_SCHEMA = "urn:ietf:params:scim:schemas:core:2.0:ResourceType";

/** What this service provider supports (RFC 7643, 5). */
export const serviceProviderConfig = (base: string) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The token that the console shows for the identity provider",
      specUri: "https://www.rfc-editor.org/rfc/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

/** Users and groups as types of resources (RFC 7643, 6). */
export const resourceTypes = (base: string) =>
  (
    [
      ["User", "/Users", USER_SCHEMA],
      ["Group", "/Groups", GROUP_SCHEMA],
    ] as const
  ).map(([id, endpoint, schema]) => ({
    ...{ schemas: [TYPE_SCHEMA], id, name: id, endpoint, schema, schemaExtensions: [] },
    description: `${id}s that an identity provider provisions`,
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${id}` },
  }));

type Traits = Readonly<{
  type?: string;
  referenceTypes?: readonly string[];
  isRequired?: boolean;
  isList?: boolean;
  mutability?: string;
  parts?: object[];
}>;

const attribute = (name: string, traits: Traits = {}) => ({
  name,
  type: traits.type ?? (traits.parts ? "complex" : "string"),
  multiValued: traits.isList ?? false,
  description: name,
  required: traits.isRequired ?? false,
  ...(traits.referenceTypes && { referenceTypes: traits.referenceTypes }),
  ...(!traits.parts && { caseExact: traits.type === "reference" }),
  mutability: traits.mutability ?? "readWrite",
  returned: "default",
  uniqueness: name === "userName" || (name === "displayName" && traits.isRequired) ? "server" : "none",
  ...(traits.parts && { subAttributes: traits.parts }),
});

const texts = (...names: string[]) => names.map((name) => attribute(name));
const list = (name: string, parts: object[], mutability = "readWrite") =>
  attribute(name, { isList: true, parts, mutability });
const value = [...texts("value", "display", "type"), attribute("primary", { type: "boolean" })];
const referenceTo = (type: "User" | "Group") => [
  attribute("value", { mutability: "immutable" }),
  attribute("$ref", { type: "reference", referenceTypes: [type], mutability: "immutable" }),
];

/** The attributes of users and groups (RFC 7643, 7). */
export const schemas = (base: string) =>
  (
    [
      [
        USER_SCHEMA,
        "User",
        [
          attribute("userName", { isRequired: true }),
          attribute("name", {
            parts: texts("formatted", "familyName", "givenName", "middleName", "honorificPrefix", "honorificSuffix"),
          }),
          ...texts("displayName", "nickName", "profileUrl", "title", "userType"),
          ...texts("preferredLanguage", "locale", "timezone"),
          attribute("active", { type: "boolean" }),
          list("emails", value),
          list("phoneNumbers", value),
          list("addresses", texts("formatted", "streetAddress", "locality", "region", "postalCode", "country", "type")),
          list("groups", [...referenceTo("Group"), attribute("display", { mutability: "readOnly" })], "readOnly"),
        ],
      ],
      [GROUP_SCHEMA, "Group", [attribute("displayName", { isRequired: true }), list("members", referenceTo("User"))]],
    ] as const
  ).map(([id, name, attributes]) => ({
    ...{ schemas: [SCHEMA_SCHEMA], id, name, description: `${name} account`, attributes: [...attributes] },
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  }));

/** A list of everything that there is. */
export const listOfAll = (resources: readonly object[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: resources.length,
  startIndex: 1,
  itemsPerPage: resources.length,
  Resources: resources,
});
