import { type JsonObject, recordOf, textOf } from "../../formats/json.ts";

const LONGEST = 128;

/** Open WebUI's, with `ENABLE_FORWARD_USER_INFO_HEADERS` (https://docs.openwebui.com). */
const OPEN_WEBUI = ["x-openwebui-user-email", "x-openwebui-user-id", "x-openwebui-user-name"] as const;

/** Claude Code names its session behind the account: `user_…_account_…_session_UUID`. */
const CLAUDE_SESSION = /(?:_account_)?_session_[\w-]*$/;

/**
 * Whom the client makes a call for, as it says: in the site's own header, in Open WebUI's, as `safety_identifier`, `user` or
 * `metadata.user_id`. Null: it says nothing. Nothing proves it: clients are trusted with what they say of their own users.
 */
export function endUserOf(ownHeader: string, headers: Headers, body: JsonObject): string | null {
  let named = ownHeader === "" ? null : headers.get(ownHeader);
  for (const name of OPEN_WEBUI) named ||= headers.get(name);
  if (named) return bounded(decoded(named));
  const { safety_identifier, user, metadata } = body;
  const text = textOf(safety_identifier) || textOf(user) || (metadata == null ? null : userInMetadata(metadata));
  return text ? bounded(text) : null;
}

function userInMetadata(metadata: unknown): string | null {
  const text = textOf(recordOf(metadata)?.user_id);
  if (!text?.startsWith("{")) return text?.replace(CLAUDE_SESSION, "") ?? null;
  const parts = parsed(text);
  return textOf(parts?.account_uuid) || textOf(parts?.device_id) || text;
}

/** Newer versions of Claude Code send an object as text. */
function parsed(text: string): JsonObject | null {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Open WebUI writes what is not ASCII percent-encoded. */
function decoded(header: string): string {
  if (!header.includes("%")) return header;
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

const bounded = (text: string): string | null => [...text.trim()].slice(0, LONGEST).join("").trim() || null;
