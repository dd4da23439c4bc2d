import { logOf } from "../../../../../db/server/log-database.ts";
import type { Db } from "../../../../../db/types.ts";
import type { LogOther } from "../../../../billing/types.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { readLogs } from "../../../logs/list/list-logs.ts";
import { overrideChanges } from "./apply-overrides.ts";
import { addOwnHeaders, readOwnHeaders } from "./own-headers.ts";
import { readOverrideRules } from "./read-overrides.ts";

/** Overrides that are not saved yet, and the request that they are tried on: a stored one, or a body. */
type PreviewInput = Readonly<{
  paramOverride: string;
  headerOverride: string;
  /** As answered in X-Request-Id. */
  requestId?: string | undefined;
  body?: string | undefined;
  requestPath?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}>;

/** What overrides make of a request; texts are indented JSON. */
export type OverridePreview = Readonly<{
  before: string;
  after: string;
  /** Top-level members that differ. */
  changed: readonly string[];
  /** Headers that go to the provider besides its own. */
  headers: Readonly<Record<string, string>>;
}>;

type Tried = Readonly<{
  body: JsonObject;
  model: string;
  keyName: string;
  userId: number;
  username: string;
  id: string;
}>;

const CHAT_PATH = "/v1/chat/completions";

/**
 * Applies overrides to a stored request as its client sent it, or to a body, and sends nothing. Members are set first, then come
 * the rules, as in a call; what the provider's format changes besides is not in it. Throws OperationError.
 */
export async function previewOverrides(db: Db, input: PreviewInput): Promise<OverridePreview> {
  const { members, rules } = readOverrideRules(objectOf(input.paramOverride, "channel_param_override_invalid"));
  const own = readOwnHeaders(objectOf(input.headerOverride, "channel_header_override_invalid"));
  const tried = input.requestId?.trim() ? await findStored(db, input.requestId.trim()) : typed(input.body ?? "");
  const set = { ...tried.body, ...members };
  const clientHeaders = headersOf(input.headers);
  const changes = overrideChanges(rules, set, {
    model: textOf(set.model) ?? tried.model,
    requestedModel: tried.model,
    requestPath: input.requestPath?.trim() || CHAT_PATH,
    headers: clientHeaders,
  });
  const after = JSON.parse(JSON.stringify({ ...set, ...changes })) as JsonObject;
  const headers: Record<string, string> = {};
  const { keyName, userId, username, id } = tried;
  addOwnHeaders(headers, own, { keyName, userId, username, requestId: id, clientHeaders });
  const names = [...new Set([...Object.keys(tried.body), ...Object.keys(after)])];
  return {
    before: JSON.stringify(tried.body, null, 2),
    after: JSON.stringify(after, null, 2),
    changed: names.filter((name) => JSON.stringify(tried.body[name]) !== JSON.stringify(after[name])),
    headers,
  };
}

async function findStored(db: Db, requestId: string): Promise<Tried> {
  const [row] = await readLogs(logOf(db), { requestId }, { page: 0, pageSize: 1 }, "admin");
  if (!row) throw new OperationError("override_request_unknown");
  const other = recordOf(parseJson(row.other)) as Partial<LogOther> | null;
  const stored = other?.admin_info?.exchange?.client;
  const body = stored === undefined ? null : recordOf(parseJson(stored));
  if (!body) throw new OperationError("override_request_body");
  const { token_name: keyName, user_id: userId, username, model_name: model } = row;
  return {
    body,
    model: other?.requested_model ?? model,
    keyName,
    userId,
    username,
    id: other?.request_id ?? requestId,
  };
}

/** A body that somebody typed, as of a call of nobody. */
function typed(text: string): Tried {
  const body = recordOf(parseJson(text));
  if (!body) throw new OperationError("override_body_invalid");
  return { body, model: textOf(body.model) ?? "", keyName: "", userId: 0, username: "", id: "" };
}

function objectOf(
  text: string,
  code: "channel_param_override_invalid" | "channel_header_override_invalid",
): Readonly<Record<string, unknown>> {
  const object = text.trim() === "" ? {} : recordOf(parseJson(text));
  if (!object) throw new OperationError(code);
  return object;
}

function headersOf(options: Readonly<Record<string, string>> = {}): Headers {
  try {
    return new Headers({ ...options });
  } catch {
    throw new OperationError("override_headers_invalid");
  }
}
