import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";

/** What a document says of the whole API. */
export type OpenApiDocument = Readonly<{
  openapi: string;
  info: object;
  paths: Readonly<Record<string, Readonly<Record<string, { security?: readonly object[] }>>>>;
  components: object;
}>;

const SESSION = { type: "apiKey", in: "cookie", name: "session" } as const;

/** The API of these applications as an OpenAPI document, made from the routes themselves, so that it cannot drift. */
export function openApiDocument(apps: readonly AnyElysia[], version: string): OpenApiDocument {
  const parts = apps.map((app) => toOpenAPISchema(app, { paths: [/\/\*$/, "/openapi.json"], staticFile: false }));
  return {
    openapi: "3.1.0",
    info: { title: "Sluice", version },
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)) as OpenApiDocument["paths"],
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
