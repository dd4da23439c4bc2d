import { translate } from "../i18n.ts";
import { goToLogin } from "./login-redirect.ts";
import { requestHeaders } from "./request-headers.ts";

/** A call that did not succeed; the message is for people, in their language. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    message: string,
    /** HTTP status; 0 when the server was not reached. */
    readonly status: number,
    readonly requestId: string | null,
    /** The server's name for what is wrong. */
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

/** What a call of a group in groups.ts resolves with. */
type Reply = Readonly<{ data: unknown; error: Readonly<{ value: unknown }> | null; response: Response | undefined }>;

/** The body of a reply that succeeded. */
type Body<Given extends Reply> = NonNullable<Given["data"]>;

type ReadOptions = Readonly<{
  /** `success: false` is an answer to look at, not an error. */
  acceptFailure?: boolean;
  /** A 401 is an error like others, not a reason to go to the sign-in page. */
  stayOn401?: boolean;
}>;

/**
 * Resolves with the whole envelope that a call of the management API answers; rejects ApiError for everything else. A
 * session that has ended leads to the sign-in page and back again.
 */
export async function readEnvelope<Given extends Reply>(
  call: Promise<Given>,
  { acceptFailure, stayOn401 }: ReadOptions = {},
): Promise<Body<Given>> {
  const { data, error, response } = await call.catch((reason: unknown) => {
    // The body broke off, or is no JSON.
    throw isAborted(reason) ? reason : new ApiError(translate("api.notJson"), 0, null);
  });
  if (!response) throw isAborted(error?.value) ? error?.value : new ApiError(translate("api.unreachable"), 0, null);
  const requestId = response.headers.get("x-request-id");
  const { success, message, code } = readOutcome(error ? error.value : data);
  if (response.status === 401 && !stayOn401) goToLogin();
  if (!response.ok) throw new ApiError(messageOf(response.status, message), response.status, requestId, code);
  if (!isEnvelope(data)) throw new ApiError(translate("api.notJson"), response.status, requestId);
  if (!success && !acceptFailure) throw new ApiError(message ?? "", response.status, requestId, code);
  return data;
}

/** Resolves with the data that a call of the management API answers. Rejects ApiError like `readEnvelope`. */
export async function readData<Given extends Reply & { data: { data: unknown } | null }>(
  call: Promise<Given>,
  options?: ReadOptions,
): Promise<Body<Given>["data"]> {
  return (await readEnvelope(call, options)).data;
}

export type Answer<Data, Beside = unknown> = { success: boolean; message: string; code?: string; data: Data } & Beside;

type Options = Readonly<{
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: object;
  signal?: AbortSignal | undefined;
  /** `success: false` is an answer to look at, not an error. */
  acceptFailure?: boolean;
  /** A 401 is an error like others, not a reason to go to the sign-in page. */
  stayOn401?: boolean;
}>;

/**
 * Calls the management API. Resolves with the whole envelope; rejects ApiError for everything else. A session that has
 * ended leads to the sign-in page and back again.
 */
export async function request<Data, Beside = unknown>(
  path: string,
  options: Options = {},
): Promise<Answer<Data, Beside>> {
  const { method = "GET", query, body, signal, acceptFailure, stayOn401 } = options;
  const response = await send(withQuery(path, query), {
    method,
    credentials: "same-origin",
    headers: headersOf(body !== undefined),
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const requestId = response.headers.get("x-request-id");
  const answer = await parse<Answer<Data, Beside>>(response);
  if (response.status === 401 && !stayOn401) goToLogin();
  if (!response.ok)
    throw new ApiError(messageOf(response.status, answer?.message), response.status, requestId, answer?.code ?? null);
  if (!answer) throw new ApiError(translate("api.notJson"), response.status, requestId);
  if (!answer.success && !acceptFailure)
    throw new ApiError(answer.message, response.status, requestId, answer.code ?? null);
  return answer;
}

/** The address at which the browser can fetch a file, such as an export, by itself: once, soon. Rejects ApiError. */
export async function requestDownload(path: string, query?: Options["query"]): Promise<string> {
  const body = { address: withQuery(path, query) };
  return (await request<{ address: string }>("/api/user/self/download", { method: "POST", body })).data.address;
}

/**
 * Calls what answers a line of JSON for every step of long work; `onLine` gets each as it comes. Aborting `signal` stops
 * the work. Rejects ApiError.
 */
export async function requestLines<Line>(
  path: string,
  body: object,
  onLine: (line: Line) => void,
  signal: AbortSignal,
): Promise<void> {
  const init = { method: "POST", credentials: "same-origin", headers: headersOf(true), signal } as const;
  const response = await send(path, { ...init, body: JSON.stringify(body) });
  await readLines(response, "ndjson", (line) => onLine(JSON.parse(line) as Line));
}

/** Follows server-sent events, each a JSON text, until the server ends them or `signal` is aborted. Rejects ApiError. */
export async function requestEvents<Data>(
  path: string,
  { onOpen, onEvent, signal }: Readonly<{ onOpen: () => void; onEvent: (event: Data) => void; signal: AbortSignal }>,
): Promise<void> {
  const response = await send(path, { credentials: "same-origin", headers: headersOf(false), signal });
  if (response.ok) onOpen();
  await readLines(response, "event-stream", (line) => {
    if (line.startsWith("data:")) onEvent(JSON.parse(line.slice("data:".length)) as Data);
  });
}

async function readLines(response: Response, type: string, onLine: (line: string) => void): Promise<void> {
  const requestId = response.headers.get("x-request-id");
  const isLines = response.ok && response.headers.get("content-type")?.includes(type);
  if (!isLines || !response.body) {
    const answer = await parse<Answer<null>>(response);
    if (response.status === 401) goToLogin();
    const message = response.ok ? (answer?.message ?? "") : messageOf(response.status, answer?.message);
    throw new ApiError(message, response.status, requestId);
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

/** What a body says of how the call went, as far as it is an envelope. */
function readOutcome(body: unknown) {
  const has = typeof body === "object" && body !== null;
  return {
    success: has && "success" in body && body.success === true,
    message: has && "message" in body && typeof body.message === "string" ? body.message : undefined,
    code: has && "code" in body && typeof body.code === "string" ? body.code : null,
  };
}

/** Sends a call as it is. Rejects ApiError when the server cannot be reached. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(translate("api.unreachable"), 0, null);
  }
}

function headersOf(hasBody: boolean): Record<string, string> {
  return { ...requestHeaders(), ...(hasBody && { "Content-Type": "application/json" }) };
}

async function parse<T>(response: Response): Promise<T | null> {
  try {
    return (await response.json()) as T;
  } catch {
    return null;
  }
}

/** The catalogue of specification 1, section 8. */
function messageOf(status: number, message: string | undefined): string {
  if (status === 429) return translate("api.tooMany");
  if (status === 405) return translate("api.demoOnly");
  if (status === 500) return message ? `${translate("api.internal")} ${message}` : translate("api.internal");
  if (status === 401 && message) return message;
  return translate("api.other", { message: message || `HTTP ${status}` });
}

function withQuery(path: string, query: Options["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}
