import { DecodeError } from "../../../../formats/conversation/codec.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../formats/json.ts";
import type { McpServer } from "../toolset.ts";
import type { SiteServerOf } from "./site-address.ts";

const MAX_SERVERS = 16;

/** Throws DecodeError if a request declares too many servers, or one without a label or with another's. */
export function checkLabels(
  labels: readonly string[],
  { param, field }: Readonly<{ param: string; field: string }>,
): void {
  if (labels.length > MAX_SERVERS) {
    throw new DecodeError({ code: "gateway_too_many_entries", params: { field: param, count: MAX_SERVERS } }, param);
  }
  for (const [at, label] of labels.entries()) {
    if (label === "") throw new DecodeError({ code: "gateway_field_missing", params: { field } }, param);
    if (labels.indexOf(label) < at)
      throw new DecodeError({ code: "gateway_mcp_label_twice", params: { label } }, param);
  }
}

/** Where a server is: at its address, or, without one, the site's server that its label names. Throws DecodeError. */
export function placeOf(
  address: unknown,
  label: string,
  { param, siteServerOf }: Readonly<{ param: string; siteServerOf: SiteServerOf }>,
): Pick<McpServer, "siteServer" | "url"> {
  if (address == null) return { url: "", siteServer: label };
  const url = textOf(address) ?? "";
  const siteServer = siteServerOf(url);
  if (siteServer !== null) return { url, siteServer };
  const { protocol } = URL.parse(url) ?? {};
  if (protocol === "https:" || protocol === "http:") return { url, siteServer: null };
  throw new DecodeError({ code: "gateway_mcp_url", params: { label } }, param);
}

/** The error of a member with a wrong value: what the client meant to restrict must not be left open. */
export const invalid = (field: string, expected: string, param: string): DecodeError =>
  new DecodeError({ code: "gateway_field_invalid", params: { field, expected } }, param);

/** A list of names. Throws DecodeError for anything else. */
export function namesOf(value: unknown, field: string, param: string): ReadonlySet<string> {
  const names = textsOf(value);
  if (!Array.isArray(value) || names.length < value.length) throw invalid(field, "a list of names", param);
  return new Set(names);
}

/** Headers with their values. Throws DecodeError for anything else. */
export function headersOf(value: unknown, field: string, param: string): Readonly<Record<string, string>> {
  if (value == null) return {};
  const object = recordOf(value);
  if (!object) throw invalid(field, "an object", param);
  return Object.fromEntries(
    Object.entries(object).map(([name, text]) => {
      if (typeof text === "string") return [name, text] as const;
      throw invalid(`${field}.${name}`, "a text", param);
    }),
  );
}

/** The servers of tools in Google's format. */
export const geminiServersIn = (tools: unknown): readonly JsonObject[] =>
  recordsOf(tools).flatMap((tool) => recordsOf(tool.mcpServers ?? tool.mcp_servers));

/** Where a server in Google's format is reached. */
export const geminiTransportOf = (server: JsonObject): JsonObject =>
  recordOf(server.streamableHttpTransport ?? server.streamable_http_transport) ?? {};

/** The addresses of all servers that a request of any format declares; null: it names one by its label alone. */
export function addressesIn({ tools, mcp_servers: servers }: JsonObject): readonly (string | null)[] {
  return [
    ...recordsOf(tools).flatMap(({ type, server_url: url, connector_id: connector, tunnel_id: tunnel }) =>
      type !== "mcp" || (url == null && (connector != null || tunnel != null)) ? [] : addressOf(url),
    ),
    ...recordsOf(servers).map(({ url }) => addressOf(url)),
    ...geminiServersIn(tools).map((server) => addressOf(geminiTransportOf(server).url)),
  ];
}

/** What is no text is no address, and no missing one. */
const addressOf = (url: unknown): string | null => (url == null ? null : (textOf(url) ?? ""));
