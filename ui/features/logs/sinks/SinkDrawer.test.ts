import { expect, test } from "bun:test";
import { sinkType } from "../../../../src/domain/logs/sinks/types/index.ts";
import { bodyOfSink, checkSinkForm, fieldsOf, formOfSink, SINK_TYPES } from "./SinkDrawer.tsx";

test.each(SINK_TYPES)("the form of %s has the fields that the server knows", (type) => {
  const traits = fieldsOf(type).map(([name, { isSecret = false, isOptional = false }]) => [name, isSecret, isOptional]);
  const known = sinkType(type).fields.map(({ name, ...field }) => [
    name,
    field.isSecret ?? false,
    field.isOptional ?? false,
  ]);
  expect<unknown>(traits).toEqual(known);
});

test("a new destination needs a name and its fields, a stored one keeps its secret", () => {
  const form = formOfSink(null);
  expect(checkSinkForm(form, [])).toEqual({ name: "required", url: "required", secret: "required" });
  const filled = { ...form, name: " hook ", url: " https://x.test ", table: "left over" };
  expect(checkSinkForm(filled, ["secret"])).toEqual({});
  expect(bodyOfSink(filled)).toEqual({ name: "hook", enabled: true, config: { url: "https://x.test", secret: "" } });
});
