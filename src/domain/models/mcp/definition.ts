import {
  FieldError,
  type FieldReader,
  type Fields,
  fieldsOf,
  flag,
  httpAddress,
  integerFrom,
  listOf,
  oneOf,
  optionalText,
  text,
} from "../../../lib/field-readers.ts";
import { type Decimal, decimal, ZERO } from "../../../lib/values/decimal.ts";
import { isBrokenPattern, type NamePattern, namePattern } from "../../../lib/values/patterns/name-patterns.ts";
import { type CallerScope, readCallerScope, scopeFields } from "../../../settings/option/caller-scope.ts";

/** What a server is: one of the protocol, at an address or as a process, or an API that an OpenAPI document describes. */
export const MCP_KINDS = ["http", "openapi", "stdio"] as const;

/** How the gateway authenticates to a server. */
export const MCP_AUTHENTICATION = ["none", "key", "client_credentials", "oauth"] as const;

const [MIN_TIMEOUT_MS, DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS] = [1_000, 60_000, 600_000];
const [MIN_RESULT_BYTES, DEFAULT_RESULT_BYTES, MAX_RESULT_BYTES] = [16_384, 1_048_576, 33_554_432];
const [MIN_RESULT_TOKENS, MAX_RESULT_TOKENS] = [100, 10_000_000];

/** Lowercase, so that names are the same in addresses; no underscore, which parts them from the tool's. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
/** The name of a header (RFC 9110, section 5.1). */
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers that the transport or the protocol sets itself. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...["host", "connection", "content-length", "content-type", "transfer-encoding", "accept", "accept-encoding"],
  ...["cookie", "upgrade", "te", "trailer", "mcp-session-id", "mcp-protocol-version", "last-event-id"],
]);
/** Dollars: digits, and at most ten after the point. */
const PRICE = /^\d{1,6}(?:\.\d{1,10})?$/;

const headerName: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && HEADER.test(value) && !RESERVED_HEADERS.has(value.toLowerCase())) return value;
  throw new FieldError(field, "the name of a header that the protocol leaves free");
};

const pattern: FieldReader<string> = (value, field) => {
  const source = text(value, field);
  if (!isBrokenPattern(source)) return source;
  throw new FieldError(field, "a name, a pattern with *, or re: and a regular expression of RE2");
};

const price: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && PRICE.test(value)) return value;
  throw new FieldError(field, "dollars as a text of digits, with at most ten after the point");
};

const MAX_ARGUMENT_LENGTH = 4_000;
const argument: FieldReader<string> = (value, field) => {
  if (typeof value === "string" && value.length <= MAX_ARGUMENT_LENGTH && !value.includes("\0")) return value;
  throw new FieldError(field, `a text of at most ${MAX_ARGUMENT_LENGTH} characters`);
};

const readFields = fieldsOf({
  description: optionalText,
  enabled: flag,
  kind: oneOf(MCP_KINDS),
  url: httpAddress,
  document_url: httpAddress,
  command: text,
  args: listOf(argument),
  auth: oneOf(MCP_AUTHENTICATION),
  header: headerName,
  query: text,
  token_url: httpAddress,
  issuer: httpAddress,
  client_id: optionalText,
  oauth_scope: optionalText,
  ...scopeFields,
  tools: listOf(pattern),
  read_only: flag,
  prompts: flag,
  resources: flag,
  elicitation: flag,
  sampling: flag,
  roots: flag,
  timeout_ms: integerFrom(MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
  max_result_bytes: integerFrom(MIN_RESULT_BYTES, MAX_RESULT_BYTES),
  max_result_tokens: integerFrom(MIN_RESULT_TOKENS, MAX_RESULT_TOKENS),
  usd_per_call: price,
});

/** A server as JSON. Absent: of the protocol, enabled, without authentication, all approved tools for all callers, free. */
export type McpDefinition = Fields<{
  [K in keyof ReturnType<typeof readFields>]-?: FieldReader<NonNullable<ReturnType<typeof readFields>[K]>>;
}>;

/** A server as calls need it. */
export type McpRules = Readonly<{
  definition: McpDefinition;
  isEnabled: boolean;
  kind: (typeof MCP_KINDS)[number];
  url: URL;
  scope: CallerScope | null;
  /** Null: all. */
  tools: readonly NamePattern[] | null;
  isReadOnly: boolean;
  /** Whether callers get its prompts and resources, of which nothing is pinned. */
  passesPrompts: boolean;
  passesResources: boolean;
  /** What the server may ask of clients that can do it, while a tool runs. */
  asks: Readonly<Record<"elicitation" | "roots" | "sampling", boolean>>;
  timeoutMs: number;
  maxResultBytes: number;
  /** Null: as many as the bytes have. */
  maxResultTokens: number | null;
  usdPerCall: Decimal;
}>;

/** Throws FieldError for a name that is none of a server. */
export function checkServerName(name: string): void {
  if (!NAME.test(name)) throw new FieldError("name", "1 to 32 lowercase letters, digits and hyphens");
}

/** Checks the definition of a server. Throws FieldError. */
export function readMcpRules(value: unknown): McpRules {
  const definition = readFields(value, "");
  const { kind = "http", auth = "none", command, tools } = definition;
  if (kind === "stdio") {
    if (command === undefined) throw new FieldError("command", "the command that starts the server");
    if (auth !== "none") throw new FieldError("auth", "none: a process gets its secrets as variables");
  }
  if (kind !== "http" && auth === "oauth")
    throw new FieldError(
      "auth",
      "one of none, key and client_credentials: people sign in at servers of the protocol only",
    );
  const url = kind === "stdio" ? `stdio:${encodeURIComponent(command ?? "")}` : definition.url;
  if (url === undefined) throw new FieldError("url", "the address of the server");
  if (definition.query !== undefined && definition.header !== undefined)
    throw new FieldError("query", "left out where there is a header");
  if (auth === "client_credentials") {
    if (!definition.token_url) throw new FieldError("token_url", "the address of the token endpoint");
    if (!definition.client_id) throw new FieldError("client_id", "the id of the client");
  }
  return {
    definition,
    isEnabled: definition.enabled ?? true,
    kind,
    url: new URL(url),
    scope: readCallerScope(definition),
    tools: tools && tools.length > 0 ? tools.map(namePattern) : null,
    isReadOnly: definition.read_only ?? false,
    passesPrompts: definition.prompts ?? false,
    passesResources: definition.resources ?? false,
    asks: {
      elicitation: definition.elicitation ?? false,
      sampling: definition.sampling ?? false,
      roots: definition.roots ?? false,
    },
    timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    maxResultBytes: definition.max_result_bytes ?? DEFAULT_RESULT_BYTES,
    maxResultTokens: definition.max_result_tokens ?? null,
    usdPerCall: definition.usd_per_call === undefined ? ZERO : decimal(definition.usd_per_call),
  };
}

/** The only origin that gets the secret, of the server or the token endpoint, or the command that does. */
export function secretOriginOf({ kind, command, auth, url, token_url, issuer }: McpDefinition): string {
  if (kind === "stdio") return `stdio:${command}`;
  // The authorization server says itself where its token endpoint is.
  if (auth === "oauth") return `oauth:${issuer ?? ""}`;
  return URL.parse((auth === "client_credentials" ? token_url : url) ?? "")?.origin ?? "";
}
