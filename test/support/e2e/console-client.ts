import type { Gateway } from "../processes/gateway.ts";

export const ROOT_NAME = "root";
export const ROOT_PASSWORD = "sluice-root-password";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Data = any;

/** Somebody who is logged in: calls the management API as the console does. */
export type Session = Readonly<{
  userId: number;
  cookie: string;
  /** Calls and returns `data`. Throws when the envelope does not say success. */
  get: (path: string) => Promise<Data>;
  post: (path: string, body?: object) => Promise<Data>;
  put: (path: string, body: object) => Promise<Data>;
  delete: (path: string) => Promise<Data>;
  /** Calls and returns the whole reply, whatever it says. */
  send: (method: string, path: string, body?: object) => Promise<Response>;
}>;

type SetUp = Readonly<{ SelfUseModeEnabled?: boolean; DemoSiteEnabled?: boolean; ServerAddress?: string }>;

/** Makes the first account and logs in as it. */
export async function setUp(gateway: Pick<Gateway, "url">, modes: SetUp = {}): Promise<Session> {
  await envelope(
    await request(gateway.url, "POST", "/api/setup", {
      username: ROOT_NAME,
      password: ROOT_PASSWORD,
      confirmPassword: ROOT_PASSWORD,
      SelfUseModeEnabled: false,
      DemoSiteEnabled: false,
      ServerAddress: gateway.url,
      ...modes,
    }),
  );
  return login(gateway, ROOT_NAME, ROOT_PASSWORD);
}

/** Logs in with a password. */
export async function login(gateway: Pick<Gateway, "url">, username: string, password: string): Promise<Session> {
  const reply = await request(gateway.url, "POST", "/api/user/login", { username, password });
  const cookie = reply.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const user = await envelope(reply);
  const headers = { cookie, "sluice-user": String(user.id) };
  const send = (method: string, path: string, body?: object) => request(gateway.url, method, path, body, headers);
  const call = async (method: string, path: string, body?: object) => envelope(await send(method, path, body));
  return {
    userId: user.id,
    cookie,
    get: (path) => call("GET", path),
    post: (path, body = {}) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
    delete: (path) => call("DELETE", path),
    send,
  };
}

/** Adds a channel of type OpenAI (1) unless `fields` say otherwise. Returns its id. */
export async function createChannel(
  session: Session,
  baseUrl: string,
  models: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const name = String(fields.name ?? `channel-${Bun.randomUUIDv7()}`);
  await session.post("/api/channel/", {
    type: 1,
    key: "sk-upstream-key",
    base_url: baseUrl,
    models: models.join(","),
    group: "default",
    ...fields,
    name,
  });
  const { id } = await findByName(session, "/api/channel/", name);
  return id;
}

/** Makes an API key without a limit unless `fields` say otherwise. */
export async function createApiKey(
  session: Session,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ id: number; key: string }> {
  const name = String(fields.name ?? `key-${Bun.randomUUIDv7().slice(-12)}`);
  await session.post("/api/token/", { unlimited_quota: true, remain_quota: 0, expired_time: -1, ...fields, name });
  const { id, key } = await findByName(session, "/api/token/", name);
  return { id, key: String(key).startsWith("sk-") ? key : `sk-${key}` };
}

/** Saves one option; objects as JSON text. */
export async function setOption(session: Session, key: string, value: unknown): Promise<void> {
  await session.put("/api/option/", { key, value: typeof value === "object" ? JSON.stringify(value) : String(value) });
}

/** Saves options one after the other. */
export async function setOptions(session: Session, options: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [key, value] of Object.entries(options)) await setOption(session, key, value);
}

async function findByName(session: Session, path: string, name: string): Promise<Data> {
  const data = await session.get(`${path}?p=0&size=100`);
  const rows: Data[] = Array.isArray(data) ? data : (data.items ?? []);
  const row = rows.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`${path} does not list ${name}: ${JSON.stringify(data).slice(0, 300)}`);
  return row;
}

function request(url: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return fetch(url + path, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function envelope(reply: Response): Promise<Data> {
  const text = await reply.text();
  const at = `${reply.status} ${new URL(reply.url).pathname}`;
  let parsed: { success?: boolean; message?: string; data?: Data };
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error(`${at}: not JSON: ${text.slice(0, 300)}`);
  }
  if (parsed.success !== true) throw new Error(`${at}: ${parsed.message ?? text.slice(0, 300)}`);
  return parsed.data;
}
