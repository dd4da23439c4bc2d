import {
  isDeeperThan,
  type JsonObject,
  MOST_DEPTH,
  parseJson,
  recordOf,
  recordsOf,
  textOf,
} from "../../../../formats/json.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";

/** The largest document; YAML takes the parser a hundred times as long as JSON. */
export const MAX_DOCUMENT_BYTES = 4 * 1_048_576;
const MAX_YAML_LENGTH = 1_048_576;
const FETCH_TIMEOUT_MS = 20_000;

/** Fetches a document. Rejects OutboundError, or OperationError for a status that is none of success. */
export async function fetchDocument(fetch: SafeFetch, address: string): Promise<string> {
  const response = await fetch(address, {
    headers: { accept: "application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5" },
    ...{ timeoutMs: FETCH_TIMEOUT_MS, maxBytes: MAX_DOCUMENT_BYTES },
  });
  if (response.status !== 200) throw new OperationError("mcp_http_status", { status: response.status });
  return response.text();
}

/**
 * Reads an OpenAPI document 3.0 or 3.1, as JSON or YAML. Rejects OperationError if it is none. Source:
 * https://spec.openapis.org/oas/v3.1.1.html
 */
export async function parseDocument(text: string): Promise<JsonObject> {
  const document = recordOf(/^\s*\{/.test(text) ? parseJson(text) : await parseYaml(text));
  const version = textOf(document?.openapi) ?? "";
  if (!document || !/^3\.[01]\./.test(version)) throw new OperationError("mcp_openapi_invalid");
  return document;
}

async function parseYaml(text: string): Promise<unknown> {
  if (text.length > MAX_YAML_LENGTH) throw new OperationError("mcp_openapi_long", { characters: MAX_YAML_LENGTH });
  const { parse } = await import("yaml");
  try {
    const value: unknown = parse(text, { maxAliasCount: 100, logLevel: "silent" });
    return isDeeperThan(value, MOST_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The first address of a document's servers, with the variables' defaults; null: it names none that can be called. */
export function baseAddressOf(document: JsonObject, documentUrl: string | undefined): string | null {
  const [server] = recordsOf(document.servers);
  const variables = recordOf(server?.variables) ?? {};
  // Without servers it is the root of the document's own (section 4.8.1).
  const template = textOf(server?.url) ?? "/";
  const address = template.replace(/\{([^{}]+)\}/g, (_, name) => textOf(recordOf(variables[name])?.default) ?? "");
  const url = URL.parse(address, documentUrl);
  return url && /^https?:$/.test(url.protocol) && url.username === "" ? url.href : null;
}

/** Where the document's first scheme of a key puts it; null: it has none, so it is a bearer. */
export function keyPlaceOf(document: JsonObject): Readonly<{ header: string } | { query: string }> | null {
  const schemes = recordOf(recordOf(document.components)?.securitySchemes) ?? {};
  for (const scheme of Object.values(schemes)) {
    const { type, in: place, name } = recordOf(scheme) ?? {};
    const called = textOf(name);
    if (type !== "apiKey" || !called) continue;
    if (place === "header") return { header: called };
    if (place === "query") return { query: called };
  }
  return null;
}
