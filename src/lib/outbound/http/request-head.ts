/** What a connection is asked to send. */
export type DirectRequest = Readonly<{
  method: "GET" | "POST" | "DELETE";
  /** Host and port as they stand in the address, and what follows them. */
  host: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** null: the method has none. */
  body: string | Uint8Array<ArrayBuffer> | null;
}>;

/** RFC 9110, sections 5.1 and 5.5: a name is a token; a value has no control characters, and its bytes are Latin-1. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Belongs to the connection, or is told by the body. */
const OWN: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding", "keep-alive"]);
/** What goes along unless the request says otherwise; bodies are asked for as they are. */
const USUAL: readonly (readonly [name: string, line: string])[] = [
  ["user-agent", `user-agent: Bun/${Bun.version}\r\n`],
  ["accept", "accept: */*\r\n"],
  ["accept-encoding", "accept-encoding: identity\r\n"],
];

/** Names that were found right: there are few, and each call brings the same. */
const rightNames = new Map<string, string>();
const MOST_NAMES = 1000;

/**
 * The head of a request in HTTP/1.1 (RFC 9112). A `host` header replaces the host of the address. Throws a TypeError where
 * a header cannot be sent, so that nothing can be smuggled in one.
 */
export function requestHead({ method, host, path, headers }: DirectRequest, bodyBytes: number | null): string {
  let lines = "";
  let says = 0;
  let namedHost = host;
  let values = "";
  for (const given in headers) {
    const name = rightNames.get(given) ?? rightName(given);
    const value = headers[given] as string;
    values += value;
    if (OWN.has(name)) {
      if (name === "host") namedHost = value;
      continue;
    }
    for (let at = 0; at < USUAL.length; at += 1) if (USUAL[at]?.[0] === name) says |= 1 << at;
    lines += `${name}: ${value}\r\n`;
  }
  if (NOT_IN_VALUE.test(values)) throw new TypeError("a header has a value that cannot be sent");
  for (let at = 0; at < USUAL.length; at += 1) if (!(says & (1 << at))) lines += USUAL[at]?.[1];
  if (bodyBytes !== null) lines += `content-length: ${bodyBytes}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: ${namedHost}\r\n${lines}\r\n`;
}

function rightName(given: string): string {
  if (!NAME.test(given)) throw new TypeError("a header has a name that cannot be sent");
  if (rightNames.size >= MOST_NAMES) rightNames.clear();
  const name = given.toLowerCase();
  rightNames.set(given, name);
  return name;
}
