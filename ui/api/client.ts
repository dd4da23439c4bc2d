import type { Streamed } from "../../src/lib/http/sse.ts";
import { sitePath } from "../lib/base-path.ts";
import { translate } from "../state/i18n.ts";
import { chooseOrganization, readOrganization } from "../state/organization.ts";
import { fetchSignedIn } from "./accounts/fetch-signed-in.ts";
import { downloadApi } from "./groups.ts";
import { leaveForSignIn } from "./login-redirect.ts";
import { requestHeaders } from "./request.ts";

/** A failed call; the message is for users, in their language. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    message: string,
    /** HTTP status; 0 when the server couldn't be reached. */
    readonly status: number,
    readonly requestId: string | null,
    /** The server's error code. */
    readonly code: string | null = null,
    /** After how many seconds the server wants the call again; null when it doesn't say. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
  }
}

/** The error of a response with an HTTP error status. */
function errorOf(response: Response, { message, code }: Pick<Outcome, "message" | "code">): ApiError {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(
    messageOf(response.status, message),
    response.status,
    response.headers.get("x-request-id"),
    code,
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** The result of a call through groups.ts. */
type Reply = Readonly<{ data: unknown; error: Readonly<{ value: unknown }> | null; response: Response | undefined }>;

/** The body of a successful response. */
type Body<Result extends Reply> = NonNullable<Result["data"]>;

type Query = Readonly<Record<string, string | number | undefined>>;

type ReadOptions = Readonly<{
  /** Return `success: false` instead of treating it as an error. */
  acceptFailure?: boolean;
  /** Treat a 401 as an ordinary error instead of redirecting to the sign-in page. */
  stayOn401?: boolean;
}>;

/**
 * Resolves with the whole envelope of a management API response; rejects ApiError otherwise. An expired session
 * redirects to the sign-in page and back.
 */
export async function readEnvelope<Result extends Reply>(
  call: Promise<Result>,
  { acceptFailure, stayOn401 }: ReadOptions = {},
): Promise<Body<Result>> {
  const { data, error, response } = await call.catch((reason: unknown) => {
    // The body is incomplete or not JSON.
    throw isAborted(reason) ? reason : new ApiError(translate("api.notJson"), 0, null);
  });
  if (!response) throw isAborted(error?.value) ? error?.value : new ApiError(translate("api.unreachable"), 0, null);
  const requestId = response.headers.get("x-request-id");
  const { success, message, code } = readOutcome(error ? error.value : data);
  if (response.status === 401 && !stayOn401) leaveForSignIn();
  if (code === "organization_not_member" || code === "organizations_off") leaveOrganization();
  if (!response.ok) throw errorOf(response, { message, code });
  if (!isEnvelope(data)) throw new ApiError(translate("api.notJson"), response.status, requestId);
  if (!success && !acceptFailure) throw new ApiError(message ?? "", response.status, requestId, code);
  return data;
}

/** Switches a removed member, or everyone once organizations are off, back to their own account. */
function leaveOrganization(): void {
  if (readOrganization() === null) return;
  chooseOrganization(null);
  window.location.reload();
}

/** Resolves with the data of a management API response. Rejects ApiError like `readEnvelope`. */
export async function readData<Result extends Reply & { data: { data: unknown } | null }>(
  call: Promise<Result>,
  options?: ReadOptions,
): Promise<Body<Result>["data"]> {
  return (await readEnvelope(call, options)).data;
}

/** Reads the JSON of a call outside the management API, as its route declares it. Rejects ApiError. */
export async function readJson<Body extends object>(path: string, init: RequestInit): Promise<Body> {
  const response = await send(path, init);
  const requestId = response.headers.get("x-request-id");
  const body = await response.json().catch(() => null);
  if (!response.ok) throw errorOf(response, readOutcome(body));
  if (typeof body !== "object" || body === null)
    throw new ApiError(translate("api.notJson"), response.status, requestId);
  return body;
}

/** A call with a streamed response; its type describes the items. */
type StreamReply<Item> = Promise<Readonly<{ data: Streamed<Item> | null }>>;

type EventOptions<Item> = Readonly<{
  query?: Query;
  onOpen: () => void;
  onEvent: (event: Item) => void;
  signal: AbortSignal;
}>;

/** Follows server-sent events, each a JSON text, until the server ends them or `signal` is aborted. Rejects ApiError. */
export async function followEvents<Item>(
  endpoint: Readonly<{ "~path": string; get: (...options: never[]) => StreamReply<Item> }>,
  { query, onOpen, onEvent, signal }: EventOptions<Item>,
): Promise<void> {
  const init = { credentials: "same-origin", headers: requestHeaders(endpoint["~path"]), signal } as const;
  const response = await send(withQuery(endpoint["~path"], query), init);
  if (response.ok) onOpen();
  await readLines(response, "event-stream", (line) => {
    if (line.startsWith("data:")) onEvent(JSON.parse(line.slice("data:".length)));
  });
}

/**
 * Calls an endpoint that streams one JSON line per step of a long operation; `onLine` receives each. Aborting `signal`
 * stops the operation. Rejects ApiError.
 */
export async function postForLines<Item, Input extends object>(
  endpoint: Readonly<{ "~path": string; post: (body: Input) => StreamReply<Item> }>,
  body: NoInfer<Input>,
  onLine: (line: Item) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = { ...requestHeaders(endpoint["~path"]), "Content-Type": "application/json" };
  const init = { method: "POST", credentials: "same-origin", headers, signal } as const;
  const response = await send(endpoint["~path"], { ...init, body: JSON.stringify(body) });
  await readLines(response, "ndjson", (line) => onLine(JSON.parse(line)));
}

/** A single-use, short-lived URL from which the browser can download a file such as an export. Rejects ApiError. */
export const requestDownload = async (file: Readonly<{ "~path": string }>, query: Query): Promise<string> =>
  (await readData(downloadApi.self.download.post({ address: withQuery(file["~path"], query) }))).address;

async function readLines(response: Response, type: string, onLine: (line: string) => void): Promise<void> {
  const requestId = response.headers.get("x-request-id");
  const isLines = response.ok && response.headers.get("content-type")?.includes(type);
  if (!isLines || !response.body) {
    const outcome = readOutcome(await response.json().catch(() => null));
    if (response.status === 401) leaveForSignIn();
    if (!response.ok) throw errorOf(response, outcome);
    throw new ApiError(outcome.message ?? "", response.status, requestId);
  }
  let rest = "";
  // Not every browser can iterate over a stream.
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const lines = (rest + step.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") onLine(line);
  }
}

const isAborted = (reason: unknown): boolean => reason instanceof DOMException && reason.name === "AbortError";

const isEnvelope = <Value>(value: Value): value is NonNullable<Value> =>
  typeof value === "object" && value !== null && "success" in value;

type Outcome = Readonly<{ success: boolean; message: string | undefined; code: string | null }>;

/** The outcome in a body: an envelope, or an error in the format of the providers' APIs. */
function readOutcome(body: unknown): Outcome {
  if (typeof body !== "object" || body === null) return { success: false, message: undefined, code: null };
  if ("error" in body) return readOutcome(body.error);
  return {
    success: "success" in body && body.success === true,
    message: "message" in body && typeof body.message === "string" ? body.message : undefined,
    code: "code" in body && typeof body.code === "string" ? body.code : null,
  };
}

/** Sends a call. Rejects ApiError when the server can't be reached. */
async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetchSignedIn(sitePath(path), init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(translate("api.unreachable"), 0, null);
  }
}

/** The message for a response with an HTTP error status. */
function messageOf(status: number, message: string | undefined): string {
  if (status === 429) return message || translate("api.tooMany");
  if (status === 405) return translate("api.demoOnly");
  if (status === 500) return message || translate("api.internal");
  if (status === 401 && message) return message;
  return translate("api.other", { message: message || `HTTP ${status}` });
}

function withQuery(path: string, query: Query = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (filled.length === 0) return path;
  return `${path}?${new URLSearchParams(filled.map(([key, value]) => [key, String(value)]))}`;
}
