import { randomUUID } from "node:crypto";
import type { ClientCapabilities } from "@modelcontextprotocol/sdk/types.js";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import { type JsonObject, recordOf } from "../../../../formats/json.ts";

/** What clients can do for servers, by the letter that stands for it. */
const ABILITIES = { u: "opensUrls", f: "fillsForms", s: "samples", t: "samplesWithTools", r: "listsRoots" } as const;

/** What a client can do for servers. */
export type ClientAbilities = Readonly<Partial<Record<(typeof ABILITIES)[keyof typeof ABILITIES], true>>>;

const PREFIX = new RegExp(`^([${Object.keys(ABILITIES).join("")}]{1,5})-[0-9a-f]{8}-`);

/**
 * The id of a new session. It begins with what the client says that it can do, so that each message is answered by itself, wherever it
 * arrives.
 */
export function newSessionId(initialize: JsonObject): string {
  const declared = recordOf(recordOf(initialize.params)?.capabilities) ?? {};
  const elicitation = recordOf(declared.elicitation);
  const sampling = recordOf(declared.sampling);
  const can = {
    u: recordOf(elicitation?.url),
    // A client of 2025-06-18 says nothing of modes.
    f: elicitation && (recordOf(elicitation.form) || !recordOf(elicitation.url)),
    s: sampling,
    t: recordOf(sampling?.tools),
    r: recordOf(declared.roots),
  };
  const letters = Object.entries(can).flatMap(([letter, isDeclared]) => (isDeclared ? [letter] : []));
  return [...(letters.length > 0 ? [letters.join("")] : []), randomUUID()].join("-");
}

/** What the client of a session can do. */
export function abilitiesOf(session: string): ClientAbilities {
  const letters = PREFIX.exec(session)?.[1] ?? "";
  const known = Object.entries(ABILITIES).filter(([letter]) => letters.includes(letter));
  return Object.fromEntries(known.map(([, ability]) => [ability, true]));
}

/** What a server learns of a session's client: what that can do, as far as the server may ask for it. */
export function declaredTo({ asks }: Pick<McpServer, "asks">, session: string): ClientCapabilities {
  const { opensUrls, fillsForms, samples, samplesWithTools, listsRoots } = abilitiesOf(session);
  const elicitation = { ...(fillsForms && { form: {} }), ...(opensUrls && { url: {} }) };
  return {
    ...(asks.elicitation && (fillsForms || opensUrls) && { elicitation }),
    ...(asks.sampling && samples && { sampling: samplesWithTools ? { tools: {} } : {} }),
    ...(asks.roots && listsRoots && { roots: {} }),
  };
}

/** Whether an address may be opened for people. */
export const isWebAddress = (url: unknown): boolean => /^https?:$/.test(URL.parse(String(url))?.protocol ?? "");
