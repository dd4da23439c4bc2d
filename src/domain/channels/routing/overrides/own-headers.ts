import { OperationError } from "../../../../lib/operation-error.ts";
import { compileLinearPattern, type LinearPattern } from "../../../../lib/values/patterns/linear-pattern.ts";

/** What the headers of a channel may name of a call. */
export type HeaderFacts = Readonly<{
  keyName: string;
  userId: number;
  username: string;
  requestId: string;
  clientHeaders: Headers;
}>;

type SetHeader = Readonly<{ name: string; value: string; hasPlaceholders: boolean; clientHeader: string | null }>;

/** The headers that a channel sends besides its provider's. */
export type OwnHeaders = Readonly<{
  /** Client's headers that are passed on: all, or those whose names match. */
  passed: readonly LinearPattern[] | "all";
  set: readonly SetHeader[];
}>;

const PLACEHOLDERS = {
  "{key_name}": ({ keyName }: HeaderFacts) => keyName,
  "{user_id}": ({ userId }: HeaderFacts) => String(userId),
  "{username}": ({ username }: HeaderFacts) => username,
  "{request_id}": ({ requestId }: HeaderFacts) => requestId,
} as const satisfies Record<string, (facts: HeaderFacts) => string>;
const PLACEHOLDER = /\{(?:key_name|user_id|username|request_id)\}/g;
const ANY_PLACEHOLDER = /\{[a-z_]+(?::[^}]*)?\}/;
const CLIENT_HEADER = /^\{client_header:([^}]+)\}$/;

/** A field name (RFC 9110, section 5.1). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{1,2000}$/;
const PATTERN = /^(?:re|regex):/i;
const MOST_HEADERS = 50;

/** Names that belong to one connection (RFC 9110, section 7.6.1) or describe the body: the gateway writes them itself. */
const CONNECTION =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-(?:length|type|encoding)|accept-encoding|expect|sec-websocket-.*)$/i;
/** Names that hold credentials, of the caller's key too. */
const CREDENTIAL =
  /^(?:authorization|cookie|api-key|x-api-key|x-goog-api-key|xi-api-key|x-provider-key|mj-api-secret|x-auth-.*|x-amz-.*)$/i;
/** What proxies write of the caller, and the gateway's own. */
const PRIVATE =
  /^(?:forwarded|via|x-forwarded-.*|x-real-ip|cf-.*|true-client-ip|x-sluice-.*|sec-.*|origin|referer|traceparent|tracestate|baggage)$/i;

const mayPass = (name: string): boolean => !CONNECTION.test(name) && !CREDENTIAL.test(name) && !PRIVATE.test(name);

/**
 * Reads a channel's headers, a JSON object: a name with a text, in which placeholders stand for the call's; `{client_header:NAME}`
 * as the text passes one header of the client on, the name `*` all that are no secrets, `re:PATTERN` those that match (RE2's
 * syntax). Throws OperationError for what makes no sense.
 */
export function readOwnHeaders(members: Readonly<Record<string, unknown>>): OwnHeaders {
  const entries = Object.entries(members);
  if (entries.length > MOST_HEADERS) throw new OperationError("channel_headers_many", { max: MOST_HEADERS });
  const patterns: LinearPattern[] = [];
  const set: SetHeader[] = [];
  let passesAll = false;
  for (const [key, value] of entries) {
    const name = key.trim();
    if (name === "*") passesAll = true;
    else if (PATTERN.test(name)) {
      const pattern = compileLinearPattern(`^(?:${name.replace(PATTERN, "").trim()})$`);
      if (!pattern) throw new OperationError("channel_header_pattern", { name });
      patterns.push(pattern);
    } else set.push(readSet(name, value));
  }
  return { passed: passesAll ? "all" : patterns, set };
}

function readSet(name: string, value: unknown): SetHeader {
  if (!NAME.test(name) || CONNECTION.test(name))
    throw new OperationError("channel_header_name", { name: name.slice(0, 100) });
  const text = typeof value === "string" ? value.trim() : "";
  if (!VALUE.test(text)) throw new OperationError("channel_header_value", { name });
  const clientHeader = CLIENT_HEADER.exec(text)?.[1]?.trim() ?? null;
  if (clientHeader !== null && (!NAME.test(clientHeader) || !mayPass(clientHeader)))
    throw new OperationError("channel_header_secret", { name: clientHeader });
  if (clientHeader === null && ANY_PLACEHOLDER.test(text.replace(PLACEHOLDER, "")))
    throw new OperationError("channel_header_placeholder", { name, known: Object.keys(PLACEHOLDERS).join(", ") });
  const hasPlaceholders = text.search(PLACEHOLDER) >= 0;
  if (CREDENTIAL.test(name) && (hasPlaceholders || clientHeader !== null))
    throw new OperationError("channel_header_credential", { name });
  return { name: name.toLowerCase(), value: text, hasPlaceholders, clientHeader };
}

/** Writes a channel's headers into those of a request to its upstream; a placeholder's characters beyond ASCII are percent-encoded. */
export function addOwnHeaders(headers: Record<string, string>, { passed, set }: OwnHeaders, facts: HeaderFacts): void {
  if (passed === "all" || passed.length > 0) {
    for (const [name, value] of facts.clientHeaders) {
      if (mayPass(name) && (passed === "all" || passed.some((pattern) => pattern.test(name)))) headers[name] = value;
    }
  }
  for (const { name, value, hasPlaceholders, clientHeader } of set) {
    const text =
      clientHeader !== null ? facts.clientHeaders.get(clientHeader) : hasPlaceholders ? fill(value, facts) : value;
    if (text === null) continue;
    // A provider's own header of that name may be written in capitals.
    for (const own of Object.keys(headers)) if (own !== name && own.toLowerCase() === name) delete headers[own];
    headers[name] = text;
  }
}

const fill = (value: string, facts: HeaderFacts): string =>
  value.replace(PLACEHOLDER, (found) => {
    const text = found in PLACEHOLDERS ? PLACEHOLDERS[found as keyof typeof PLACEHOLDERS](facts) : "";
    return text.replace(/[^\x20-\x7e]+/g, (characters) => encodeURIComponent(characters.toWellFormed()));
  });
