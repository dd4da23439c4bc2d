import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";

setDefaultTimeout(240_000);

const ODD: readonly unknown[] = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "%",
  "\\",
  "'",
  "-1",
  "1e3",
  "99999999999999999999",
  "{",
  '{"a":1}',
  "[1]",
  "null",
  "x".repeat(30_000),
  "😀".repeat(40),
  -1,
  0,
  1.5,
  1e300,
  2 ** 31,
  2 ** 53,
  null,
  true,
  [],
  ["\u0000"],
  {},
];

let app: TestOperations;
let channelId = 0;
let tokenId = 0;
beforeAll(async () => {
  app = await startTestOperations();
  const channel = await app.ask("POST", "/api/channel/", CHANNEL, app.as.admin);
  channelId = (channel.body.data as { id: number }).id;
  const token = await app.ask("POST", "/api/token/", TOKEN, app.as.admin);
  tokenId = (token.body.data as { id: number }).id;
});
afterAll(() => app.close());

const CHANNEL = { name: "c", key: "k", models: "m", group: "default", tag: "t" };
const TOKEN = { name: "t", remain_quota: 5, expired_time: -1 };
const CHANNEL_FIELDS =
  "type name key status priority weight base_url other openai_organization max_input_tokens models group groups " +
  "model_mapping status_code_mapping setting param_override model_prefix tag test_model auto_ban id";
const TOKEN_FIELDS =
  "name remain_quota unlimited_quota expired_time model_limits_enabled model_limits allow_ips group status id";

/** Asks with each odd value in turn in each field; answers what came back as the server's own fault. */
async function sweep(method: string, path: string, fields: string, body: () => object): Promise<string[]> {
  const faults: string[] = [];
  for (const field of fields.split(" ")) {
    for (const value of ODD) {
      const { status } = await app.ask(method, path, { ...body(), [field]: value }, app.as.admin);
      if (status >= 500) faults.push(`${status} for ${field} = ${JSON.stringify(value).slice(0, 40)}`);
    }
  }
  return faults;
}

test.each([
  ["POST", "/api/channel/", CHANNEL_FIELDS, () => CHANNEL],
  ["PUT", "/api/channel/", CHANNEL_FIELDS, () => ({ id: channelId })],
  ["PUT", "/api/channel/tag", "tag new_tag model_mapping models groups priority weight", () => ({ tag: "t" })],
  ["POST", "/api/channel/batch/overrides", "ids param_override header_override", () => ({ ids: [channelId] })],
  [
    "POST",
    "/api/channel/override_preview",
    "param_override header_override request_id body request_path headers",
    () => ({ body: "{}" }),
  ],
  ["POST", "/api/channel/batch/tag", "ids tag", () => ({ ids: [channelId], tag: "t" })],
  ["POST", "/api/channel/tag/enabled", "tag", () => ({})],
  ["POST", "/api/channel/batch", "ids", () => ({})],
  ["POST", "/api/token/", TOKEN_FIELDS, () => TOKEN],
  ["PUT", "/api/token/", TOKEN_FIELDS, () => ({ id: tokenId })],
  ["PUT", "/api/token/?status_only=true", "id status", () => ({ id: tokenId, status: 1 })],
])("%s %s: whatever a field holds is never the server's fault", async (method, path, fields, body) => {
  expect(await sweep(method, path, fields, body)).toEqual([]);
});

const TIMES = "start_timestamp end_timestamp";

test.each([
  ["/api/channel/", "p page_size id_sort tag_mode keyword group model status type tag sort order stats"],
  ["/api/channel/search", "keyword group model"],
  ["/api/token/", "p size keyword token status group"],
  [
    "/api/log/",
    `p type username token_name token_id model_name channel group request_id failed user_id before ${TIMES}`,
  ],
  ["/api/log/stat", `type username token_name model_name channel group request_id failed ${TIMES}`],
  ["/api/log/histogram", `model_name request_id ${TIMES}`],
  ["/api/log/self", `type model_name request_id before ${TIMES}`],
  ["/api/log/search", "keyword"],
  ["/api/log/token", "key"],
])("GET %s: nor whatever a filter holds", async (path, fields) => {
  const faults: string[] = [];
  for (const field of fields.split(" ")) {
    for (const odd of ODD) {
      const value = (typeof odd === "string" ? odd : JSON.stringify(odd)).toWellFormed().slice(0, 3000);
      const { status } = await app.ask(
        "GET",
        `${path}?${new URLSearchParams({ [field]: value })}`,
        undefined,
        app.as.admin,
      );
      if (status >= 500) faults.push(`${status} for ${field} = ${value.slice(0, 40)}`);
    }
  }
  expect(faults).toEqual([]);
});

test("JSON nested too deeply is the caller's fault everywhere, also before signing in", async () => {
  for (const path of [
    "/api/user/login",
    "/api/user/register",
    "/api/setup",
    "/api/channel/",
    "/api/token/",
    "/api/option/",
  ]) {
    for (const levels of [600, 5000, 200_000]) {
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        const deep = open.repeat(levels) + (close === "}" ? "1" : "") + close.repeat(levels);
        const body = `{"username":${deep},"password":"x"}`;
        const response = await app.ask("POST", path, body, { ...app.as.root, "content-type": "application/json" });
        expect([path, levels, response.status]).toEqual([path, levels, 400]);
        expect(["body_too_deep", "malformed_body"]).toContain(String(response.body.code));
      }
    }
  }
});
