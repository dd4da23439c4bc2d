import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";
import { readPackedSync } from "../../../lib/runtime/packed-files.ts";
import { TASK_GROUPS, TASKS } from "./tasks.ts";
import { isUnstable } from "./unstable.ts";

/** What a document says of the whole API. */
export type OpenApiDocument = Readonly<{
  openapi: string;
  info: object;
  /** What people come to do, in the order of the reference; each operation names one. */
  tags: readonly Readonly<{ name: string; description: string }>[];
  /** Which tags stand together, for readers such as Redoc and Scalar. */
  "x-tagGroups": readonly Readonly<{ name: string; tags: readonly string[] }>[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: object;
}>;

type Operation = Readonly<{
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  responses?: Readonly<Record<string, object>>;
  tags?: readonly string[];
  summary?: string;
  /** `unstable`: it may change with any release. */
  "x-stability"?: string;
}>;

const SESSION = { type: "apiKey", in: "cookie", name: "session" } as const;

/** A schema of an object. */
type Schema = Readonly<{ properties?: Readonly<Record<string, unknown>>; required?: readonly string[] }>;
/** Made from the types of the routes by scripts/docs/answers. */
type Answers = Readonly<{ schemas: Readonly<Record<string, object>>; answers: Readonly<Record<string, Schema>> }>;

const REFUSAL = {
  type: "object",
  description: "Why a call was refused. Many refusals come with the status 200, as in one-api: `success` says it.",
  properties: {
    success: { const: false },
    message: { type: "string", description: "In the language of the request's `Accept-Language`." },
    code: { type: "string", description: "The same in every language." },
  },
  required: ["success", "message"],
} as const;

/** The API of these applications as an OpenAPI document, made from the routes themselves, so that it cannot drift. */
export function openApiDocument(apps: readonly AnyElysia[], version: string): OpenApiDocument {
  const parts = apps.map((app) => toOpenAPISchema(app, { paths: [/\/\*$/, "/openapi.json"], staticFile: false }));
  const answers = JSON.parse(new TextDecoder().decode(readPackedSync("answers.json"))) as Answers;
  return {
    openapi: "3.1.0",
    info: { title: "Sluice", version },
    tags: TASKS.map(({ name, description }) => ({ name, description })),
    "x-tagGroups": TASK_GROUPS.map(({ name, tasks }) => ({ name, tags: tasks.map((task) => task.name) })),
    paths: describe(Object.assign({}, ...parts.map(({ paths }) => paths)) as OpenApiDocument["paths"], answers),
    components: {
      schemas: Object.assign(
        { Refusal: REFUSAL },
        answers.schemas,
        ...parts.map(({ components }) => components.schemas),
      ),
      securitySchemes: {
        user: { ...SESSION, description: "A console session or access token of anybody signed in" },
        admin: { ...SESSION, description: "Of an administrator" },
        root: { ...SESSION, description: "Of a super admin" },
        token: {
          ...{ type: "http", scheme: "bearer" },
          description:
            "The token of a service account, or an access token together with the header `Sluice-User: USER_ID`; with the rights that the call needs",
        },
      },
    },
  };
}

/** Adds to each operation its task, a sentence on what it does, what it answers, and whether it stays as it is. */
function describe(paths: OpenApiDocument["paths"], { answers }: Answers): OpenApiDocument["paths"] {
  const described = new Map(
    TASKS.flatMap(({ name, operations }) =>
      Object.entries(operations).map(([operation, summary]) => [operation, { tags: [name], summary }]),
    ),
  );
  return Object.fromEntries(
    Object.entries(paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          {
            ...operation,
            ...described.get(`${method.toUpperCase()} ${path}`),
            ...(operation.security && { security: [...operation.security, { token: [] }] }),
            ...(path.startsWith("/api/") && {
              responses: responsesOf(answers[`${method.toUpperCase()} ${path.replace(/\/$/, "")}`]),
            }),
            "x-stability": isUnstable(path) ? "unstable" : "stable",
          },
        ]),
      ),
    ]),
  );
}

const contentOf = (description: string, schema: object) => ({
  description,
  content: { "application/json": { schema } },
});

function responsesOf(answer: Schema | undefined): Operation["responses"] {
  return {
    200: answer
      ? contentOf("Done, or refused where `success` is false", withRefusals(answer))
      : { description: "Done" },
    default: contentOf("Refused", { $ref: "#/components/schemas/Refusal" }),
  };
}

/** Callers read one object: without `data` and with a code where the call was refused. */
function withRefusals(answer: Schema): Schema {
  if (!answer.properties || !("success" in answer.properties)) return answer;
  const { success: _, ...properties } = answer.properties;
  return {
    ...answer,
    properties: { success: { type: "boolean" }, code: REFUSAL.properties.code, ...properties },
    required: ["success", "message"],
  };
}

/** Keywords whose members are schemas, by name or in a list. */
const BY_NAME = new Set(["properties", "schemas", "$defs"]);

/**
 * The document for generators that know no choices between types, such as Terraform's: of several the first object stands for all,
 * else the first, and what may be null is said to be there.
 */
export function withoutUnions<Document extends object>(document: Document): Document {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== "object" || value === null) return value;
    const { anyOf, oneOf, ...rest } = value as Readonly<Record<string, unknown>>;
    const choices = [anyOf, oneOf]
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .map(plain)
      .filter(isNoNull);
    const chosen = choices.find((choice) => "properties" in choice || "$ref" in choice) ?? choices[0] ?? {};
    const own = Object.entries(rest).map(([key, member]) => [
      key,
      BY_NAME.has(key) ? plainMembers(member) : plain(member),
    ]);
    const { type, ...others } = { ...chosen, ...Object.fromEntries(own) };
    return {
      ...(type !== undefined && { type: Array.isArray(type) ? type.find((one) => one !== "null") : type }),
      ...others,
    };
  };
  const plainMembers = (members: unknown) =>
    Object.fromEntries(Object.entries(members ?? {}).map(([name, schema]) => [name, plain(schema)]));
  return plain(document) as Document;
}

const isNoNull = (schema: unknown): schema is Readonly<Record<string, unknown>> =>
  typeof schema === "object" && schema !== null && !("type" in schema && schema.type === "null");
