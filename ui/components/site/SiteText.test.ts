import { expect, test } from "bun:test";
import { frameAddress } from "./SiteText.tsx";

test("one https address is shown in a frame", () => {
  expect(frameAddress(" https://example.org/welcome \n")).toBe("https://example.org/welcome");
});

test.each(["http://example.org/", "javascript:alert(1)", "# Welcome", "see https://example.org/", "https://", ""])(
  "%p is text",
  (text) => expect(frameAddress(text)).toBeNull(),
);
