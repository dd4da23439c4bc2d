import { expect, test } from "bun:test";
import { FieldError } from "../../lib/field-readers.ts";
import { readRoute } from "./model-routes.ts";

const fieldOf = (definition: unknown, name = "best"): string | null => {
  try {
    readRoute(name, definition, "");
    return null;
  } catch (error) {
    return error instanceof FieldError ? error.field : "another error";
  }
};
const withCandidate = (fields: object) => ({ candidates: [{ model: "a", ...fields }] });

test.each([
  [withCandidate({}), null],
  [{ ...withCandidate({ weight: 0 }), strategy: "balanced", description: "", enabled: false }, null],
  [{}, "candidates"],
  [{ candidates: [] }, "candidates"],
  [{ candidates: Array.from({ length: 17 }, () => ({ model: "a" })) }, "candidates"],
  [{ candidates: [{}] }, "candidates.0.model"],
  [withCandidate({ model: " a" }), "candidates.0.model"],
  [withCandidate({ weight: -1 }), "candidates.0.weight"],
  [withCandidate({ weight: 1.5 }), "candidates.0.weight"],
  [withCandidate({ min_prompt_tokens: 5, max_prompt_tokens: 4 }), "candidates.0.min_prompt_tokens"],
  [withCandidate({ image: "yes" }), "candidates.0.image"],
  [withCandidate({ tags: [""] }), "candidates.0.tags.0"],
  [withCandidate({ regions: ["eu-*", "us-east-1"] }), null],
  [withCandidate({ regions: "eu-*" }), "candidates.0.regions"],
  [withCandidate({ regions: ["eu-*", ""] }), "candidates.0.regions.1"],
  [withCandidate({ regions: [" eu-*"] }), "candidates.0.regions.0"],
  [withCandidate({ regions: ["x".repeat(101)] }), "candidates.0.regions.0"],
  [withCandidate({ hours: { from: "8:00", to: "20:00" } }), "candidates.0.hours.from"],
  [withCandidate({ hours: { from: "08:00", to: "08:00" } }), "candidates.0.hours"],
  [withCandidate({ hours: { from: "08:00" } }), "candidates.0.hours"],
  [withCandidate({ hours: { from: "08:00", to: "09:00", zone: "Mars/Base" } }), "candidates.0.hours.zone"],
  [withCandidate({ priority: 1 }), "candidates.0.priority"],
  [{ ...withCandidate({}), strategy: "fastest" }, "strategy"],
  [{ ...withCandidate({}), experiment: { mode: "canary", candidate: { model: "b" } } }, null],
  [{ ...withCandidate({}), experiment: { candidate: { model: "b" } } }, "experiment.mode"],
  [{ ...withCandidate({}), experiment: { mode: "mirror" } }, "experiment.candidate"],
  [{ ...withCandidate({}), experiment: { mode: "mirror", candidate: {} } }, "experiment.candidate.model"],
  [
    { ...withCandidate({}), experiment: { mode: "canary", candidate: { model: "b" }, judge: { model: "j" } } },
    "experiment.judge",
  ],
  [
    { ...withCandidate({}), experiment: { mode: "mirror", candidate: { model: "b" }, judge: {} } },
    "experiment.judge.model",
  ],
  [
    { ...withCandidate({}), experiment: { mode: "mirror", candidate: { model: "b" }, percent: 0 } },
    "experiment.percent",
  ],
  [[], "entry"],
  ["best", "entry"],
])("%j: %s", (definition, field) => {
  expect(fieldOf(definition)).toBe(field);
});

test("a faulty region is refused with its rule", () => {
  expect(() => readRoute("best", withCandidate({ regions: [7] }), "")).toThrow(
    "candidates.0.regions.0 must be a region or a pattern such as eu-*, of 1 to 100 characters without blanks around it",
  );
});

test.each(["", " best", "x".repeat(201)])("%j is no name", (name) => {
  expect(fieldOf(withCandidate({}), name)).toBe("name");
});
