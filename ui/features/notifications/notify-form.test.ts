import { describe, expect, test } from "bun:test";
import { formOf, missingFields, requestOf } from "./notify-form.ts";

describe("the notification form", () => {
  test("begins with what is stored, secrets empty", () => {
    const setting = {
      notify_type: "dingtalk",
      dingtalk_token_set: true,
      dingtalk_mobiles: ["1", "2"],
      notify_events: [],
    };
    const form = formOf(setting, 1000);
    expect(form).toMatchObject({
      way: "dingtalk",
      events: [],
      threshold: "1000",
      values: { dingtalk_mobiles: "1, 2" },
    });
    expect(missingFields(form, setting)).toEqual([]);
    expect(missingFields({ ...form, removed: ["dingtalk_token"] }, setting)).toEqual(["dingtalk_token"]);
  });

  test("sends a secret only when it was typed or removed", () => {
    const form = formOf(
      { notify_type: "webhook", webhook_url: "https://a.example.com", webhook_secret_set: true },
      1000,
    );
    expect(requestOf(form, "zh")).toEqual({
      notify_type: "webhook",
      notify_events: ["low_balance", "price_change", "announcement"],
      quota_warning_threshold: 1000,
      language: "zh",
      webhook_url: "https://a.example.com",
    });
    expect(requestOf({ ...form, removed: ["webhook_secret"] }, "en").webhook_secret).toBeNull();
    expect(requestOf({ ...form, values: { webhook_secret: "new" } }, "en").webhook_secret).toBe("new");
  });

  test("shows one's own threshold, else the site's, which is in force", () => {
    expect(formOf({ quota_warning_threshold: 7 }, 1000).threshold).toBe("7");
    expect(formOf({}, 25_000).threshold).toBe("25000");
    expect(formOf({}, undefined).threshold).toBe("");
  });

  test("leaves a threshold alone that is not shown", () => {
    const form = { ...formOf({ notify_events: ["promotion"] }, 1000), threshold: "0" };
    expect(requestOf(form, "en")).not.toHaveProperty("quota_warning_threshold");
  });

  test("takes phone numbers however they are separated", () => {
    const form = {
      ...formOf({ notify_type: "dingtalk" }, 1000),
      values: { dingtalk_mobiles: "13800000000，139 0000;1" },
    };
    expect(requestOf(form, "zh").dingtalk_mobiles).toEqual(["13800000000", "139", "0000", "1"]);
  });
});
