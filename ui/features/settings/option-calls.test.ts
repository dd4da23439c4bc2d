import { expect, test } from "bun:test";
import { ApiError } from "../../api/client.ts";
import { type OptionChange, saveOptions } from "./option-calls.ts";

const changes: OptionChange[] = [
  { key: "SystemName", value: "Gate" },
  { key: "RegisterEnabled", value: "true" },
  { key: "oidc.enabled", value: "true" },
  { key: "RetryTimes", value: "2" },
];

test("switches are saved one at a time, then the rest side by side", async () => {
  const events: string[] = [];
  let underWay = 0;
  const most: number[] = [];
  const result = await saveOptions(changes, async ({ key }) => {
    underWay += 1;
    events.push(key);
    most.push(underWay);
    await Bun.sleep(5);
    underWay -= 1;
  });
  expect(events).toEqual(["RegisterEnabled", "oidc.enabled", "SystemName", "RetryTimes"]);
  expect(most).toEqual([1, 1, 1, 2]);
  expect(result.firstError).toBeNull();
  expect(result.saved).toHaveLength(4);
});

test("a failure does not keep the others from being saved", async () => {
  const result = await saveOptions(changes, async ({ key }) => {
    if (key === "SystemName") throw new Error("too long");
  });
  expect(result.saved).toEqual(["RegisterEnabled", "oidc.enabled", "RetryTimes"]);
  expect(result.firstError?.message).toBe("too long");
});

test("a switch that needs what is saved with it comes last", async () => {
  const saved: string[] = [];
  const pair: OptionChange[] = [
    { key: "oidc.enabled", value: "true" },
    { key: "oidc.client_id", value: "id" },
  ];
  const result = await saveOptions(pair, async ({ key }) => {
    if (key === "oidc.enabled" && !saved.includes("oidc.client_id")) {
      throw new ApiError("needs the client id", 200, null, "option_needs");
    }
    saved.push(key);
  });
  expect(saved).toEqual(["oidc.client_id", "oidc.enabled"]);
  expect(result.firstError).toBeNull();
});
