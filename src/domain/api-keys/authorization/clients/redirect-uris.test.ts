import { expect, test } from "bun:test";
import { isRegisteredUri, redirectHost, redirectUriError, withResponse } from "./redirect-uris.ts";

test.each([
  "https://app.example/callback?a=1",
  "http://localhost:3000/callback",
  "http://127.0.0.1/callback",
  "http://[::1]:80/",
  "http://localhost",
  "cursor://editor.cursor-mcp/oauth/callback",
  "com.example.app:/callback",
])("%s is accepted", (uri) => expect(redirectUriError(uri)).toBeNull());

test.each([
  ...["http://app.example/callback", "http://localhost.evil.example/", "http://localhost@evil.example/", "/callback"],
  ...[
    "https://app.example/#fragment",
    "https://user:pass@app.example/",
    "https://app.example/\tcallback",
    "https://a b/",
  ],
  ...["javascript:alert(1)", "javascript://app.example/%0a1", "JavaScript:alert(1)", "java\nscript:alert(1)"],
  ...["data:text/html,x", "file:///etc/passwd", "blob:https://app.example/x", "vbscript:x", "view-source:https://a/"],
  ...[
    "about:blank",
    "mailto:a@app.example",
    "intent://x",
    "myapp:/callback",
    "http://127.0.0.1:99999/",
    "https:\\\\evil.example",
  ],
  ...["http://127.1/", "http://2130706433/", `https://app.example/${"x".repeat(1_000)}`, ""],
])("%s is refused", (uri) => expect(redirectUriError(uri)).toBeString());

test("is the registered one by each character, but for ports of this machine", () => {
  const registered = [
    "https://app.example/callback",
    "http://127.0.0.1:1234/callback",
    "http://localhost/callback?x=1",
  ];
  const fits = (uri: string) => isRegisteredUri(registered, uri);
  expect(fits("https://app.example/callback")).toBe(true);
  expect(fits("http://127.0.0.1:5678/callback")).toBe(true);
  expect(fits("http://127.0.0.1/callback")).toBe(true);
  expect(fits("http://localhost:1/callback?x=1")).toBe(true);
  for (const uri of [
    ...["https://app.example/callback/", "https://app.example/Callback", "https://app.example:8443/callback"],
    ...["https://app.example/callback?x=1", "https://app.example/callback/../callback", "https://APP.example/callback"],
    ...[
      "http://127.0.0.1:5678/other",
      "http://localhost:5678/callback",
      "http://[::1]:1/callback",
      "http://127.0.0.1:99999/callback",
    ],
    ...[
      "http://127.0.0.1:1@evil.example/callback",
      "http://127.0.0.1:1/callback#x",
      "http://127.0.0.1.evil.example/callback",
    ],
  ]) {
    expect([uri, fits(uri)]).toEqual([uri, false]);
  }
});

test("shows where it leads, and keeps the query it has", () => {
  expect(redirectHost("https://app.example:8443/x")).toBe("app.example:8443");
  expect(redirectHost("cursor://editor.cursor-mcp/x")).toBe("cursor:");
  expect(withResponse("https://a.example/x?y=1", { code: "c d", state: undefined })).toBe(
    "https://a.example/x?y=1&code=c+d",
  );
});
