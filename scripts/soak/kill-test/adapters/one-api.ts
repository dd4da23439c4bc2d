import { type Adapter, countIds, listOf, member, readJson, type Site, type Target } from "./adapter.ts";

const [NAME, PASSWORD] = ["root", "kill-test-password"];
/** Dollars a call. */
const PRICE = 0.002;
const PAGE = 100;
const TYPE_CALL = 2;
const TYPE_OPENAI = 1;

type Session = Readonly<{ headers: Readonly<Record<string, string>> }>;

type Gateway = Readonly<{
  /** The header that names a call. */
  requestId: string;
  readyPath: string;
  /** Settings of its own, which a version may lack. */
  options: Readonly<Record<string, string>>;
}>;

/** Gateways with the management API of one-api: Sluice, new-api. */
const oneApi = ({ requestId, readyPath, options }: Gateway): Adapter => ({
  readyPath,
  async prepare({ url, upstreamUrl, model: known, key: knownKey }) {
    const model = known || "gpt-4o-mini";
    await send(url, "POST", "/api/setup", {
      ...{ username: NAME, password: PASSWORD, confirmPassword: PASSWORD },
      ...{ SelfUseModeEnabled: false, DemoSiteEnabled: false, ServerAddress: url },
    });
    const session = await signIn(url);
    const channel = { name: "kill-test", type: TYPE_OPENAI, key: "sk-upstream", base_url: upstreamUrl, models: model };
    await send(url, "POST", "/api/channel/", { mode: "single", channel: { ...channel, group: "default" } }, session);
    await send(url, "PUT", "/api/option/", { key: "ModelPrice", value: JSON.stringify({ [model]: PRICE }) }, session);
    for (const [key, value] of Object.entries(options))
      await send(url, "PUT", "/api/option/", { key, value }, session).catch(() => {});
    const token = { name: "kill-test", group: "default", unlimited_quota: true, remain_quota: 0, expired_time: -1 };
    if (!knownKey) await send(url, "POST", "/api/token/", token, session);
    const key = knownKey || (await readKey(url, session));
    return { path: "/v1/chat/completions", headers: { authorization: `Bearer ${key}` }, model };
  },
  idOf: (headers) => headers.get(requestId),
  async count({ url }) {
    const session = await signIn(url);
    const rows: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const query = `type=${TYPE_CALL}&p=${page}&page_size=${PAGE}`;
      const items = itemsOf(await send(url, "GET", `/api/log/?${query}`, null, session));
      rows.push(...items);
      if (items.length < PAGE) break;
    }
    const charged = rows.filter((row) => Number(member(row, "quota")) > 0);
    const ids = charged.map((row) => member(row, "request_id")).filter((id) => typeof id === "string" && id !== "");
    return {
      rows: charged.length,
      charged: charged.reduce<number>((sum, row) => sum + Number(member(row, "quota")), 0),
      spent: Number(member(await send(url, "GET", "/api/user/self", null, session), "used_quota")),
      rowsById: ids.length === charged.length ? countIds(ids.map(String)) : null,
    };
  },
});

export const sluice = oneApi({ requestId: "x-request-id", readyPath: "/readyz", options: {} });
export const newApi = oneApi({
  requestId: "x-oneapi-request-id",
  readyPath: "/api/status",
  // Else it refuses calls while the machine is busy.
  options: { "performance_setting.monitor_enabled": "false" },
});

async function signIn(url: string): Promise<Session> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: NAME, password: PASSWORD }),
  });
  const user: unknown = await answer.json();
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  // Versions of new-api since August 2026 answer with a token and keep no session in a cookie.
  const token = member(user, "data", "access_token");
  if (typeof token === "string" && token !== "") return { headers: { authorization: `Bearer ${token}` } };
  return { headers: { cookie, "new-api-user": String(member(user, "data", "id")) } };
}

/** Calls the management API and returns `data`. Throws where it does not say success. */
async function send(url: string, method: string, path: string, body: object | null, session?: Session) {
  const answer = await readJson(url + path, {
    method,
    headers: { ...session?.headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (member(answer, "success") !== true) throw new Error(`${path}: ${JSON.stringify(answer).slice(0, 300)}`);
  return member(answer, "data");
}

const itemsOf = (data: unknown): readonly unknown[] => listOf(Array.isArray(data) ? data : member(data, "items"));

/** New versions of new-api show a key only when it is asked for by itself. */
async function readKey(url: Site["url"], session: Session): Promise<Target["path"]> {
  const [row] = itemsOf(await send(url, "GET", "/api/token/?p=0&size=10", null, session));
  const listed = String(member(row, "key"));
  const key = listed.includes("*")
    ? String(member(await send(url, "POST", `/api/token/${String(member(row, "id"))}/key`, {}, session), "key"))
    : listed;
  return key.startsWith("sk-") ? key : `sk-${key}`;
}
