import { parseJson, recordOf } from "../../../../formats/json.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { recentEntries } from "../../../../lib/values/tables/recent-entries.ts";
import { OAuthError } from "../oauth-error.ts";
import { type ClientMetadata, readClientMetadata } from "./client-metadata.ts";

/** Reads what clients say of themselves at the addresses that are their ids. */
export type ClientDocuments = Readonly<{
  /** Rejects OAuthError invalid_client: the document cannot be read, or is none of this client. */
  read(id: string): Promise<ClientMetadata>;
}>;

const LONGEST_ID = 500;
const MAX_BYTES = 16_384;
const TIMEOUT_MS = 5_000;
const MAX_REMEMBERED = 500;
/** How long a document is believed: as its response says, within bounds. */
const [DEFAULT_SECONDS, MOST_SECONDS] = [300, 3_600];

/**
 * Whether an id is the address of a client's metadata: https with a path, written as it is requested, without credentials and fragment.
 * Source: https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html#section-3
 */
export function isDocumentId(id: string): boolean {
  const url = id.startsWith("https://") && id.length <= LONGEST_ID ? URL.parse(id) : null;
  return url !== null && url.href === id && url.pathname !== "/" && url.username === "" && url.hash === "";
}

/** `fetch` must refuse private addresses: callers choose the id. No redirect is followed. Null: the site makes no requests of its own. */
export function createClientDocuments(fetch: SafeFetch | null, now: () => number = Date.now): ClientDocuments {
  const known = recentEntries<string, Readonly<{ metadata: ClientMetadata; until: number }>>(MAX_REMEMBERED);
  return {
    async read(id) {
      const remembered = known.get(id);
      if (remembered && remembered.until > now()) return remembered.metadata;
      if (!fetch) throw unusable("is not read: this site makes no requests of its own");
      const { metadata, seconds } = await readDocument(fetch, id);
      known.set(id, { metadata, until: now() + seconds * 1000 });
      return metadata;
    },
  };
}

async function readDocument(fetch: SafeFetch, id: string) {
  let response: Awaited<ReturnType<SafeFetch>>;
  try {
    response = await fetch(id, {
      headers: { accept: "application/json" },
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, maxRedirects: 0 },
    });
  } catch (error) {
    if (error instanceof OutboundError) throw unusable("could not be read");
    throw error;
  }
  if (response.status !== 200) throw unusable(`responds with ${response.status}`);
  const document = recordOf(parseJson(response.text()));
  if (!document) throw unusable("is no JSON object");
  if (document.client_id !== id) throw unusable("names another client_id");
  if (document.client_secret !== undefined) throw unusable("contains a secret");
  const metadata = readClientMetadata(document, "none");
  // Nobody has agreed on a secret, and keys of clients are not supported.
  if (metadata.authMethod !== "none") throw unusable("must have the token_endpoint_auth_method none");
  return { metadata, seconds: secondsOf(response.headers.get("cache-control") ?? "") };
}

const unusable = (reason: string) => new OAuthError("invalid_client", `The client's metadata document ${reason}.`);

function secondsOf(cacheControl: string): number {
  if (/\bno-(store|cache)\b/i.test(cacheControl)) return 0;
  const maxAge = /\bmax-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  return Math.min(maxAge === undefined ? DEFAULT_SECONDS : Number(maxAge), MOST_SECONDS);
}
