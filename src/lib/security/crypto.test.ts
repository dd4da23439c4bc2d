import { describe, expect, test } from "bun:test";
import { createVault, DecryptionError } from "./crypto.ts";

const vault = createVault({ encryptionKey: "a key of this test, long enough" });

describe("vault", () => {
  test.each(["", "sk-1234", "多字节 🔑", "x".repeat(100_000)])("gives back what it encrypted", (text) => {
    expect(vault.decrypt(vault.encrypt(text))).toBe(text);
  });

  test("the same text never looks the same", () => expect(vault.encrypt("a")).not.toBe(vault.encrypt("a")));

  test("another key reads nothing", () => {
    const other = createVault({ encryptionKey: "another key, also long enough" });
    expect(() => other.decrypt(vault.encrypt("a"))).toThrow(DecryptionError);
    expect(other.keyedHash("a")).not.toBe(vault.keyedHash("a"));
  });

  test("a changed, cut or foreign text is refused", () => {
    const cipher = vault.encrypt("secret");
    const flipped = cipher.slice(0, 20) + (cipher[20] === "A" ? "B" : "A") + cipher.slice(21);
    for (const text of [flipped, cipher.slice(0, -4), cipher.slice(0, 8), "secret", `v2.${cipher.slice(3)}`, ""]) {
      expect(() => vault.decrypt(text)).toThrow(DecryptionError);
    }
  });

  test("keyed hashes are stable 64 hex digits", () => {
    expect(vault.keyedHash("abc")).toBe(vault.keyedHash("abc"));
    expect(vault.keyedHash("abc")).toMatch(/^[0-9a-f]{64}$/);
  });
});
