import { expect, test } from "bun:test";
import { foreignHostOf } from "./AnswerImage.tsx";

test.each([
  ["data:image/png;base64,AA==", null],
  ["blob:https://gate.test/1", null],
  ["/api/files/1", null],
  ["https://gate.test/a.png", null],
  ["https://gate.test:8443/a.png", "gate.test:8443"],
  ["http://gate.test/a.png", "gate.test"],
  ["https://evil.test/a.png?secret", "evil.test"],
  ["//evil.test/a.png", "evil.test"],
  ["https://gate.test@evil.test/a.png", "evil.test"],
  ["http://", "http://"],
])("%s is of %p", (address, host) => {
  expect(foreignHostOf(address, "https://gate.test/playground")).toBe(host);
});
