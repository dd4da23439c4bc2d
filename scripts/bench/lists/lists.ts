import { login, type Session } from "../../../test/support/e2e/console-client.ts";
import type { Gateway } from "../../../test/support/processes/gateway.ts";
import { MODELS } from "../../seed/models.ts";
import type { ListProbe } from "./list-times.ts";

const DAY_S = 86_400;
const LIST_MS = 300;
const EMBEDDED_LIST_MS = 500;
const DASHBOARD_MS = 500;
const YEAR_MS = 700;
const PRICED_MODELS = 2000;
const USER_PASSWORD = "made-up-password-1";

/** Everything that is to open at once on a seeded gateway: first pages, searches, filters and charts. */
export async function listProbes(gateway: Gateway, root: Session, isEmbedded: boolean): Promise<ListProbe[]> {
  const { user, key, row } = await prepare(gateway, root);
  await offerModels(root);
  const now = Math.floor(Date.now() / 1000);
  const range = (days: number) => `start_timestamp=${now - days * DAY_S}&end_timestamp=${now}`;
  const model = MODELS[3] ?? "";
  const listMs = isEmbedded ? EMBEDDED_LIST_MS : LIST_MS;
  const as = (session: Session, limitMs: number) => (name: string, path: string) => ({ name, session, path, limitMs });
  const list = as(root, listMs);
  const own = as(user, listMs);
  const chart = as(root, DASHBOARD_MS);
  const year = as(root, YEAR_MS);
  const series = (by: string, days: number) =>
    `/api/data/series?${range(days)}&by=${by}&step=${days > 60 ? "week" : "day"}&offset_minutes=480`;
  return [
    list("channels", "/api/channel/?p=0&page_size=20&stats=true"),
    list("channels, by name", "/api/channel/?p=0&page_size=20&keyword=channel-4321"),
    list("channels, by model", `/api/channel/?p=0&page_size=20&model=${model}`),
    list("channels, by group and status", "/api/channel/?p=0&page_size=20&group=svip&status=3"),
    list("channels, by used quota", "/api/channel/?p=0&page_size=20&sort=used_quota&order=desc"),
    list("channels, grouped by tag", "/api/channel/?p=0&page_size=20&tag_mode=true"),
    list("channels, last page", "/api/channel/?p=499&page_size=20"),
    list("channel tags", "/api/channel/tags"),
    list("users", "/api/user/?p=1&page_size=20"),
    list("users, search", "/api/user/?p=1&page_size=20&keyword=user-4321"),
    list("users, search by mail", "/api/user/?p=1&page_size=20&keyword=99@example.org"),
    list("users, search for nobody", "/api/user/?p=1&page_size=20&keyword=nobody-has-this"),
    list("users, by group and status", "/api/user/?p=1&page_size=20&group=vip&status=2"),
    list("users, last page", "/api/user/?p=5000&page_size=20"),
    own("API keys", "/api/token/?p=0&page_size=20"),
    own("API keys, search", "/api/token/?p=0&page_size=20&keyword=key-1"),
    own("API keys, by the key", `/api/token/?p=0&page_size=20&token=${key}`),
    as(user, LIST_MS)(`prices of ${PRICED_MODELS.toLocaleString("en")} models`, "/api/pricing"),
    list("redemption codes", "/api/redemption/?p=1&page_size=20"),
    list("orders", "/api/topup/?p=1&page_size=20"),
    list("audit log", "/api/audit/?p=1&page_size=20"),
    list("audit log, search", "/api/audit/?p=1&page_size=20&target=channel"),
    list("log", "/api/log/?p=1&page_size=20"),
    list("log, 7 days", `/api/log/?p=1&page_size=20&${range(7)}`),
    list("log, by model", `/api/log/?p=1&page_size=20&model_name=%25${model}%25&${range(30)}`),
    list("log, by user", `/api/log/?p=1&page_size=20&username=${row.username}&${range(365)}`),
    list("log, by key name", `/api/log/?p=1&page_size=20&token_name=${row.token_name}&${range(30)}`),
    list("log, by channel", `/api/log/?p=1&page_size=20&channel=${row.channel}&${range(365)}`),
    list("log, by group", `/api/log/?p=1&page_size=20&group=svip&${range(30)}`),
    list("log, failed", `/api/log/?p=1&page_size=20&failed=true&${range(30)}`),
    list("log, top-ups", `/api/log/?p=1&page_size=20&type=1&${range(365)}`),
    list("log, by request id", `/api/log/?p=1&page_size=20&request_id=${row.request_id}`),
    list("log, user and model", `/api/log/?p=1&page_size=20&username=${row.username}&model_name=${model}`),
    list("log, page 500", `/api/log/?p=500&page_size=20&${range(365)}`),
    list("log, page 10,000", `/api/log/?p=10000&page_size=20&${range(365)}`),
    list("log, page 10,000 of 100", `/api/log/?p=10000&page_size=100&${range(365)}`),
    list("log, behind a cursor", `/api/log/?p=1&page_size=20&before=${now - 200 * DAY_S}-1`),
    list("log, search for a text", "/api/log/search?keyword=Topped"),
    list("chips, 7 days", `/api/log/stat?${range(7)}`),
    list("chips, 30 days", `/api/log/stat?${range(30)}`),
    list("chips, a year", `/api/log/stat?${range(365)}`),
    list("chips, by model", `/api/log/stat?model_name=${model}&${range(365)}`),
    list("chips, by user", `/api/log/stat?username=${row.username}&${range(365)}`),
    list("histogram, a day", `/api/log/histogram?${range(1)}`),
    list("histogram, 30 days", `/api/log/histogram?${range(30)}`),
    own("own log", "/api/log/self?p=1&page_size=20"),
    own("own log, page 500", `/api/log/self?p=500&page_size=20&${range(365)}`),
    own("own log, by model", `/api/log/self?p=1&page_size=20&model_name=%25${model}%25&${range(365)}`),
    own("own log, by key name", `/api/log/self?p=1&page_size=20&token_name=${row.token_name}`),
    own("own chips, 30 days", `/api/log/self/stat?${range(30)}`),
    own("own dashboard, 30 days", `/api/data/self/series?${range(30)}&by=model&step=day&offset_minutes=480`),
    own("own dashboard, a year", `/api/data/self/series?${range(365)}&by=model&step=week&offset_minutes=480`),
    ...["model", "user", "channel", "group", "token"].map((by) => chart(`dashboard, 30 days by ${by}`, series(by, 30))),
    chart("dashboard, latency by model", `/api/data/latency?by=model&${range(30)}`),
    chart("dashboard, latency by channel", `/api/data/latency?by=channel&${range(30)}`),
    chart("dashboard, balances running out", "/api/data/running-out"),
    chart("dashboard, data of 30 days", `/api/data/?${range(30)}`),
    ...["model", "user", "channel", "group", "token"].map((by) => year(`dashboard, a year by ${by}`, series(by, 365))),
  ];
}

