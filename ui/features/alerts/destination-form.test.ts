import { expect, test } from "bun:test";
import { DESTINATION_TYPES, destinationType } from "../../../src/domain/alerts/destinations/destination-types.ts";
import { bodyOf, checkForm, FIELDS, formOf, hasDigest, TYPES, typeOfUrl } from "./destination-form.ts";

test("the form has the types and fields of the server", () => {
  expect([...TYPES]).toEqual(Object.keys(DESTINATION_TYPES) as typeof TYPES extends readonly (infer T)[] ? T[] : never);
  for (const type of TYPES) {
    const fields = destinationType(type).fields.map(({ format: _, ...traits }) => traits);
    expect(FIELDS[type].map((traits) => ({ ...traits }))).toEqual(fields as (typeof FIELDS)[typeof type][number][]);
  }
});

test("only fields of the type are checked and sent", () => {
  const form = { ...formOf(null, "zh"), type: "telegram" as const, name: " Night ", url: "nonsense", chat_id: " -1 " };
  expect(checkForm(form, [])).toEqual({
    name: undefined,
    bot_token: "required",
    chat_id: undefined,
    thread_id: undefined,
  });
  expect(checkForm(form, ["bot_token"]).bot_token).toBeUndefined();
  expect(bodyOf(form)).toEqual({
    name: "Night",
    language: "zh",
    enabled: true,
    ...{ quiet_from: "", quiet_until: "", time_zone: "UTC", digest_minutes: 0 },
    config: { bot_token: "", chat_id: "-1", thread_id: "" },
  });
});

test("quiet hours are sent only while they are on", () => {
  const form = { ...formOf(null, "en"), hasQuietHours: true, quietFrom: "21:30", timeZone: " Asia/Shanghai " };
  const quiet = { quiet_from: "21:30", quiet_until: "07:00", time_zone: "Asia/Shanghai" };
  expect(bodyOf(form)).toMatchObject(quiet);
  expect(bodyOf({ ...form, hasQuietHours: false })).toMatchObject({ quiet_from: "", quiet_until: "" });
});

test("an address must be https, a name must be there", () => {
  const form = { ...formOf(null, "en"), url: "http://hooks.test/x" };
  expect(checkForm(form, [])).toEqual({ name: "required", url: "https" });
});

test("services that open incidents get no digests", () => {
  for (const type of TYPES) expect(hasDigest(type)).toBe(!destinationType(type).opensIncidents);
  expect(bodyOf({ ...formOf(null, "en"), digest: 60 }).digest_minutes).toBe(60);
  expect(bodyOf({ ...formOf(null, "en"), digest: 60, type: "opsgenie" }).digest_minutes).toBe(0);
});

test.each([
  ["https://hooks.slack.com/services/T0/B0/x", "slack"],
  [" https://discord.com/api/webhooks/1/x ", "discord"],
  ["https://open.feishu.cn/open-apis/bot/v2/hook/x", "lark"],
  ["https://open.larksuite.com/open-apis/bot/v2/hook/x", "lark"],
  ["https://acme.webhook.office.com/webhookb2/x", "teams"],
  ["https://prod-1.westeurope.logic.azure.com/workflows/x", "teams"],
  ["http://hooks.slack.com/services/T0/B0/x", null],
  ["https://hooks.slack.com.evil.test/services", null],
  ["https://discord.com/channels/1", null],
  ["hooks.slack.com", null],
  ["", null],
] as const)("the chat at %j: %s", (address, type) => expect(typeOfUrl(address)).toBe(type));
