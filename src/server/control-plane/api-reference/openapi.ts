import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";
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
  security?: readonly object[];
  tags?: readonly string[];
  summary?: string;
  /** `unstable`: it may change with any release. */
  "x-stability"?: string;
}>;

const SESSION = { type: "apiKey", in: "cookie", name: "session" } as const;

/** The API of these applications as an OpenAPI document, made from the routes themselves, so that it cannot drift. */
export function openApiDocument(apps: readonly AnyElysia[], version: string): OpenApiDocument {
  const parts = apps.map((app) => toOpenAPISchema(app, { paths: [/\/\*$/, "/openapi.json"], staticFile: false }));
  return {
    openapi: "3.1.0",
    info: { title: "Sluice", version },
    tags: TASKS.map(({ name, description }) => ({ name, description })),
    "x-tagGroups": TASK_GROUPS.map(({ name, tasks }) => ({ name, tags: tasks.map((task) => task.name) })),
    paths: withTasks(Object.assign({}, ...parts.map(({ paths }) => paths)) as OpenApiDocument["paths"]),
    components: {
      schemas: Object.assign({}, ...parts.map(({ components }) => components.schemas)),
      securitySchemes: {
        user: { ...SESSION, description: "A console session or access token of anybody signed in" },
        admin: { ...SESSION, description: "Of an administrator" },
        root: { ...SESSION, description: "Of a super admin" },
      },
    },
  };
}

/** Adds to each operation its task, a sentence on what it does, and whether it stays as it is. */
function withTasks(paths: OpenApiDocument["paths"]): OpenApiDocument["paths"] {
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
            "x-stability": isUnstable(path) ? "unstable" : "stable",
          },
        ]),
      ),
    ]),
  );
}
