import { describe, expect, test } from "bun:test";
import { readTelegramFragment } from "./oauth-calls.ts";

describe("Telegram's answer", () => {
  test("is read from the fragment, numbers and other alphabets included", () => {
    const packed = Buffer.from(JSON.stringify({ id: 7, first_name: "张三?>", hash: "ab" })).toString("base64url");
    expect(readTelegramFragment(`#tgAuthResult=${packed}`)).toEqual({ id: "7", first_name: "张三?>", hash: "ab" });
  });

  test("may be missing or broken", () => {
    expect(readTelegramFragment("")).toBeNull();
    expect(readTelegramFragment("#tgAuthResult=false")).toBeNull();
  });
});
