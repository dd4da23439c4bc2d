import { queryOptions } from "@tanstack/react-query";
import { readJson } from "../../api/client.ts";

/** An API call in the reference. */
export type ApiCall = Readonly<{
  method: string;
  path: string;
  /** The required role; null: public, or an API key. */
  role: string | null;
  /** Parameter names: path and query, then body. */
  parameters: readonly ApiParameter[];
}>;

type ApiParameter = Readonly<{
  name: string;
  where: "path" | "query" | "body";
  type: string;
  isRequired: boolean;
}>;

type ApiSection = Readonly<{ name: string; calls: readonly ApiCall[] }>;

type Schema = Readonly<{
  type?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  anyOf?: readonly Schema[];
  items?: Schema;
}>;
type Operation = Readonly<{
  security?: readonly Record<string, unknown>[];
  parameters?: readonly { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
}>;
type ApiDocument = Readonly<{ paths: Record<string, Record<string, Operation>> }>;

export const apiDocument = queryOptions({
  queryKey: ["openapi"],
  queryFn: ({ signal }) => readJson<ApiDocument>("/openapi.json", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Groups the calls by the first segments of their paths. */
export function sectionsOf({ paths }: ApiDocument): readonly ApiSection[] {
  const sections = new Map<string, ApiCall[]>();
  for (const [path, methods] of Object.entries(paths)) {
    const name = path
      .split("/")
      .slice(1, path.startsWith("/api/") ? 3 : 2)
      .join("/");
    for (const [method, operation] of Object.entries(methods)) {
      const role = Object.keys(operation.security?.[0] ?? {})[0] ?? null;
      const call = { method: method.toUpperCase(), path, role, parameters: parametersOf(operation) };
      sections.set(name, [...(sections.get(name) ?? []), call]);
    }
  }
  return [...sections].map(([name, calls]) => ({ name, calls })).sort((a, b) => a.name.localeCompare(b.name));
}

function parametersOf({ parameters = [], requestBody }: Operation): ApiParameter[] {
  const named = parameters
    .filter(({ in: where }) => where === "path" || where === "query")
    .map(({ name, in: where, required = false, schema }) => ({
      name,
      where: where as "path" | "query",
      type: typeOf(schema),
      isRequired: required,
    }));
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const members = Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
    name,
    where: "body" as const,
    type: typeOf(schema),
    isRequired: body?.required?.includes(name) ?? false,
  }));
  return [...named, ...members];
}

function typeOf(schema: Schema | undefined): string {
  if (schema?.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" | ");
  return schema?.type === "array" ? `${typeOf(schema.items)}[]` : (schema?.type ?? "any");
}
