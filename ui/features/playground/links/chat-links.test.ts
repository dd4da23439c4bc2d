import { expect, test } from "bun:test";
import { type ChatLinks, chatAt, chatTarget, firstWebChat, sandboxOf } from "./chat-links.tsx";

const LINKS: ChatLinks = [
  { App: "app://set?server={address}&key={key}" },
  { Web: "https://chat.test/?k={key}&u={address}" },
];

test("links are found by place, the first web page among them", () => {
  expect(chatAt(LINKS, 0)?.name).toBe("App");
  expect([2, -1, Number.NaN].map((place) => chatAt(LINKS, place))).toEqual([null, null, null]);
  expect(firstWebChat(LINKS)).toBe(1);
  expect(firstWebChat(LINKS.slice(0, 1))).toBeNull();
});

test("key and address are filled in, the address encoded", () => {
  expect(LINKS.map((_, at) => chatTarget(chatAt(LINKS, at)?.link ?? "", "sk-1", "https://gate.test"))).toEqual([
    { href: "app://set?server=https%3A%2F%2Fgate.test&key=sk-1", isFramed: false },
    { href: "https://chat.test/?k=sk-1&u=https%3A%2F%2Fgate.test", isFramed: true },
  ]);
  expect(chatTarget("http://lan.test/{key}", "sk-1", "", "https:")?.isFramed).toBe(false);
  expect(chatTarget("http://lan.test/{key}", "sk-1", "", "http:")?.isFramed).toBe(true);
});

test.each(["javascript:alert(1)", " JavaScript:alert('{key}')", "data:text/html,x", "no address"])(
  "%s is not opened",
  (link) => {
    expect(chatTarget(link, "sk-1", "")).toBeNull();
  },
);

test("a frame of another origin keeps it, one of the console's own does not", () => {
  expect(sandboxOf("https://chat.test/a", "https://gate.test")).toContain("allow-same-origin");
  expect(sandboxOf("https://gate.test/a", "https://gate.test")).not.toContain("allow-same-origin");
});
