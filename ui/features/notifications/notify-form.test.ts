import { describe, expect, test } from "bun:test";
import { formOf, isThresholdUnsaved, missingFields, requestOf } from "./notify-form.ts";

describe("the notification form", () => {
  test("begins with what is stored, secrets empty", () => {
    const setting = {
      notify_type: "dingtalk",
      dingtalk_token_set: true,
      dingtalk_mobiles: ["1", "2"],
      notify_events: [],
    };
    const form = formOf(setting);
    expect(form).toMatchObject({
      way: "dingtalk",
      events: [],
      threshold: "500000",
      values: { dingtalk_mobiles: "1, 2" },
    });
    expect(missingFields(form, setting)).toEqual([]);
    expect(missingFields({ ...form, removed: ["dingtalk_token"] }, setting)).toEqual(["dingtalk_token"]);
  });

  test("sends a secret only when it was typed or removed", () => {
    const form = formOf({ notify_type: "webhook", webhook_url: "https://a.example.com", webhook_secret_set: true });
    expect(requestOf(form, "zh")).toEqual({
      notify_type: "webhook",
      notify_events: ["low_balance", "price_change", "announcement"],
      quota_warning_threshold: 500_000,
      language: "zh",
      webhook_url: "https://a.example.com",
    });
    expect(requestOf({ ...form, removed: ["webhook_secret"] }, "en").webhook_secret).toBeNull();
    expect(requestOf({ ...form, values: { webhook_secret: "new" } }, "en").webhook_secret).toBe("new");
  });

  test("shows one's own threshold; to whoever has none it offers 500,000 to save", () => {
    const chosen = { quota_warning_threshold: 7 };
    expect(formOf(chosen).threshold).toBe("7");
    expect(isThresholdUnsaved(formOf(chosen), chosen)).toBe(false);
    expect(formOf({}).threshold).toBe("500000");
    expect(isThresholdUnsaved(formOf({}), {})).toBe(true);
    const uninterested = { notify_events: ["promotion"] };
    expect(isThresholdUnsaved(formOf(uninterested), uninterested)).toBe(false);
  });

  test("leaves a threshold alone that is not shown", () => {
    const form = { ...formOf({ notify_events: ["promotion"] }), threshold: "0" };
    expect(requestOf(form, "en")).not.toHaveProperty("quota_warning_threshold");
  });

  test("takes phone numbers however they are separated", () => {
    const form = {
      ...formOf({ notify_type: "dingtalk" }),
      values: { dingtalk_mobiles: "13800000000，139 0000;1" },
    };
    expect(requestOf(form, "zh").dingtalk_mobiles).toEqual(["13800000000", "139", "0000", "1"]);
  });
});
