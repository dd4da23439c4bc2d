import { expect, test } from "bun:test";
import { bodyOf, checkForm, formOf } from "./RuleDrawer.tsx";

test("a new rule has the usual figures of its event and goes everywhere", () => {
  const form = { ...formOf(null, "own"), event: "error_rate" as const };
  expect(bodyOf(form)).toEqual({
    event: "error_rate",
    threshold: 20,
    window_minutes: 10,
    destination_ids: [],
    enabled: true,
  });
  expect(formOf(null, "site").event).toBe("channel_disabled");
});

test("an event without a window sends none, one without a threshold checks none", () => {
  const form = { ...formOf(null, "site"), threshold: "", windowMinutes: "" };
  expect(bodyOf(form)).toMatchObject({ event: "channel_disabled", window_minutes: 0 });
  expect(checkForm(form)).toEqual({ threshold: undefined, windowMinutes: undefined });
});

test.each([
  ["", "10", "alert_threshold_invalid", undefined],
  ["101", "10", "alert_threshold_invalid", undefined],
  ["20", "", undefined, "alert_window_invalid"],
  ["20", "1.5", undefined, "alert_window_invalid"],
  ["20", "10", undefined, undefined],
])("threshold %p over %p min", (threshold, windowMinutes, first, second) => {
  const form = { ...formOf(null, "site"), event: "error_rate" as const, threshold, windowMinutes };
  expect(checkForm(form)).toEqual({ threshold: first as undefined, windowMinutes: second as undefined });
});