type Row = Readonly<{ username: string; token_name: string; channel: number; request_id: string }>;

/** The busiest of the made-up users, signed in, one of the user's keys, and a row of the log from half a year ago. */
async function prepare(gateway: Gateway, root: Session): Promise<{ user: Session; key: string; row: Row }> {
  const { items: found } = await root.get("/api/user/?p=1&page_size=1&keyword=user-2");
  if (!found.length) throw new Error("the database was not seeded");
  const busiest = await root.get("/api/user/2");
  await root.put("/api/user/", { id: busiest.id, password: USER_PASSWORD });
  const user = await login(gateway, busiest.username, USER_PASSWORD);
  const keys = await user.get("/api/token/?p=0&page_size=1");
  const before = `${Math.floor(Date.now() / 1000) - 180 * DAY_S}-1`;
  const { items: rows } = await user.get(`/api/log/self?type=2&p=1&page_size=1&before=${before}`);
  const [row] = rows;
  const { items: full } = await root.get(`/api/log/?request_id=${row.request_id}`);
  return { user, key: keys[0].key, row: full[0] };
}

/** Makes a channel offer many models, each with a price. */
async function offerModels(root: Session): Promise<void> {
  const models = Array.from({ length: PRICED_MODELS }, (_, number) => `priced-model-${number}`);
  const options: { key: string; value: string }[] = await root.get("/api/option/");
  const ratios = JSON.parse(options.find(({ key }) => key === "ModelRatio")?.value ?? "{}");
  const value = JSON.stringify({ ...ratios, ...Object.fromEntries(models.map((name, at) => [name, 1 + at / 100])) });
  await root.put("/api/option/", { key: "ModelRatio", value });
  const channel = { type: 1, key: "sk-none", base_url: "http://127.0.0.1:1", group: "default" };
  await root.post("/api/channel/", { ...channel, name: "priced", models: models.join(",") });
}
